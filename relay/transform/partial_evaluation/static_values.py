"""Static values: what the partial evaluator knows about a value before the program runs.

A value may be known in part: for example, a list of two elements, one of which is a variable of the
residual program. Unknown parts are `Unknown`, at any depth.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import count
from typing import TypeAlias

from relay.ir.expr import Array, Constant, Constructor, Expr, Function, GlobalVar, Var
from relay.ir.types import TupleType, Type, TypeVar
from relay.support.node import node
from relay.transform.monomorphization.type_map import NO_SIZES, Sizes, TypeMap, substitution

LARGEST = 1 << 30
"""The upper bound of the sizes and widths of static values; shared parts count at each use."""

UNKNOWN = 1 << 16
"""The size assumed for an unknown value, which may be large."""


@node
class Outline:
    """The summary of a static value that `Domain` records when the value is created.

    `number` is equal for values that differ in their unknown parts only; `born` is greater for
    values that were created later. `size` counts the parts, and `width` the unknown parts;
    `has_cells` is true if some part is a reference cell.
    """

    number: int
    born: int
    size: int
    width: int
    has_cells: bool


@node
class Static:
    """The base of static values, which describe what is known of values before the program runs."""

    ty: Type
    outline: Outline


@node
class Unknown(Static):
    """A value that is only known at run time; `atom` is the variable that holds it.

    In a template, a missing `atom` denotes a hole.
    """

    atom: Expr | None


@node
class StaticTensor(Static):
    """A tensor with a known value."""

    constant: Constant


@node
class StaticTuple(Static):
    """A tuple with known fields."""

    fields: tuple[Static, ...]


@node
class StaticData(Static):
    """A value of a data type with a known constructor."""

    constructor: Constructor
    type_args: tuple[Type, ...]
    fields: tuple[Static, ...]


@node
class StaticClosure(Static):
    """A function with its captured values; a global function captures none.

    `name` is the variable through which a local function may call itself. `types` maps the
    enclosing type parameters and dimensions.
    """

    function: Function
    captured: tuple[Static, ...]
    name: Var | None
    variable: GlobalVar | None
    types: "TypeContext"


@node
class StaticCell(Static):
    """A reference cell that the program creates; `first` is its initial content."""

    first: Static


class TypeContext:
    """The substitution of type parameters and dimensions in a copy of a function.

    >>> from relay.ir.types import UNIT
    >>> a = TypeVar("A")
    >>> TypeContext({a: UNIT}, {})(a)
    ()
    """

    def __init__(self, types: Mapping[TypeVar, Type], sizes: Sizes) -> None:
        self.types, self.sizes = types, sizes
        self.key = (tuple(types.items()), tuple(sizes.items()))
        self._map: TypeMap | None = substitution(types, sizes) if types or sizes else None

    @property
    def is_empty(self) -> bool:
        """Whether the substitution is empty."""
        return self._map is None

    def __call__(self, ty: Type) -> Type:
        """Return a type with the substitution applied."""
        return ty if self._map is None else self._map(ty)

    def within(self, types: Mapping[TypeVar, Type], sizes: Sizes) -> "TypeContext":
        """Return the context of a nested function, with its own type arguments and sizes added."""
        if not types and not sizes:
            return self
        return TypeContext({**self.types, **types}, {**self.sizes, **sizes})


EMPTY = TypeContext({}, NO_SIZES)

_Parts: TypeAlias = tuple[Static, ...]


def parts(value: Static) -> _Parts:
    """Return the parts of a value; the content of a reference cell is not a part of the cell."""
    match value:
        case StaticTuple(fields=fields) | StaticData(fields=fields):
            return fields
        case StaticClosure(captured=captured):
            return captured
        case _:
            return ()


class Domain:
    """A factory of static values; structurally equal values get the same number.

    >>> from relay.ir.types import UNIT
    >>> domain = Domain()
    >>> one, two = (domain.unknown(Var(name, UNIT)) for name in "xy")
    >>> pairs = domain.tuple((one, two)), domain.tuple((two, two))
    >>> pairs[0].outline.number == pairs[1].outline.number, pairs[0].outline.width
    (True, 2)
    """

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._clock = count()
        self._constants: dict[Constant, StaticTensor] = {}
        self._arrays: dict[int, Array] = {}

    def now(self) -> int:
        """Return the current time: all values created later have a greater `born`."""
        return next(self._clock)

    def unknown(self, atom: Expr) -> Unknown:
        """Return the value of a variable of the residual program."""
        return Unknown(atom.type, self._leaf(atom.type), atom)

    def hole(self, ty: Type) -> Unknown:
        """Return an unknown value without a variable: a place where values of a template differ."""
        return Unknown(ty, self._leaf(ty), None)

    def literal(self, constant: Constant) -> StaticTensor:
        """Return the static value of a constant in the program; the same object each time."""
        if constant not in self._constants:
            self._constants[constant] = self.tensor(constant)
        return self._constants[constant]

    def tensor(self, constant: Constant) -> StaticTensor:
        """Return the static value of a constant. The `size` of an integer n is 1 + |n|, bounded."""
        data = constant.array
        is_whole = data.ndim == 0 and data.dtype.kind in "iu"
        size = min(1 + abs(int(data)), UNKNOWN) if is_whole else 1
        if data.size > _SMALL:
            self._arrays[id(data)] = data  # kept alive, so that its id is not reused
        key = (constant.type, data.tobytes()) if data.size <= _SMALL else id(data)
        outline = Outline(self._number((StaticTensor, key)), self.now(), size, 0, False)
        return StaticTensor(constant.type, outline, constant)

    def tuple(self, fields: Iterable[Static], ty: Type | None = None) -> StaticTuple:
        """Return a static tuple with these fields."""
        inner = tuple(fields)
        known = ty or TupleType(tuple(field.ty for field in inner))
        return StaticTuple(known, self._outline(StaticTuple, known, inner), inner)

    def data(
        self,
        ty: Type,
        constructor: Constructor,
        type_args: Sequence[Type],
        fields: Iterable[Static],
    ) -> StaticData:
        """Return a static value of a data type with a known constructor."""
        inner, args = tuple(fields), tuple(type_args)
        outline = self._outline(StaticData, (constructor.name, args, ty), inner)
        return StaticData(ty, outline, constructor, args, inner)

    def closure(
        self,
        function: Function,
        captured: Iterable[Static] = (),
        name: Var | None = None,
        variable: GlobalVar | None = None,
        types: TypeContext = EMPTY,
    ) -> StaticClosure:
        """Return a static function value with its captures."""
        inner, ty = tuple(captured), types(function.type)
        outline = self._outline(StaticClosure, (function, types.key), inner)
        return StaticClosure(ty, outline, function, inner, name, variable, types)

    def cell(self, ty: Type, first: Static) -> StaticCell:
        """Return a new static reference cell with its initial content."""
        number = self._number((Unknown, ty))
        return StaticCell(ty, Outline(number, self.now(), UNKNOWN, 1, True), first)

    def with_parts(self, value: Static, new: Sequence[Static]) -> Static:
        """Return a copy of a value with the parts `new`.

        Returns the same object if no part differs.
        """
        if all(a is b for a, b in zip(parts(value), new, strict=True)):
            return value
        match value:
            case StaticTuple():
                return self.tuple(new)
            case StaticData(ty, _, constructor, type_args):
                return self.data(ty, constructor, type_args, new)
            case StaticClosure(_, _, function, _, name, variable, types):
                return self.closure(function, new, name, variable, types)
            case _:
                raise AssertionError(f"{type(value).__name__} has no parts")

    def _leaf(self, ty: Type) -> Outline:
        return Outline(self._number((Unknown, ty)), self.now(), UNKNOWN, 1, False)

    def _outline(self, kind: type[Static], head: Hashable, inner: _Parts) -> Outline:
        found = [part.outline for part in inner]
        number = self._number((kind, head, *(each.number for each in found)))
        size = min(1 + sum(each.size for each in found), LARGEST)
        width = min(sum(each.width for each in found), LARGEST)
        return Outline(number, self.now(), size, width, any(each.has_cells for each in found))

    def _number(self, key: Hashable) -> int:
        return self._numbers.setdefault(key, len(self._numbers))


_SMALL = 64  # maximum elements of tensors compared by value; larger ones are compared by identity
