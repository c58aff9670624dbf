"""The pass that splits loops into border, interior and border; the interior needs no checks.

A loop is cut where a test inside it changes its value, for all values of the inner loop variables.
In the pieces the test is then constant; a piece of one iteration is no longer a loop, so that its
remaining tests depend on unrolled loops only and become constant when these are copied. Tests that
stay open because of an outer loop (for example, a parallel loop is not cut) are left only in the
copies that need them: unrolled loops are cut as well. A loop of at most one iteration becomes a
branch: LLVM would otherwise compute in front of it what each case of its body needs.
"""

import itertools
from collections.abc import Iterable
from functools import reduce

from relay.kernels.loops import For, If, Kernel, Let, Mode, Stmt
from relay.kernels.passes.affine_arithmetic import ANYTHING, Affine
from relay.kernels.passes.linear_sums import LARGEST_ROOM
from relay.kernels.passes.simplify_scalars import Simplifier
from relay.kernels.passes.tighten_loop_bounds import conjuncts, margin_of
from relay.kernels.passes.traverse_statements import (
    NOTHING,
    Copier,
    declare_loop,
    expressions,
    rebuilt,
    sequence,
    substatements,
)
from relay.kernels.scalar import Binary, Const, Op, Scalar, Select, Var
from relay.kernels.traverse_scalars import walk
from relay.support.node import replace

_COPIES = 32  # the most copies of one statement: three pieces in each of three loops, and some

_REMAINDER = 2  # the most iterations after the first test fails


def partition(kernel: Kernel, simplify: Simplifier) -> Kernel:
    """Return the kernel with its loops cut where that makes a test inside them constant."""
    return replace(kernel, body=_Partitioner(simplify).cut(kernel.body, 1))


