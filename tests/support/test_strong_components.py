"""Groups of nodes that reach each other, in the order in which they depend on each other."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from relay.support.strong_components import strong_components


@st.composite
def graphs(draw: st.DrawFn) -> dict[int, list[int]]:
    count = draw(st.integers(0, 8))
    return {
        node: draw(st.lists(st.integers(0, count), max_size=3))  # `count` itself is unknown
        for node in range(count)
    }


def reached(edges: dict[int, list[int]], start: int) -> set[int]:
    found: set[int] = set()
    stack = [start]
    while stack:
        new = set(edges.get(stack.pop(), ())) - found
        found |= new
        stack += new
    return found


@given(graphs())
def test_nodes_are_in_one_group_if_they_reach_each_other(edges: dict[int, list[int]]):
    groups = strong_components(edges)
    assert sorted(node for group in groups for node in group) == list(edges)
    group_of = {node: index for index, group in enumerate(groups) for node in group}
    for a in edges:
        for b in edges:
            both = a == b or (a in reached(edges, b) and b in reached(edges, a))
            assert (group_of[a] == group_of[b]) == both
            assert b not in reached(edges, a) or group_of[b] <= group_of[a]


def test_long_chains_and_circles():
    count = 50_000
    chain = {node: [node + 1] for node in range(count)}
    assert all(b == a - 1 for (a,), (b,) in pairwise(strong_components(chain)))
    (circle,) = strong_components({node: [(node + 1) % count] for node in range(count)})
    assert len(circle) == count
