"""A model of what the backward part of a dataflow program reads, in bytes and operations."""

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from math import prod

from relay.ir.expr import Call, Expr, Function, Tuple, TupleGetItem, Var
from relay.ir.types import TensorType, TupleType, Type
from relay.ir.walk import children, post_order
from relay.opdef.definition import OperatorDef
from relay.support.error_codes import ErrorCode
from relay.support.errors import DifferentiationError


class BackwardReads:
    """The calls and tuples of a function in graph form, in evaluation order, and their costs.

    Values are named by their index. A view of another value, or a part of a tuple, uses the memory
    of that value, its `base`.
    """

    def __init__(self, function: Function) -> None:
        self.values = [each for each in post_order(function.body) if _is_value(each)]
        self._number = {each: index for index, each in enumerate(self.values)}
        self._active = _active(function)
        self._floats = [each for each in function.params if _has_floats(each.type)]

    @cached_property
    def operands(self) -> list[list[int]]:
        """Return for each value the indices of its operands."""
        return [[*self._numbers(children(each))] for each in self.values]

    @cached_property
    def base(self) -> list[int]:
        """Return for each value the one whose memory it uses: itself, or an earlier value."""
        found: list[int] = []
        for index, each in enumerate(self.values):
            viewed = next(self._numbers(_viewed(each)), None)
            found.append(index if viewed is None else found[viewed])
        return found

    @cached_property
    def bytes(self) -> list[int]:
        """Return the bytes of each value, 0 for a view; raises `D011` for open sizes."""
        return [_bytes(v) if self.base[i] == i else 0 for i, v in enumerate(self.values)]

    @cached_property
    def operations(self) -> list[int]:
        """Return the number of operations that compute each value."""
        return [_operations(each) for each in self.values]

    @cached_property
    def reads(self) -> list[set[int]]:
        """Return for each value the values that its derivative reads."""
        return [{self.base[i] for i in self._numbers(self._read(each))} for each in self.values]

    @cached_property
    def frontiers(self) -> list[set[int]]:
        """Return for each value the values that exist once it is computed, and are used later."""
        last_use: dict[int, int] = {}
        for index, operands in enumerate(self.operands):
            last_use.update((self.base[each], index) for each in operands)
        found: list[set[int]] = []
        live: set[int] = set()
        for index, base in enumerate(self.base):
            live.add(base)
            live = {each for each in live if last_use.get(each, -1) > index}
            found.append({each for each in live if self.bytes[each]})
        return found

    @cached_property
    def derivatives(self) -> list[int]:
        """Return for each value the bytes of the derivatives in memory while it is differentiated.

        These are the derivatives by values that are used later, by the value itself and by its
        operands.
        """
        pairs = zip(self.frontiers, self.operands, strict=True)
        return [
            sum(
                self.bytes[each]
                for each in {*frontier, self.base[index], *(self.base[i] for i in operands)}
                if self.values[each] in self._active
            )
            for index, (frontier, operands) in enumerate(pairs)
        ]

    def gradient_bytes(self, start: int) -> int:
        """Return the bytes of the gradients of parameters used by values after `start`."""
        used = {child for each in self.values[start + 1 :] for child in children(each)}
        return sum(_bytes(each) for each in self._floats if each in used)

    def _numbers(self, values: Collection[Expr]) -> Iterator[int]:
        return (self._number[each] for each in values if each in self._number)

    def _read(self, value: Expr) -> Sequence[Expr]:
        """Return the operands, or the result, of a call that its derivative reads."""
        if value not in self._active or not isinstance(value, Call):
            return ()
        assert isinstance(value.op, OperatorDef), "values are calls of operators"
        if not value.op.has("gradient"):
            return (value, *value.args)
        known = {value, *value.args}
        parts = value.op.gradient(value, Var("d", value.type))
        found = (part for part in parts if part is not None)
        return post_order(*found, edges=lambda e: () if e in known else children(e))


def _is_value(expr: Expr) -> bool:
    match expr:
        case Call(OperatorDef()) | Tuple() | TupleGetItem():
            return True
        case _:
            return False


def _active(function: Function) -> set[Expr]:
    """Return the floating-point values that depend on the parameters of a function."""
    found: set[Expr] = {*function.params}
    for expr in post_order(function.body):
        if any(child in found for child in children(expr)) and _has_floats(expr.type):
            found.add(expr)
    return found


def _has_floats(ty: Type) -> bool:
    fields = ty.fields if isinstance(ty, TupleType) else (ty,)
    return any(isinstance(each, TensorType) and each.dtype.is_float for each in fields)


def _viewed(expr: Expr) -> tuple[Expr, ...]:
    match expr:
        case TupleGetItem(Tuple(fields), index):
            return (fields[index],)
        case TupleGetItem(whole):
            return (whole,)
        case Call(OperatorDef() as op, (arg, *others)) if isinstance(arg.type, TensorType):
            types = [each.type for each in others]
            tensors = [ty for ty in types if isinstance(ty, TensorType)]
            is_view = len(tensors) == len(types) and op.keeps_order(arg.type, *tensors)
            return (arg,) if is_view else ()
        case _:
            return ()


def _operations(value: Expr) -> int:
    match value:
        case Call(OperatorDef() as op, args):
            types = [arg.type for arg in args]
            count = op.flops(*(ty for ty in types if isinstance(ty, TensorType | TupleType)))  # pyright: ignore[reportArgumentType] - tuples are operands, too
            return count if isinstance(count, int) else 0
        case _:
            return 0


def _bytes(value: Expr) -> int:
    match value.type:
        case TensorType(shape, dtype):
            sizes = [dim for dim in shape if isinstance(dim, int)]
            if len(sizes) < len(shape):
                message = (
                    "checkpoints cannot be chosen, because the size of a value of type "
                    f"{value.type!r} is unknown at compile time"
                )
                help_ = "replace names of sizes by numbers in the types of the program's parameters"
                raise DifferentiationError(ErrorCode.D011, message, span=value.span, help=help_)
            return prod(sizes) * dtype.numpy.itemsize
        case _:
            return 0  # a tuple is made of its fields
