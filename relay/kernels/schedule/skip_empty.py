"""Skips the loops of a step whose tensors have no elements, by one test around all of them.

The loops around an empty loop do nothing, but they may have so many iterations that they would
practically never end.
"""

from collections.abc import Iterable

from relay.kernels.bounds_checks import BoundsCheck
from relay.kernels.loops import If, Stmt
from relay.kernels.passes.simplify_scalars import Simplifier
from relay.kernels.passes.tighten_loop_bounds import conjunction
from relay.kernels.passes.traverse_statements import NOTHING, expressions, is_nothing, statements
from relay.kernels.scalar import Const, Op, Scalar, binary, lift
from relay.kernels.schedule.stage import Fuse, Split, Stage
from relay.kernels.te.hand_written_loops import HandWritten
from relay.kernels.te.tensor import Axis, Dim
from relay.kernels.traverse_scalars import walk
from relay.support.dtype import bool_


def unless_empty(step: Stage | HandWritten, loops: Stmt, simplify: Simplifier) -> Stmt:
    """Return the loops of a step inside a test of those sizes whose loops may be inner ones.

    1. The outermost loop of a stage needs no test: it ends immediately if it is empty.
    2. Hand-written loops are skipped if none of their outputs has an element, unless they check
       indices, because an index that is out of bounds is an error even then.
    """
    match step:
        case Stage():
            ended = set(_ended_by(step, step.loops[0])) if step.loops else set[Axis]()
            test = _are_positive((a.extent for a in step.axes if a not in ended), simplify)
        case HandWritten(outputs=outputs):
            test = _is_any([_are_positive(shape, simplify) for shape, _ in outputs])
            if _checks_indices(loops):
                return loops
    if is_nothing(loops) or (isinstance(test, Const) and test.value):
        return loops
    return If(test, loops, NOTHING)


def updates_unless_empty(stage: Stage, first: int, loops: Stmt, simplify: Simplifier) -> Stmt:
    """Return the loops of a reduction, of which `first` is the outermost, inside such a test."""
    ended = set(_ended_by(stage, stage.loops[first]))
    sizes = (axis.extent for axis in stage.reduce_axes if axis not in ended)
    test = _are_positive(sizes, simplify)
    if is_nothing(loops) or isinstance(test, Const):
        return loops
    return If(test, loops, NOTHING)


def _ended_by(stage: Stage, loop: Axis) -> Iterable[Axis]:
    """Yield the axes without whose elements a loop has no iterations."""
    yield loop
    for relation in stage.relations:
        match relation:
            case Split(parent=parent, outer=outer) if outer is loop:
                yield from _ended_by(stage, parent)
            case Fuse(fused=fused, outer=outer, inner=inner) if fused is loop:
                yield from _ended_by(stage, outer)
                yield from _ended_by(stage, inner)
            case Split() | Fuse():
                pass


def _are_positive(sizes: Iterable[Dim], simplify: Simplifier) -> Scalar:
    return conjunction([simplify(lift(size) > 0) for size in sizes])


def _is_any(tests: list[Scalar]) -> Scalar:
    found: Scalar = Const(False, bool_)
    for test in tests:
        found = binary(Op.OR, found, test)
    return found


def _checks_indices(loops: Stmt) -> bool:
    inside = (e for stmt in statements(loops) for e in expressions(stmt))
    return any(isinstance(part, BoundsCheck) for e in inside for part in walk(e))
