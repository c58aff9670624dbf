"""Seeds of random programs: small programs that passes change, to be embedded in random ones.

A pass for fused convolutions or rows of tables never acts on a program drawn at random. The golden
case of such a pass is one on which it acts.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from typing import Any

from relay.ir.expr import Call
from relay.ir.module import Module
from relay.ir.types import TensorType, TupleType, Type, has_any
from relay.opdef.user_rules import ALTER, HOOKS, LEGALIZE
from relay.ops.functions import core, nn
from relay.support.errors import RelayError
from relay.support.node import replace
from relay.transform.pipeline import Pass
from relay.transform.tvm_pass_classes import ConvertLayouts, FuseOps, Typed
from tools.fuzzing.programs.pass_cases import PassCase
from tools.fuzzing.programs.required import with_required

_core: Any = core
_nn: Any = nn
"""Their members are generated; only stubs have their types."""


MOST = 12
"""The number of seeds for a pass that has no case of its own."""


@dataclass(frozen=True)
class Seed:
    """A program that a pass changes once other passes have run."""

    module: Module
    before: tuple[Pass, ...]
    each: Pass


class Seeds:
    """The seeds of passes among golden cases: the cases of a pass itself, or else all others."""

    def __init__(self, cases: Iterable[PassCase]) -> None:
        self._cases = [case for case in cases if _is_plain(case.module)]
        self._known: dict[str, Sequence[Seed]] = {}
        self._own: dict[str, list[Seed]] = {}
        for case in self._cases:
            for seed in _seeds(case.module, expanded(case.passes)):
                self._own.setdefault(seed.each.title(), []).append(seed)

    def of(self, each: Pass) -> Sequence[Seed]:
        """Return programs that a pass changes."""
        title = each.title()
        if title not in self._known:
            others = (seed for case in self._cases for seed in _seeds(case.module, (each,)))
            self._known[title] = self._own.get(title) or list(islice(others, MOST))
        return self._known[title]


def _seeds(module: Module, passes: Sequence[Pass]) -> Iterator[Seed]:
    """Yield a seed for each pass of a list that changes the result of those before it."""
    now = module
    for index, each in enumerate(passes):
        try:
            ready = with_required(each, now)
            after = each(ready)
        except RelayError:
            return
        if after is not ready:
            yield Seed(module, tuple(passes[:index]), each)
            now = after


def expanded(passes: Iterable[Pass]) -> list[Pass]:
    """Return the passes that classic ones stand for."""
    found: list[Pass] = []
    for each in passes:
        match each:
            case Typed(passes=inner):
                found += inner
            case FuseOps(fuse=inner) | ConvertLayouts(desired=inner):
                found.append(inner)
            case _:
                found.append(each)
    return found


def _is_plain(module: Module) -> bool:
    """Whether a program can be embedded, random inputs for it made, and its results compared."""
    if "main" not in module.functions:
        return False
    main = module.main
    params = [param.type for param in main.params]
    is_simple = not main.type_params and not any(map(has_any, params))
    return is_simple and all(map(_is_of_tensors, (*params, main.body.type)))


def _is_of_tensors(ty: Type) -> bool:
    """Whether a type is that of a tensor or of tuples; recursion is bounded by nested tuples."""
    match ty:
        case TensorType():
            return True
        case TupleType(fields):
            return all(map(_is_of_tensors, fields))
        case _:
            return False


def registered_rules() -> ExitStack:
    """Return a context with rules for single operators, on which two passes depend."""
    rules: Mapping[tuple[str, str], Any] = {
        ("nn.dense", LEGALIZE): _as_product,
        ("nn.conv2d", ALTER): _channels_last,
    }
    with ExitStack() as stack:
        for (name, attribute), rule in rules.items():
            stack.enter_context(HOOKS.added(name, attribute, rule))
        return stack.pop_all()


def _as_product(attrs: Any, inputs: Any, types: Any) -> Any:
    """Write a dense layer as a product of matrices."""
    if any(ty.rank != 2 for ty in types) or attrs.out_dtype is not None:
        return None
    product = _nn.matmul(inputs[0], _core.transpose(inputs[1], axes=[1, 0]))
    return product if product.ty is types[-1] else None


def _channels_last(attrs: Any, inputs: Any, tinfos: Any, out_type: Any) -> Any:
    """Move the channels of a convolution to the last axis."""
    del tinfos  # any sizes will do
    if (attrs.data_layout, attrs.kernel_layout, attrs.out_layout or "NCHW") != _PLAIN:
        return None
    op = replace(attrs, data_layout="NHWC", kernel_layout="HWIO", out_layout="")
    return Call(op, inputs, ty=out_type)


_PLAIN = ("NCHW", "OIHW", "NCHW")