class _Partitioner:
    def __init__(self, simplify: Simplifier) -> None:
        self._simplify = simplify
        self._tests: dict[Stmt, dict[Scalar, None]] = {}

    def cut(self, stmt: Stmt, copies: int) -> Stmt:
        """Return a statement with its loops cut; recurses on the depth of loop nests."""
        if isinstance(stmt, For) and stmt.mode is Mode.SERIAL and self._runs_at_most(1, stmt):
            return self.cut(self._once(stmt), copies)
        if isinstance(stmt, For) and stmt.mode in (Mode.SERIAL, Mode.UNROLL):
            made = self._divided(stmt, _COPIES // copies)
            if made:
                if stmt.mode is Mode.SERIAL:  # the other loops are copied anyway
                    copies *= len(made)
                return sequence([self.cut(piece, copies) for piece in made])
        return rebuilt(stmt, lambda part: self.cut(part, copies))

    def _divided(self, loop: For, most: int) -> list[Stmt]:
        """Return the pieces of a loop, at most `most`; empty if the loop stays whole."""
        pieces = self._pieces(loop)
        if 1 < len(pieces) <= most:
            return [self._piece(loop, start, end) for start, end in pieces]
        edge = self._last_full(loop) if most > 1 else None
        if edge is None:
            return []
        end = self._simplify(loop.start + loop.extent)
        return [self._part(loop, loop.start, edge), self._part(loop, edge, end)]

    def _once(self, loop: For) -> Stmt:
        """Return the only iteration of a loop that may have none, as a branch."""
        body = Let(loop.var, loop.start, loop.body)
        return If(self._simplify(_is_positive(loop.extent)), body, NOTHING)

    def _last_full(self, loop: For) -> Scalar | None:
        """Return the index at which the first test inside a loop of dynamic extent may fail.

        The index is before the end, and not before the start; None if there is no such test. All
        tests that fail near the end are left to the loop's second part, whose code is long.
        """
        if isinstance(loop.extent, Const) or self._runs_at_most(_REMAINDER, loop):
            return None  # cutting so few iterations would only repeat their code
        found = (self._edge(loop, test) for test in self._tests_in(loop.body))
        edges = [edge for edge in found if edge is not None]
        return reduce(self._earlier, edges) if edges else None

    def _earlier(self, a: Scalar, b: Scalar) -> Scalar:
        return b if self._never_after(b, a) else a

    def _edge(self, loop: For, test: Scalar) -> Scalar | None:
        """Return the index from which a test may fail; None if it is not certainly in the loop."""
        margin = margin_of(test, self._simplify)
        if margin is None or margin.terms.get(loop.var, 0) >= 0:
            return None
        least = self._least_over_sizes(margin, loop.var)
        if least is None:
            return None
        arithmetic, simplify = self._simplify.arithmetic, self._simplify
        edge = simplify(arithmetic.scalar(least) // -margin.terms[loop.var] + 1)
        if edge is loop.start or not self._never_after(loop.start, edge):
            return None
        return edge if self._never_after(edge, loop.start + loop.extent) else None

    def _never_after(self, first: Scalar, second: Scalar) -> bool:
        """Whether one index is at most another one, for all sizes."""
        arithmetic = self._simplify.arithmetic
        before, after = (arithmetic.affine(self._simplify(each)) for each in (first, second))
        return arithmetic.interval(before.plus(after, -1))[1] <= 0

    def _runs_at_most(self, count: int, loop: For) -> bool:
        """Whether a loop of dynamic extent certainly has at most `count` iterations."""
        if isinstance(loop.extent, Const):
            return False
        arithmetic = self._simplify.arithmetic
        return arithmetic.interval(arithmetic.affine(loop.extent))[1] <= count

    def _least_over_sizes(self, margin: Affine, var: Var) -> Affine | None:
        """Return the least value of a sum over all variables but one, as a sum of sizes."""
        arithmetic = self._simplify.arithmetic
        least = Affine({}, margin.const)
        for atom, factor in margin.terms.items():
            if atom is var:
                continue
            if arithmetic.is_fixed(atom):
                least = least.plus(Affine({atom: factor}, 0))
                continue
            low, high = arithmetic.range_of(atom)
            bound = factor * (low if factor > 0 else high)
            if abs(bound) >= LARGEST_ROOM:
                return None
            least = least.plus(Affine({}, bound))
        return None if least.is_constant else least

    def _part(self, loop: For, start: Scalar, end: Scalar) -> Stmt:
        """Return a copy of a loop from `start` to before `end`, which are expressions."""
        extent = self._simplify(end - start)
        var = Var(loop.var.name)
        declare_loop(self._simplify, var, start, extent)
        body = Copier(self._simplify, {loop.var: var})(loop.body)
        return replace(loop, var=var, start=start, extent=extent, body=body)

    def _piece(self, loop: For, start: int, end: int) -> Stmt:
        """Return a copy of a loop from `start` to before `end`, which are constants."""
        if end - start == 1:
            return Copier(self._simplify, {loop.var: Const(start)})(loop.body)
        var, first, extent = Var(loop.var.name), Const(start), Const(end - start)
        declare_loop(self._simplify, var, first, extent)
        body = Copier(self._simplify, {loop.var: var})(loop.body)
        return replace(loop, var=var, start=first, extent=extent, body=body)

    def _pieces(self, loop: For) -> list[tuple[int, int]]:
        """Return the start and the end of each piece of a loop, in order."""
        match loop:
            case For(start=Const(value=int() as start), extent=Const(value=int() as extent)):
                cuts = self._cuts(loop, start, start + extent)
                edges = [start, *sorted(cuts), start + extent]
                return list(itertools.pairwise(edges))
            case _:
                return []

    def _cuts(self, loop: For, start: int, end: int) -> set[int]:
        """Return the indices at which to cut a loop: the ends of the range with constant tests."""
        lower, upper = start, end
        for test in self._tests_in(loop.body):
            margin = margin_of(test, self._simplify)
            if margin is None or loop.var not in margin.terms:
                continue
            factor = margin.terms[loop.var]
            least, _ = self._rest(margin, loop.var)
            if least <= ANYTHING[0] // 4:
                continue
            if factor > 0 and start < (edge := -(least // factor)) < end:
                lower = max(lower, edge)
            if factor < 0 and start < (edge := least // -factor + 1) < end:
                upper = min(upper, edge)
        return {edge for edge in (lower, upper) if start < edge < end}

    def _rest(self, margin: Affine, var: Var) -> tuple[int, int]:
        without = margin.plus(Affine({var: 1}, 0), -margin.terms[var])
        return self._simplify.arithmetic.interval(without)

    def _tests_in(self, stmt: Stmt) -> dict[Scalar, None]:
        """Return the comparisons in a statement's conditions, each once."""
        found = self._tests.get(stmt)
        if found is None:
            found = dict.fromkeys(_own_tests(stmt))
            for part in substatements(stmt):
                found |= self._tests_in(part)
            self._tests[stmt] = found
        return found


def _own_tests(stmt: Stmt) -> Iterable[Scalar]:
    if isinstance(stmt, If):
        yield from conjuncts(stmt.condition)
    for e in expressions(stmt):
        for part in walk(e):
            if isinstance(part, Select):
                yield from conjuncts(part.condition)


def _is_positive(extent: Scalar) -> Scalar:
    """Return the test `extent > 0`.

    A quotient rounded up minus the same one rounded down is positive if there is a remainder.
    """
    match extent:
        case Binary(
            op=Op.SUB,
            a=Binary(
                op=Op.FLOORDIV, a=Binary(op=Op.ADD, a=whole, b=Const(value=int() as more)), b=by
            ),
            b=Binary(op=Op.FLOORDIV, a=same, b=Const(value=int() as number)),
        ) if same is whole and by is Const(number) and more == number - 1:
            return whole % number > 0
        case _:
            return extent > 0
