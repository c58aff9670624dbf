"""Emits the code by which a function computes and checks the sizes of its tensors.

A tensor carries each size that is not static in its type. A dimension name is bound by the first
tensor whose type has it; dimensions computed from names become arithmetic on demand.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from relay.build.code.function_builder import FunctionBuilder
from relay.build.code.program_resources import Resources
from relay.build.size_constraints import Placed
from relay.ir.dims import (
    ANY,
    Broadcast,
    Dim,
    DimVar,
    Equation,
    FloorDiv,
    Maximum,
    Polynomial,
    Symbolic,
    is_natural,
    solve,
    variables,
)
from relay.ir.expr import Expr, Function
from relay.ir.nested_tuples import leaf_types
from relay.ir.types import TensorType, Type, dimensions
from relay.ir.walk import post_order
from relay.opdef.definition import OperatorDef
from relay.opdef.dim_constraints import Relation
from relay.runtime.code.instructions import Registers
from relay.runtime.code.register_kinds import SIZE, Tensor
from relay.runtime.code.size_instructions import (
    OVERFLOWING,
    Arithmetic,
    Compute,
    LoadElement,
    Number,
    Require,
    SizeInstruction,
    SizeOf,
    View,
)
from relay.runtime.code.traps import BAD_SIZE, MISMATCH, NO_MEMORY, misfit
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.support.span import Span

Terms: TypeAlias = tuple[tuple[int, tuple[Dim, ...]], ...]
"""The terms of a polynomial: pairs of a coefficient and its factors."""


class Sizes:
    """An emitter of the instructions that compute sizes, and trap on invalid ones."""

    def __init__(self, builder: FunctionBuilder, resources: Resources) -> None:
        self._builder = builder
        self._resources = resources
        self._span: Span | None = None
        self._name = ""
        self._uncountable = NO_MEMORY
        self._known: dict[DimVar, int] = {}
        self._teachers: dict[DimVar, tuple[int, int]] = {}

    @property
    def names(self) -> frozenset[DimVar]:
        """Return the dimension names that are bound to registers at this point of the function."""
        return frozenset(self._known)

    @contextmanager
    def at(self, span: Span | None, name: str = "") -> Generator[None]:
        """Use a source location for the traps of the instructions emitted inside the block.

        `name` is the variable whose sizes they check, if there is one.
        """
        before = self._span, self._name
        self._span, self._name = span, name
        try:
            yield
        finally:
            self._span, self._name = before

    @contextmanager
    def scope(self) -> Generator[None]:
        """Unbind, at the end of the block, the dimensions bound inside it, such as in a branch."""
        before = dict(self._known)
        yield
        self._known = before

    def give(self, name: DimVar, register: int) -> None:
        """Bind a dimension to the register that holds its size."""
        self._known[name] = register

    def learn(self, *values: tuple[Type, Registers]) -> None:
        """Bind the dimensions in the types of values to the sizes of their tensors."""
        places = (place for value in values for place in _dimensions(*value))
        solve([(dim, (tensor, axis)) for tensor, axis, dim in places], self._known, self._learned)

    def _learned(self, linear: Equation, place: tuple[int, int], known: object) -> int:
        """Bind a dimension to the solution of an equation; return its register."""
        del known
        if linear.is_trivial:
            self._teachers[linear.unknown] = place
        register = self._solved(linear, self._size_of(*place))
        self.give(linear.unknown, register)
        return register

    def _solved(self, linear: Equation, size: int) -> int:
        """Emit code that solves a linear equation at run time; return the result's register."""
        if linear.is_trivial:
            return size
        size = self._compute(Arithmetic.SUBTRACT, size, self.register(linear.rest))
        size = self._compute(Arithmetic.FLOOR_DIVIDE, size, self.register(linear.factor))
        return self._compute(Arithmetic.MAXIMUM, size, self.register(0))

    def read(self, names: Sequence[Dim], vector: int) -> None:
        """Bind dimensions to the elements of an integer tensor; negative elements trap."""
        for index, name in enumerate(names):
            assert isinstance(name, DimVar), "what is read has a name"
            size = self._write(lambda to, index=index: LoadElement(to, vector, index))
            self._require_size(size)
            self.give(name, size)

    def admit(self, ty: Type, registers: Registers) -> None:
        """Bind the dimensions of a value that callers pass; trap if its sizes do not match."""
        self.learn((ty, registers))
        self.check(ty, registers)

    def check(self, ty: Type, registers: Registers, known_as: Type | None = None) -> None:
        """Emit traps unless a value has the sizes of its type, if their dimensions are bound.

        Sizes that `known_as`, the known type of the value, already implies are not checked. Sizes
        with unbound names are skipped, because nothing can depend on them.
        """
        held = _shapes(known_as or ty)
        for (tensor, axis, dim), known in zip(_dimensions(ty, registers), held, strict=True):
            is_new = known_as is None or known is not dim
            if is_new and self._is_known(dim) and self._teacher(dim) != (tensor, axis):
                self._require(self.register(dim), self._size_of(tensor, axis), axis, dim)

    def differ(self, ty: Type, known_as: Type) -> bool:
        """Whether `check` would emit any check."""
        pairs = zip(_shapes(ty), _shapes(known_as), strict=True)
        return any(known is not dim and self._is_known(dim) for dim, known in pairs)

    def _teacher(self, dim: Dim) -> tuple[int, int] | None:
        return self._teachers.get(dim) if isinstance(dim, DimVar) else None

    def _is_known(self, dim: Dim) -> bool:
        return isinstance(dim, Symbolic) and dim is not ANY and variables(dim) <= self.names

    def register(self, dim: Dim) -> int:
        """Emit code that computes a dimension; return its register.

        The recursion is as deep as the dimension's expression. Raises `C115` for a name that no
        tensor binds.
        """
        match dim:
            case int():
                return self._write(lambda to: Number(to, dim))
            case DimVar():
                if dim not in self._known:
                    raise _unknown(dim)
                return self._known[dim]
            case FloorDiv(a, b):
                return self._compute(Arithmetic.FLOOR_DIVIDE, self.register(a), self.register(b))
            case Maximum(a, b):
                return self._compute(Arithmetic.MAXIMUM, self.register(a), self.register(b))
            case Broadcast(sizes):
                first, *rest = map(self.register, reversed(sizes))
                for size in rest:
                    first = self._compute(Arithmetic.UNLESS_ONE, size, first)
                return first
            case Polynomial(terms):
                return self._polynomial(terms)
            case _:
                raise _unknown(dim)

    def test(self, constraints: Iterable[Placed]) -> None:
        """Emit code that traps unless the constraints on sizes hold."""
        self._uncountable = MISMATCH
        for each, span in constraints:
            with self.at(span or self._span):
                left, right = self.register(each.left), self.register(each.right)
                trap, is_least = self._trap(MISMATCH, each.message), Relation.AT_LEAST
                self._builder.emit(Require(left, right, trap, each.relation is is_least))
        self._uncountable = NO_MEMORY

    def count(self, function: Function) -> None:
        """Emit code that traps if an intermediate size of a kernel is invalid."""
        dims = (dim for expr in post_order(function.body) for dim in _sizes_of(expr))
        carried = dimensions(function.body.type)
        for dim in dict.fromkeys(dims):
            if isinstance(dim, Polynomial) and dim not in carried:
                self._require_size(self.register(dim))

    def extents(self, ty: Type) -> Registers:
        """Return registers with the sizes that the tensors of a new value carry, in order."""
        return tuple(
            self._size(dim)
            for leaf in leaf_types(ty)
            if isinstance(leaf, TensorType)
            for dim in leaf.shape
            if not isinstance(dim, int)
        )

    def _size(self, dim: Dim) -> int:
        """Return a register that holds a size; the emitted code traps if it is negative."""
        register = self.register(dim)
        if not is_natural(dim):
            self._require_size(register)
        return register

    def fitted(self, registers: Registers, like: Sequence[object], span: Span | None) -> Registers:
        """Emit conversions of registers to the kinds `like`: sizes become dynamic or static.

        Sizes that become static are checked.
        """
        with self.at(span or self._span, self._name):
            return tuple(self._fitted(*pair) for pair in zip(registers, like, strict=True))

    def _fitted(self, register: int, kind: object) -> int:
        present = self._builder.kind(register)
        if present == kind or not isinstance(present, Tensor) or not isinstance(kind, Tensor):
            return register
        extents: list[int] = []
        for axis, (old, new) in enumerate(zip(present.shape, kind.shape, strict=True)):
            if old is not None and old == new:
                continue
            size = self._size_of(register, axis) if old is None else self.register(old)
            if new is None:
                extents.append(size)
            else:
                self._require(self.register(new), size, axis, new)
        (to,) = self._builder.fresh((kind,))
        self._builder.emit(View(to, register, tuple(extents)))
        return to

    def _polynomial(self, terms: Terms) -> int:
        """Return a register with the sum of the terms; subtracted terms come last."""
        total: int | None = None
        for coefficient, atoms in sorted(terms, key=lambda term: term[0] < 0):
            factors = [self.register(atom) for atom in atoms]
            if abs(coefficient) != 1 or not factors:
                factors.append(self.register(abs(coefficient)))
            term = factors[0]
            for factor in factors[1:]:
                term = self._compute(Arithmetic.MULTIPLY, term, factor)
            if coefficient < 0:
                total = self.register(0) if total is None else total
                total = self._compute(Arithmetic.SUBTRACT, total, term)
            else:
                total = term if total is None else self._compute(Arithmetic.ADD, total, term)
        assert total is not None, "a polynomial has terms"
        return total

    def _require(self, wanted: int, found: int, axis: int, dim: Dim) -> None:
        """Emit code that traps unless an axis has the size `wanted`, the value of `dim`."""
        said = misfit(self._name, axis, "{index}", "{size}", dim)
        self._builder.emit(Require(wanted, found, self._trap(MISMATCH, said)))

    def _require_size(self, register: int) -> None:
        self._builder.emit(Require(register, self.register(0), self._trap(BAD_SIZE), at_least=True))

    def _trap(self, number: int, detail: str = "") -> int:
        return self._resources.trap_at(number, self._span, detail)

    def _size_of(self, tensor: int, axis: int) -> int:
        return self._write(lambda to: SizeOf(to, tensor, axis))

    def _compute(self, operation: Arithmetic, left: int, right: int) -> int:
        trap = self._trap(self._uncountable) if operation in OVERFLOWING else NO_MEMORY
        return self._write(lambda to: Compute(to, operation, left, right, trap))

    def _write(self, instruction: Callable[[int], SizeInstruction]) -> int:
        (to,) = self._builder.fresh((SIZE,))
        self._builder.emit(instruction(to))
        return to


def _dimensions(ty: Type, registers: Registers) -> Iterator[tuple[int, int, Dim]]:
    """Yield the register, axis and dimension of each size of a value's tensors."""
    for leaf, register in zip(leaf_types(ty), registers, strict=True):
        if isinstance(leaf, TensorType):
            for axis, dim in enumerate(leaf.shape):
                yield register, axis, dim


def _shapes(ty: Type) -> Iterator[Dim]:
    """Yield the dimensions of all tensors in a type."""
    return (dim for leaf in leaf_types(ty) if isinstance(leaf, TensorType) for dim in leaf.shape)


def _sizes_of(expr: Expr) -> Iterable[Dim]:
    return () if isinstance(expr, OperatorDef) else dimensions(expr.type)


def _unknown(dim: Dim) -> CompileError:
    return CompileError(
        ErrorCode.C115,
        f"this expression needs the size {dim}, which no tensor in scope has",
        help="pass a tensor that has this size, or give the input shapes as numbers",
    )
