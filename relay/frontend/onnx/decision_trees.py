"""Convert decision trees from ONNX's attributes to the tables of the operator `tree_leaves`.

A node compares one feature of a row. All comparisons become `x <= limit`, as follows:

1. `x < v` is `x <= p`, where `p` is the float before `v`; negations swap the branches.
2. `x == v` is `x <= v` and not `x <= p`; membership tests one element after the other.
3. A missing value (NaN) goes left or right, as each node specifies.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from relay.ir.expr import Array
from relay.support.dtype import DType

Place = int
"""The target of a branch: the index of a comparison, or `-1 - leaf`."""


class Question(NamedTuple):
    """A node of a decision tree: a comparison of one feature with values, and the node to go to."""

    feature: int
    mode: str
    values: Sequence[float]
    tracks_missing: bool
    true: Place
    false: Place


@dataclass(frozen=True)
class Forest:
    """Decision trees: their nodes, their roots, and for each leaf its weight for each target."""

    questions: list[Question]
    roots: list[Place]
    leaves: list[dict[int, float]]

    def weights(self, targets: int, absent: float = 0.0) -> Array:
        """Return the weight of each leaf for each target; `absent` where a leaf has none."""
        found = np.full((len(self.leaves), targets), absent)
        for row, leaf in zip(found, self.leaves, strict=True):
            for target, weight in leaf.items():
                row[target] = weight
        return found

    def tables(self, dtype: DType) -> list[Array]:
        """Return the tables: features, limits, branches of missing values, children, and roots."""
        nodes = _Nodes(dtype, len(self.questions))
        for place, question in enumerate(self.questions):
            nodes.ask(place, question)
        rows = [each for each in nodes.rows if each is not None]
        assert len(rows) == len(nodes.rows), "every node asks something"
        features, limits, missing, *ways = zip(*rows, strict=True) if rows else [()] * 5
        return [
            np.array(features, np.int32),
            np.array(limits, dtype.numpy),
            np.array(missing, np.bool_),
            np.array(ways, np.int32).T.reshape(-1, 2),
            np.array(self.roots, np.int32),
        ]


class _Row(NamedTuple):
    feature: int
    limit: float
    missing_goes_left: bool
    left: Place
    right: Place


class _Nodes:
    """A builder of table nodes: one for each comparison, with additional nodes at the end."""

    def __init__(self, dtype: DType, count: int) -> None:
        self._type = dtype.numpy.type
        self.rows: list[_Row | None] = [None] * count

    def ask(self, at: Place, question: Question) -> None:
        """Add the nodes for a comparison, the first of which has index `at`."""
        feature, mode, values, missing, true, false = question
        value = float(self._type(values[0])) if values else np.nan
        match mode:
            case "BRANCH_LEQ":
                self.rows[at] = _Row(feature, value, missing, true, false)
            case "BRANCH_LT":
                self.rows[at] = _Row(feature, self._before(value), missing, true, false)
            case "BRANCH_GTE":
                self.rows[at] = _Row(feature, self._before(value), not missing, false, true)
            case "BRANCH_GT":
                self.rows[at] = _Row(feature, value, not missing, false, true)
            case "BRANCH_NEQ":
                second = self._added(_Row(feature, self._before(value), False, true, false))
                self.rows[at] = _Row(feature, value, False, second, true)
            case _:
                self._member(at, question)

    def _member(self, at: Place, question: Question) -> None:
        """Add a membership test: one comparison for each element; an equality test has one."""
        feature, _, values, missing, true, false = question
        self.rows[at] = _Row(feature, np.nan, missing, true, false)
        for number, value in enumerate(values):
            is_last = number == len(values) - 1
            following = false if is_last else self._added(None)
            exact = float(self._type(value))
            second = self._added(_Row(feature, self._before(exact), False, following, true))
            self.rows[at] = _Row(feature, exact, missing, second, following)
            at = following

    def _added(self, row: _Row | None) -> Place:
        self.rows.append(row)
        return len(self.rows) - 1

    def _before(self, value: float) -> float:
        return float(np.nextafter(self._type(value), self._type(-np.inf)))
