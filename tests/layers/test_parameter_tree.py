"""Parameter trees: what their tensors are, and functions over them."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from relay import DimVar, TensorType, layers
from relay.layers import Linear, initializers
from relay.support.errors import UsageError


class Pair(NamedTuple):
    a: Any
    b: Any


@dataclass
class Counted:
    table: Any
    seen: Any = layers.buffer()
    name: str = "counted"


def test_leaves_have_paths_and_trees_keep_their_shape() -> None:
    one = np.ones(2)
    tree = {"x": [one, None], "y": Pair(one, 3), "z": Counted(one, Counted(one, one))}
    paths = [leaf.path for leaf in layers.leaves(tree)]
    assert paths == ["x.0", "y.0", "z.table", "z.seen.table", "z.seen.seen"]
    doubled = layers.map_tree(lambda leaf: leaf.value * 2, tree)
    assert isinstance(doubled["y"], Pair)
    assert doubled["y"].b == 3
    assert doubled["z"].name == "counted"
    assert doubled["x"][1] is None
    assert [leaf.is_trained for leaf in layers.leaves(tree)] == [True, True, True, False, False]


def test_integers_are_not_trained() -> None:
    (leaf,) = layers.leaves({"n": np.arange(3)})
    assert not leaf.is_trained


def test_a_function_over_trees_is_compiled_for_one_structure() -> None:
    total = layers.compile_function(
        lambda t: {"sum": t["a"] + t["b"]}, {"a": 0.5 * np.ones(2), "b": np.ones(2)}
    )
    assert total({"a": np.ones(2), "b": np.ones(2)})["sum"].tolist() == [2.0, 2.0]
    with pytest.raises(UsageError, match="the argument has another structure") as caught:
        total({"a": np.ones(2), "c": np.ones(2)})
    assert caught.value.code == "U330"
    assert list(caught.value.notes) == ["missing: 0.b", "not known: 0.c"]


def test_open_sizes_are_those_of_each_call() -> None:
    double = layers.compile_function(lambda x: x * 2.0, TensorType((DimVar("n"),)))
    assert double(np.ones(3, np.float32)).tolist() == [2.0] * 3
    assert double(np.ones(5, np.float32)).shape == (5,)


def test_a_result_needs_a_value() -> None:
    model = Linear(2, 3)
    with pytest.raises(UsageError, match="weight") as caught:
        layers.compile_function(lambda _: model, model)
    assert caught.value.code == "U331"


def test_initializers_have_the_variance_that_they_promise() -> None:
    """Of a weight of fan-in 300 and fan-out 200."""
    ty = TensorType((200, 300))
    tree = {
        "he": layers.Parameter(ty, initializers.he_normal),
        "he_uniform": layers.Parameter(ty, initializers.he_uniform),
        "lecun": layers.Parameter(ty, initializers.lecun_uniform),
        "glorot": layers.Parameter(ty, initializers.glorot_uniform),
        "seven": layers.Parameter(ty, initializers.constant(7)),
    }
    found = layers.initialize(tree, seed=4)
    for name, variance in (
        ("he", 2 / 300),
        ("he_uniform", 2 / 300),
        ("lecun", 1 / 300),
        ("glorot", 2 / 500),
    ):
        assert found[name].var() == pytest.approx(variance, rel=0.03), name
        assert abs(found[name].mean()) < 1e-2 * variance**0.5 * 2
    assert (found["seven"] == 7).all()
    again = layers.initialize(tree, seed=4)
    assert np.array_equal(again["he"], found["he"])
    assert not np.array_equal(layers.initialize(tree, seed=5)["he"], found["he"])
