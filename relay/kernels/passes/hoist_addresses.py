"""The pass that hoists address computations out of unrolled loops.

Without it, every copy of an unrolled body would compute its addresses from scratch. The machine
code is the same, but LLVM would take twice as long to produce it.
"""

from relay.kernels.loops import Buffer, For, Kernel, Let, Load, MemoryScope, Mode, Stmt, Store
from relay.kernels.passes.affine_arithmetic import Affine
from relay.kernels.passes.flat_indices import flat_place
from relay.kernels.passes.simplify_scalars import Simplifier
from relay.kernels.passes.traverse_statements import map_scalars, rebuilt, statements
from relay.kernels.scalar import Compare, Const, Ramp, Scalar, Var
from relay.kernels.traverse_scalars import rewrite, walk
from relay.support.dtype import int64
from relay.support.node import replace


def hoist(kernel: Kernel, simplify: Simplifier) -> Kernel:
    """Return the kernel with the invariant parts of addresses bound outside unrolled loops."""
    return replace(kernel, body=_hoisted(kernel.body, simplify))


def _hoisted(stmt: Stmt, simplify: Simplifier) -> Stmt:
    """Hoist addresses out of the outermost unrolled loops; recurses on the depth of loop nests."""
    if isinstance(stmt, For) and stmt.mode is Mode.UNROLL:
        return _Hoister(stmt, simplify).result()
    return rebuilt(stmt, lambda part: _hoisted(part, simplify))


class _Hoister:
    """A rewriter of the addresses in one nest of unrolled loops."""

    def __init__(self, loop: For, simplify: Simplifier) -> None:
        self._loop = loop
        self._arithmetic = simplify.arithmetic
        bound = (one.var for one in statements(loop) if isinstance(one, For | Let))
        self._inside: set[Scalar] = set(bound)
        self._fixed: dict[Scalar, Var] = {}
        self._memo: dict[Scalar, Scalar] = {}

    def result(self) -> Stmt:
        """Return the loop inside the bindings of the shared parts of its addresses."""
        stmt = map_scalars(self._loop, self._scalar, self._store)
        for value, var in reversed(self._fixed.items()):
            stmt = Let(var, value, stmt)
        return stmt

    def _scalar(self, e: Scalar) -> Scalar:
        return rewrite(e, self._access, self._memo)

    def _access(self, e: Scalar) -> Scalar:
        match e:
            case Load():
                return Load(e.buffer, self._place(e.buffer, e.indices), e.mask)
            case Compare(a=a, b=b) if a.dtype is int64:
                return Compare(e.order, self._number(a), self._number(b))
            case _:
                return e

    def _number(self, e: Scalar) -> Scalar:
        split = self._split(self._arithmetic.affine(e))
        return e if split is None else split

    def _store(self, stmt: Store) -> Store:
        return replace(stmt, indices=self._place(stmt.buffer, stmt.indices))

    def _place(self, buffer: Buffer, indices: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
        """Return an access as a flat index: an invariant variable plus a varying part."""
        if buffer.scope is MemoryScope.REGISTER:
            return indices
        place = flat_place(buffer, indices, self._arithmetic)
        if place is None or place.step is None:
            return indices
        flat = self._split(place.first)
        if flat is None:
            return indices
        last = Ramp(flat, Const(place.step), place.lanes) if place.lanes > 1 else flat
        return (*(Const(0) for _ in indices[1:]), last)

    def _split(self, total: Affine) -> Scalar | None:
        """Return a sum whose loop-invariant part is one variable; None if it has no such part."""
        moving = {v: k for v, k in total.terms.items() if self._moves(v)}
        fixed = {v: k for v, k in total.terms.items() if v not in moving}
        if not fixed:
            return None
        base = self._arithmetic.scalar(Affine(fixed, 0))
        var = self._fixed.setdefault(base, Var("base"))
        return self._arithmetic.scalar(Affine({var: 1, **moving}, total.const))

    def _moves(self, atom: Scalar) -> bool:
        return isinstance(atom, Load) or any(part in self._inside for part in walk(atom))
