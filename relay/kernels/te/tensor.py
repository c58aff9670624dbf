"""Tensors as expressions: a shape, and a scalar expression for the element at each index.

A tensor is compared by identity: two tensors with equal expressions are different tensors.
`compute` is the only constructor that most operators need.
"""

from collections.abc import Callable, Sequence
from enum import Enum
from inspect import Parameter, signature
from typing import TypeAlias

from relay.kernels.scalar import Number, Scalar, Var, cast, lift
from relay.kernels.traverse_scalars import rewrite, substitute, walk
from relay.support.dims.algebra import Symbolic
from relay.support.dtype import DType, int64
from relay.support.dtype import dtype as dtype_of
from relay.support.node import Value, node, value

Dim: TypeAlias = int | Symbolic | Scalar


@node
class Axis(Var):
    """An index variable of a tensor or of a reduction, with values from 0 to `extent - 1`."""

    extent: Dim = 0


@node
class Tensor:
    """The base class of tensors; indexing a tensor returns a scalar expression."""

    name: str
    shape: tuple[Dim, ...]
    dtype: DType

    def __getitem__(self, indices: Number | tuple[Number, ...]) -> Scalar:
        listed = indices if isinstance(indices, tuple) else (indices,)
        assert len(listed) == len(self.shape), f"{self.name} has {len(self.shape)} dimensions"
        return Read(self, tuple(cast(lift(i), int64) for i in listed), self.dtype)

    @property
    def inputs(self) -> "tuple[Tensor, ...]":
        """Return the tensors that this one is computed from, each once."""
        return ()


@node
class Placeholder(Tensor):
    """An input of a kernel; with `indirect_rows`, its rows are stored at unrelated addresses."""

    indirect_rows: bool = False


@node
class View(Tensor):
    """The bytes of a placeholder read as elements of a wider type, along a shorter last axis."""

    source: Placeholder

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """Return the placeholder whose bytes the view reads."""
        return (self.source,)


@node
class Computed(Tensor):
    """A tensor whose element at `axes` is the expression `body`.

    A reduction occurs only at the top of a body.
    """

    axes: tuple[Axis, ...]
    body: Scalar

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """Return the tensors that the body reads, each once, in order of first use."""
        return tensors_read(self.body)

    @property
    def reduce_axes(self) -> tuple[Axis, ...]:
        """Return the axes that the body reduces over; none if the body is not a reduction."""
        return self.body.axes if isinstance(self.body, Reduce) else ()


@value
class Read(Scalar, Value):
    """The read of an element, `tensor[indices]`."""

    tensor: Tensor
    indices: tuple[Scalar, ...]
    dtype: DType

    @property
    def parts(self) -> tuple[Scalar, ...]:
        """Return the indices of the element."""
        return self.indices

    def with_parts(self, parts: Sequence[Scalar]) -> Scalar:
        """Return a read of the same tensor at other indices."""
        return Read(self.tensor, tuple(parts), self.dtype)


class Combiner(Enum):
    """An associative and commutative operation that combines the elements of a reduction."""

    SUM = "sum"
    PROD = "prod"
    MIN = "min"
    MAX = "max"
    ALL = "all"
    ANY = "any"


@value
class Reduce(Scalar, Value):
    """The reduction of `body` by `combiner` over all values of `axes` for which `where` holds.

    Inputs are not read where the predicate does not hold; padding relies on this.
    """

    combiner: Combiner
    body: Scalar
    axes: tuple[Axis, ...]
    where: Scalar
    dtype: DType

    @property
    def parts(self) -> tuple[Scalar, ...]:
        """Return the reduced expression and the predicate."""
        return (self.body, self.where)

    def with_parts(self, parts: Sequence[Scalar]) -> Scalar:
        """Return the same reduction of another expression under another predicate."""
        return Reduce(self.combiner, parts[0], self.axes, parts[1], self.dtype)


@value
class Joint(Scalar, Value):
    """The elements of several tensors at one index; it occurs only at the top of a stage's body."""

    elements: tuple[Scalar, ...]
    dtype: DType

    @property
    def parts(self) -> tuple[Scalar, ...]:
        """Return the element expressions of all tensors."""
        return self.elements

    def with_parts(self, parts: Sequence[Scalar]) -> Scalar:
        """Return other element expressions for the same tensors."""
        return Joint(tuple(parts), self.dtype)


def tensors_read(e: Scalar) -> tuple[Tensor, ...]:
    """Return the tensors that an expression reads, each once, in order of first use."""
    return tuple(dict.fromkeys(part.tensor for part in walk(e) if isinstance(part, Read)))


def renamed(axes: Sequence[Axis]) -> tuple[Axis, ...]:
    """Return fresh axes with the same names and extents."""
    return tuple(Axis(axis.name, int64, axis.extent) for axis in axes)


def placeholder(
    shape: Sequence[Dim], dtype: DType | str, name: str = "x", *, indirect_rows: bool = False
) -> Placeholder:
    """Return a tensor that is an input of a kernel.

    With `indirect_rows`, its rows are stored at unrelated addresses.
    """
    return Placeholder(name, tuple(shape), dtype_of(dtype), indirect_rows)


def compute(shape: Sequence[Dim], body: Callable[..., Scalar], name: str = "compute") -> Computed:
    """Return the tensor whose element at `i, j, …` is `body(i, j, …)`.

    The body may contain reductions anywhere; each one that is not the whole body is hoisted into a
    tensor of its own, whose elements are computed before the rest.

    >>> x = placeholder((4, 3), "float32", "x")
    >>> compute((3, 4), lambda i, j: x[j, i] * 2.0, "twice").dtype
    float32
    """
    extents = tuple(shape)
    names = _index_names(body, len(extents))
    axes = tuple(Axis(n, int64, extent) for n, extent in zip(names, extents, strict=True))
    formula = _hoist_reductions(body(*axes), axes, name)
    return Computed(name, extents, formula.dtype, axes, formula)


def _index_names(body: Callable[..., Scalar], rank: int) -> list[str]:
    parameters = list(signature(body).parameters.values())
    fixed = [p.name for p in parameters if p.kind is not Parameter.VAR_POSITIONAL]
    return [*fixed[:rank], *(f"i{k}" for k in range(len(fixed), rank))]


def _hoist_reductions(formula: Scalar, axes: Sequence[Axis], name: str) -> Scalar:
    """Hoist every reduction inside an expression into a tensor of its own."""
    top = formula
    bound = dict.fromkeys(axes)
    for part in walk(formula):
        if isinstance(part, Reduce):
            bound |= dict.fromkeys(part.axes)

    def hoist(part: Scalar) -> Scalar:
        if not isinstance(part, Reduce):
            return part
        used = set(walk(part)) - set(part.axes)
        free = tuple(axis for axis in bound if axis in used)
        return _tensor_of(part, free, name)[free]

    if isinstance(top, Reduce):
        memo: dict[Scalar, Scalar] = {}
        return top.with_parts([rewrite(part, hoist, memo) for part in top.parts])
    return rewrite(top, hoist, {})


def _tensor_of(reduction: Reduce, free: Sequence[Axis], name: str) -> Computed:
    fresh = renamed(free)
    body = substitute(reduction, dict(zip(free, fresh, strict=True)))
    shape = tuple(axis.extent for axis in fresh)
    return Computed(f"{name}_{reduction.combiner.value}", shape, body.dtype, fresh, body)
