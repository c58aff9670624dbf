"""Check operators compiled for unknown sizes against their references, at many sizes."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np

from relay.build.compile import compile_module
from relay.build.vm import compile as compile_for_vm
from relay.ir.dims import DimVar
from relay.ir.expr import Array
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.runtime.specializing_executable import Specialising
from relay.semantics.apply_operator import TensorValue
from relay.semantics.evaluate import evaluate
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError, OpenSizeError, RelayError
from relay.testing.compare_values import assert_close, flat
from relay.testing.example_arguments import draw
from relay.testing.example_types import fields_of
from relay.transform.pass_context import HIGHEST, PassContext
from tools.fuzzing.programs.outcomes import Trapped
from tools.fuzzing.sizes.guarded import guarded
from tools.fuzzing.sizes.opened import Opened

Outcome: TypeAlias = "TensorValue | Trapped"
Shapes: TypeAlias = tuple[tuple[int, ...], ...]

DOOR = frozenset({ErrorCode.R004, ErrorCode.R005, ErrorCode.R007, ErrorCode.R051, ErrorCode.R054})
"""The errors raised before execution for inputs whose sizes do not match the signature."""

_WRONG_SIZES = frozenset({ErrorCode.R053, ErrorCode.R054})
"""The traps of an operator that reads a negative size while another size does not match either."""

_SIZES = (0, 1, 2, 3, 4, 5, 6, 8, 9, 17)
_MOST = 1 << 15  # elements of an argument
_RANDOM = 12  # combinations of sizes per program
_LONG = 100  # sums are longer than those of the examples, and less exact accordingly
_SEED = 23


def check_opened(opened: Opened, level: int = HIGHEST, *, vm: bool = False) -> int:
    """Raise an `AssertionError` with all differences between compiled code and the evaluator.

    Returns the number of compared calls.
    """
    module = opened.module()
    if module is None or not opened.is_open:
        return 0
    runs, found, calls = _compiled(module, level, vm=vm), dict[str, str](), 0
    few = any(isinstance(run, Specialising) for run in runs.values())
    for arguments in _inputs(opened, few=few):
        wanted = outcome(lambda arguments=arguments: evaluate(module, *arguments))
        for name, got in _outcomes(runs, arguments):
            calls += 1
            said = _difference(got, wanted, opened.example.tolerance)
            if said:
                shapes = ", ".join(str(each.shape) for each in arguments)
                found.setdefault(f"{name}: {said}", f"{opened}: {name} for {shapes}: {said}")
    assert not found, "\n".join(found.values())
    return calls


_Runs: TypeAlias = Mapping[str, Callable[..., Any]]


def _compiled(module: Module, level: int, *, vm: bool) -> _Runs:
    """Return the executables of a program; none if a kernel requires a static size."""
    runs: dict[str, Callable[..., Any]] = {}
    try:
        runs["aot"] = compile_module(module, opt_level=level, threads=1)
        if vm:
            with PassContext(level):
                runs["vm"] = compile_for_vm(module, "llvm")
    except OpenSizeError:
        return runs
    except CompileError as error:
        if error.code != _UNKNOWN:
            raise
    return runs


_UNKNOWN = ErrorCode.C103


def _outcomes(runs: _Runs, arguments: Sequence[Array]) -> Iterator[tuple[str, Outcome]]:
    """Yield the outcome of each executable, with inaccessible memory after or before arguments."""
    for name, run in runs.items():
        for at_end in (True, False):
            inputs = [guarded(each, at_end=at_end) for each in arguments]
            yield name, outcome(lambda run=run, inputs=inputs: run(*inputs))


def outcome(run: Callable[[], Any]) -> Outcome:
    """Return the result of a program, or its trap."""
    try:
        found = run()
    except RelayError as error:
        return Trapped(error.code, error.message)
    if isinstance(found, tuple):
        return tuple(np.asarray(each) for each in cast("tuple[Any, ...]", found))
    return np.asarray(found)


def _difference(found: Outcome, wanted: Outcome, tolerance: float) -> str:
    """Return a description of the difference of two outcomes, if any."""
    if isinstance(found, Trapped) or isinstance(wanted, Trapped):
        if isinstance(found, Trapped) and isinstance(wanted, Trapped):
            same = alike(found, wanted)
            return "" if same else f"stops with {_short(found)}, not {_short(wanted)}"
        return f"gives {_short(found)}, not {_short(wanted)}"
    try:
        assert_close(found, wanted, _LONG * tolerance)
    except AssertionError as error:
        return f"gives {_short(found)}, not {_short(wanted)} ({type(error).__name__})"
    return ""


def alike(found: Trapped, wanted: Trapped) -> bool:
    """Whether two traps have the same reason."""
    return found.error == wanted.error or any(
        found.error in codes >= {wanted.error} for codes in (DOOR, _WRONG_SIZES)
    )


def _short(outcome: Outcome) -> str:
    if isinstance(outcome, Trapped):
        return f"{outcome.error} {outcome.place}"
    return "a value of " + ", ".join(f"{each.dtype}{[*each.shape]}" for each in flat(outcome))


def _shapes(opened: Opened, *, few: bool) -> Iterator[Shapes]:
    """Yield shapes of the arguments: those of the example, then others in the unknown sizes."""
    types = [field for ty in opened.example.types for field in fields_of(ty)]
    sizes = _sizes(opened, types)
    choices = [sizes, *_alone(sizes), *_random(sizes)]
    made = (_applied(opened, types, choice) for choice in choices)
    fit = [shapes for shapes in dict.fromkeys(made) if max(map(math.prod, shapes)) <= _MOST]
    yield from fit[: 4 if few else None]


_Sizes: TypeAlias = Mapping[object, int]


def _sizes(opened: Opened, types: Sequence[TensorType]) -> dict[object, int]:
    """Return the symbolic sizes by name, with their values in the example."""
    return {
        _key(dim, tensor, axis): size
        for tensor, (ty, static) in enumerate(zip(opened.types, types, strict=True))
        for axis, (dim, size) in enumerate(zip(ty.shape, static.static_shape, strict=True))
        if not isinstance(dim, int)
    }


def _key(dim: object, tensor: int, axis: int) -> object:
    return dim if isinstance(dim, DimVar) else (tensor, axis)


def _alone(sizes: _Sizes) -> Iterator[_Sizes]:
    for key, size in sizes.items():
        for other in dict.fromkeys((0, 1, size - 1, size + 1, 2 * size)):
            if other >= 0:
                yield {**sizes, key: other}


def _random(sizes: _Sizes) -> Iterator[_Sizes]:
    rng = np.random.default_rng(_SEED)
    olds = sorted({*sizes.values()})
    for number in range(_RANDOM):
        if number % 2:  # equal sizes stay equal
            to = {size: int(rng.choice(_SIZES)) for size in olds}
            yield {key: to[size] for key, size in sizes.items()}
        else:
            yield {key: int(rng.choice(_SIZES)) for key in sizes}


def _applied(opened: Opened, types: Sequence[TensorType], sizes: _Sizes) -> Shapes:
    return tuple(
        tuple(
            sizes.get(_key(dim, tensor, axis), size)
            for axis, (dim, size) in enumerate(zip(ty.shape, static.static_shape, strict=True))
        )
        for tensor, (ty, static) in enumerate(zip(opened.types, types, strict=True))
    )


def _inputs(opened: Opened, *, few: bool) -> Iterator[list[Array]]:
    """Yield arguments of all shapes; operators that read integers also get arbitrary ones."""
    reads = bool(opened.example.values)
    for shapes in _shapes(opened, few=few):
        yield _arguments(opened, shapes, wild=False)
        if reads:
            yield _arguments(opened, shapes, wild=True)


def _arguments(opened: Opened, shapes: Shapes, *, wild: bool) -> list[Array]:
    rng = np.random.default_rng((_SEED, *(size for shape in shapes for size in shape)))
    example, rest, made = opened.example, iter(shapes), list[Array]()
    for position, ty in enumerate(example.types):
        for field in fields_of(ty):
            shape, given = next(rest), example.values.get(position)
            if given is None:
                made.append(draw(shape, field.dtype, example.domain, rng))
            elif wild and field.dtype.is_integer:
                made.append(draw(shape, field.dtype, _WILD, rng))
            else:
                made.append(np.resize(np.asarray(given).astype(field.dtype.numpy), shape))
    return made


_WILD = (-3.0, 8.0)
"""The range of random integers, in addition to those of the example."""
