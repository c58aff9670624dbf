"""The static memory plan: no two living storages overlap, and dead ones are used again."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from relay.build.memory_planning import MemoryPlan, plan_memory
from relay.build.straight_line_program import StraightLine, straight_line
from relay.ir.expr import Call, Expr, Function, Tuple, Var
from relay.ir.types import TensorType
from relay.ops.binary import Add
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.transpose import Transpose
from relay.ops.transcendental import Exp
from relay.runtime.program import MemoryRegion
from relay.transform.fuse_operators import FuseOperators
from relay.transform.primitive_function import elementwise_params


def alone(op: Expr, *args: Expr) -> Call:
    """Return a call of a kernel of one operator, so that every value has a storage."""
    params = tuple(Var(f"p{i}", arg.type) for i, arg in enumerate(args))
    return Call(Function(params, Call(op, params), attrs={"Primitive": 1}), args)


def living(line: StraightLine, plan: MemoryPlan) -> list[list[tuple[int, int]]]:
    """Return for each step the arena ranges that must be intact while it runs."""
    uses: dict[int, list[int]] = {}
    ranges: dict[int, tuple[int, int]] = {}
    for index, step in enumerate(line.steps):
        for storage in (*step.reads, *step.writes):
            place = plan[storage]
            if place.region is MemoryRegion.ARENA:
                uses.setdefault(id(storage), []).append(index)
                ranges[id(storage)] = (place.offset, place.offset + storage.nbytes)
    alive: list[list[tuple[int, int]]] = [[] for _ in line.steps]
    for key, (begin, end) in ranges.items():
        for index in range(uses[key][0], uses[key][-1] + 1):
            alive[index].append((begin, end))
    return alive


@st.composite
def programs(draw: st.DrawFn) -> Function:
    """Draw a graph of sums of tensors of various sizes; any value may be read again later."""
    x = Var("x", TensorType((3, 5)))
    values: list[Expr] = [x]
    for _ in range(draw(st.integers(1, 25))):
        a = draw(st.sampled_from(values))
        kind = draw(st.sampled_from(("exp", "add", "turn", "sum")))
        match kind:
            case "add":
                same = [v for v in values if v.ty is a.ty]
                values.append(alone(Add(), a, draw(st.sampled_from(same))))
            case "turn":
                values.append(alone(Transpose(), a))
            case "sum":
                values.append(alone(Sum(axis=(0,), keepdims=True), a))
            case _:
                values.append(alone(Exp(), a))
    results = draw(st.lists(st.sampled_from(values), min_size=1, max_size=3))
    return Function((x,), Tuple(tuple(results)))


@given(programs())
@settings(max_examples=60, deadline=None)
def test_living_storages_do_not_overlap(main: Function):
    line = straight_line(main)
    plan = plan_memory(line)
    for step, ranges in zip(line.steps, living(line, plan), strict=True):
        inherited = {plan[s] for s in step.writes} & {plan[s] for s in step.reads}
        distinct = sorted(set(ranges)) if inherited else sorted(ranges)
        for (_, end), (begin, _) in pairwise(distinct):
            assert end <= begin
        assert all(end <= plan.arena_bytes for _, end in ranges)


def chain(length: int) -> Function:
    x = Var("x", TensorType((1024,)))
    body: Expr = x
    for _ in range(length):
        body = alone(Exp(), body)
    return Function((x,), body)


def test_an_elementwise_chain_works_in_place():
    line = straight_line(chain(50))
    assert plan_memory(line).arena_bytes == 4096


def test_a_chain_that_moves_elements_needs_two_blocks():
    x = Var("x", TensorType((32, 16)))
    body: Expr = x
    for _ in range(50):
        body = alone(Transpose(), body)
    line = straight_line(Function((x,), body))
    assert plan_memory(line).arena_bytes == 2 * 32 * 16 * 4


def test_memory_that_is_free_at_the_end_is_part_of_what_is_added():
    """The sums of columns are dead when a tensor is turned that is larger than they are."""
    x = Var("x", TensorType((32, 16)))
    kept = alone(Exp(), x)
    sums = alone(Sum(axis=(1,)), alone(Sum(axis=(0,), keepdims=True), kept))
    turned = alone(Transpose(), alone(Transpose(), kept))
    line = straight_line(Function((x,), Tuple((sums, turned, alone(Exp(), kept)))))
    assert plan_memory(line).arena_bytes == 2 * 32 * 16 * 4


def test_operand_read_elsewhere_too_is_not_overwritten():
    p = Var("p", TensorType((4, 4)))
    turned = Call(Transpose(), (p,))
    assert elementwise_params(Function((p,), Call(Add(), (p, turned)))) == set()
    assert elementwise_params(Function((p,), Call(Add(), (p, p)))) == {p}


def test_broadcast_operand_is_not_overwritten():
    p, q = Var("p", TensorType((4, 4))), Var("q", TensorType((4,)))
    assert elementwise_params(Function((p, q), Call(Add(), (p, q)))) == {p}


def test_results_are_written_in_place():
    x = Var("x", TensorType((2,)))
    fused = FuseOperators().run(Function((x,), Call(Exp(), (x,))))
    line = straight_line(fused)
    plan = plan_memory(line)
    assert plan[line.results[0]].region is MemoryRegion.OUTPUT
    assert plan.copies == []
    assert plan.arena_bytes == 0
