"""The interface of external compilers, which other packages provide, and their discovery.

The package of a compiler has an entry point with the compiler's name:

    [project.entry-points."relay.compilers"]
    acme = "acme.compiler:compile_region"

where `compile_region` is an `ExternalCompiler`, which the decorator `external_compiler` makes of a
function. A loader of the same name runs the bytes that it returns (`relay.runtime.external_parts`).
"""

from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import entry_points
from reprlib import repr as short
from typing import Any, TypeAlias

from relay.ir.dataflow.matching import Matchable
from relay.ir.expr import Call, Expr, Function, Operator
from relay.ir.types import TensorType, TupleType, Type, is_static
from relay.runtime.external_parts import REFERENCE
from relay.support.entry_points import loaded, unusable
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError, RelayTypeError
from relay.support.node import node, set_field
from relay.transform.compilers.region_steps import region_steps

GROUP = "relay.compilers"

_KIND = "the external compiler"

Entry: TypeAlias = tuple[str, Matchable[Any], Callable[[Expr], bool] | None]
"""A composite function's name, its pattern, and a check of matches (None accepts all)."""


def entries_of(table: Iterable[Sequence[Any]]) -> tuple[Entry, ...]:
    """Return the entries of a pattern table, in which the checks of matches may be missing.

    Raises `T007` for entries that are not a name, a pattern and a function.
    """
    if not isinstance(table, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance] - as callers may
        message = f"a pattern table must be a list of entries, not {short(table)}"
        raise RelayTypeError(ErrorCode.T007, message, help='write [("dnnl.dense_relu", pattern)]')
    return tuple(map(_entry, table))


def _entry(given: Sequence[Any]) -> Entry:
    match given:
        case (str(), Matchable(), *check) if len(check) < 2 and all(map(_is_check, check)):
            return given[0], given[1], check[0] if check else None
        case _:
            raise RelayTypeError(
                ErrorCode.T007,
                "an entry of a pattern table must be a name, a pattern and possibly a check, "
                f"not {short(given)}",
                help='write ("dnnl.dense_relu", pattern) or ("dnnl.dense_relu", pattern, check)',
            )


def _is_check(given: object) -> bool:
    return given is None or callable(given)


@node
class ExternalCompiler:
    """A compiler of regions: its patterns, its operators, and the function that compiles a region.

    `patterns` are outlined as composite functions, whose names begin with the compiler's name and a
    dot. `operators` are classes of operators; of their calls, the compiler takes those that
    `accepts` allows. A region is a function of tensors of static sizes; its body consists of such
    calls, calls of composite functions, tuples, their fields, and constants.
    """

    name: str
    patterns: tuple[Entry, ...]
    operators: tuple[type[Operator], ...]
    accepts: Callable[[Call], bool]
    compile: Callable[[Function], bytes]

    def __post_init__(self) -> None:
        set_field(self, "patterns", entries_of(self.patterns))
        set_field(self, "operators", tuple(self.operators))

    def takes(self, call: Call) -> bool:
        """Whether the compiler supports a call of an operator."""
        types = (call.type, *(arg.type for arg in call.args))
        is_known = isinstance(call.op, self.operators) and all(map(is_plain, types))
        return is_known and self.accepts(call)


def external_compiler(
    name: str,
    *,
    patterns: Sequence[Entry] = (),
    operators: Sequence[type[Operator]] = (),
    accepts: Callable[[Call], bool] = lambda _: True,
) -> Callable[[Callable[[Function], bytes]], ExternalCompiler]:
    """Return a decorator that makes an `ExternalCompiler` of the function that compiles a region.

    >>> from relay.ops.nn.activations import Relu
    >>> @external_compiler("acme", operators=[Relu])
    ... def compile_region(region):
    ...     return b"the code of the region, in a format of its own"
    >>> compile_region.name
    'acme'
    """

    def made(compile_region: Callable[[Function], bytes]) -> ExternalCompiler:
        return ExternalCompiler(name, tuple(patterns), tuple(operators), accepts, compile_region)

    return made


def find_compiler(name: str) -> ExternalCompiler | None:
    """Return the external compiler with a name, or None if no installed package provides it.

    Raises `U323` if the package that should provide it is broken.
    """
    if name == REFERENCE:
        return ExternalCompiler(name, (), (), lambda _: False, lambda r: region_steps(r).encoded())
    for entry in entry_points(group=GROUP, name=name):
        found = loaded(entry, _KIND)
        if isinstance(found, ExternalCompiler):
            return found
        raise unusable(entry, _KIND, f"it is not an {ExternalCompiler.__name__}")
    return None


def compiler_named(name: str) -> ExternalCompiler:
    """Return the external compiler with a name.

    Raises `C162` if no package provides it, `U323` if that package is broken.
    """
    found = find_compiler(name)
    if found is None:
        known = ", ".join(sorted(entry_points(group=GROUP).names)) or "none"
        raise CompileError(
            ErrorCode.C162,
            f"no installed package provides an external compiler named '{name}'",
            notes=[f"installed compilers: {known}"],
            help="install the package, or omit the compiler: from compilers=[…], from --compilers, "
            "or from your passes",
        )
    return found


def is_plain(ty: Type) -> bool:
    """Whether a type is that of a tensor of static sizes, or a tuple of such types."""
    match ty:
        case TensorType(shape):
            return is_static(shape)
        case TupleType(fields):
            return all(map(is_plain, fields))
        case _:
            return False
