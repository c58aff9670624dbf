"""Random calls of operators: sketches that type rules accept, with sizes open or not."""

from collections.abc import Sequence
from random import Random
from typing import Any, cast

import relay.ops  # noqa: F401  # pyright: ignore[reportUnusedImport] - declares operators
from relay.ir.expr import Call, Expr, Function, Tuple, TupleGetItem, Var
from relay.ir.module import Module
from relay.ir.types import TensorType, TupleType, has_any
from relay.opdef.definition import OperatorDef
from relay.opdef.table import OPERATORS
from relay.semantics.infer import infer
from relay.support.errors import RelayError
from relay.support.node import node, replace
from relay.testing.example_types import fields_of
from tools.fuzzing.operators.sketch import Argument, Sketch, random_sketch
from tools.fuzzing.sizes.opened import KINDS, NOT_SWEPT, open_types

_NOT_DRAWN = NOT_SWEPT | {"arange", "dyn.with_sizes"}
"""Operators whose arguments cannot be random; attributes of `arange` repeat their values.

`dyn.with_sizes` only names sizes that passes compute.
"""

CLASSES = [
    cls
    for name, cls in sorted(OPERATORS.items())
    if issubclass(cls, OperatorDef) and not cls.stateful and name not in _NOT_DRAWN
    if cls.__module__.startswith("relay.ops.")  # not those of tests: draws follow from numbers
]

_TRIES = 12  # sketches of one operator before another one is drawn
_MOST = 1 << 13  # elements of all arguments and results
_EXPLODING = ("conv",)
"""Parts of the names of operators whose kernels take a minute to compile if all sizes are open."""

_MOST_WORK = 1 << 18  # operations of a call, which NumPy may need a microsecond for


@node
class RandomCall:
    """An operator with the types of its arguments, in which sizes may be open.

    `sketch` has static sizes for them.
    """

    op: OperatorDef
    types: tuple[Argument, ...]
    sketch: Sketch

    @property
    def tensor_types(self) -> tuple[TensorType, ...]:
        """Return the types of the arrays: those of all arguments and of their fields."""
        return tuple(field for ty in self.types for field in fields_of(ty))

    def __str__(self) -> str:
        return f"{self.op!r} of {', '.join(map(repr, self.types))}"

    def module(self, prefix: str) -> Module:
        """Return a typed program that makes the call; names of parameters begin with `prefix`."""
        types = enumerate(self.tensor_types)
        params = tuple(Var(f"{prefix}p{place}", ty) for place, ty in types)
        return infer(Module.of(Function(params, self._applied(params))))

    def _applied(self, params: Sequence[Var]) -> Expr:
        rest = iter(params)
        args = [
            Tuple(tuple(next(rest) for _ in ty.fields)) if isinstance(ty, TupleType) else next(rest)
            for ty in self.types
        ]
        call, result = Call(self.op, tuple(args)), self.op.result_type(self.types)
        if isinstance(result, TupleType):
            return Tuple(tuple(TupleGetItem(call, place) for place in range(len(result.fields))))
        return call


def random_call(random: Random, prefix: str, *, is_open: bool) -> RandomCall:
    """Return a call of a random operator; names of open sizes begin with `prefix`."""
    while True:
        cls = random.choice(CLASSES)
        for _ in range(_TRIES):
            sketch = random_sketch(cls, random)
            op = _fitting(sketch)
            if op is not None:
                call = RandomCall(op, sketch.types, sketch)
                chosen = _opened(call, prefix, random) if is_open else call
                if chosen is not None:
                    return chosen


def _fitting(sketch: Sketch) -> OperatorDef | None:
    """Return the operator of a sketch; None if it refuses the types, or they are large."""
    if not _is_well_formed(sketch):
        return None
    try:
        op: OperatorDef = sketch.cls.made(sketch.attributes)
        op.result_type(sketch.types)
    except RelayError:
        return None
    return None if is_large(op, sketch.types) else op


def is_large(op: OperatorDef, types: Sequence[Argument]) -> bool:
    """Whether a call has many elements, or takes the reference long.

    Types that the operator refuses are large only if arguments have many elements.
    """
    if any(_elements(field) > _MOST for ty in types for field in fields_of(ty)):
        return True
    try:
        result = op.result_type(types)
    except RelayError:
        return False
    if result is None or sum(map(_elements, fields_of(result))) > _MOST:
        return True
    work = op.flops(*cast("Any", types))
    return not isinstance(work, int) or work > _MOST_WORK


def _is_well_formed(sketch: Sketch) -> bool:
    """Whether arguments that must fit together, those of sparse matrices, are as in the example."""
    return "sparse" not in sketch.cls.name or all(
        sketch.types[place] is sketch.example.types[place]
        for place in sketch.example.values
        if place < len(sketch.types)
    )


def _elements(ty: TensorType) -> int:
    """Return the number of elements; a size that data decide, or none, counts as 1.

    Loops over the other axes of a tensor without elements may have many steps.
    """
    count = 1
    for size in ty.shape:
        count *= size or 1 if isinstance(size, int) else 1
    return count


def _opened(call: RandomCall, prefix: str, random: Random) -> RandomCall | None:
    """Return the call with open sizes; None if there are none, or they or the result are refused.

    Programs whose results have unknown sizes are not compiled.
    """
    fields = call.tensor_types
    places = [(tensor, axis) for tensor, ty in enumerate(fields) for axis in range(ty.rank)]
    kind = "single" if any(part in call.op.name for part in _EXPLODING) else random.choice(KINDS)
    if kind == "single" and places:
        places = [random.choice(places)]
    rest = iter(open_types(fields, kind, frozenset(places), prefix))
    types: tuple[Argument, ...] = tuple(
        TupleType(tuple(next(rest) for _ in ty.fields)) if isinstance(ty, TupleType) else next(rest)
        for ty in call.types
    )
    opened = replace(call, types=types)
    try:
        result = opened.module(prefix).main.body.type
    except RelayError:
        return None
    return None if opened.types == call.types or has_any(result) else opened
