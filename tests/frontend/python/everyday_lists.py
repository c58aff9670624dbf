"""Lists and tuples as people use them, also as indices: `test_everyday.py` asks Python."""

# fmt: off
# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportIndexIssue=false, reportOperatorIssue=false, reportPossiblyUnboundVariable=false
# pyright: reportReturnType=false
import numpy as np

from relay.frontend.python import Tensor, float32, function, int32
from tests.frontend.python.everyday_cases import Cases, normal, noting

CASES: Cases = []
on = noting(CASES)
PLACE = (1, 0)
ROWS = [1, 0]


@on(normal(3, 2))
@function
def a_tuple_names_one_element(m: Tensor[3, 2]) -> Tensor[3, 2]:
    at = (0, 1)
    m = m.copy()
    m[at] = 9
    m[PLACE] += m[at] + m[2, 1]
    return m


@on(normal(3, 2))
@function
def a_list_names_rows(m: Tensor[3, 2]) -> Tensor[2, 2]:
    rows = [0]
    rows.append(2)
    return m[rows] + m[ROWS] + m[[2] + [0]]


@on(normal(3, 2))
@function
def a_list_of_bools_is_a_mask(m: Tensor[3, 2]) -> float32:
    return (m[[True, False, True]] * 2)[1, 0]


@on(normal(4, 2), 0, 2)
@on(normal(4, 2), 3, 3)
@function
def rows_change_places(m: Tensor["n", 2], i: int32, j: int32) -> Tensor["n", 2]:
    m = m.copy()
    m[[i, j]] = m[[j, i]]
    m[[len(m) - 1, i]] = m[[i, len(m) - 1]]
    return m


@on(np.array([0, 3, 0], np.float32))
@on(np.array([0, 0], np.float32))
@on(np.zeros(0, np.float32))
@function
def where_the_search_ended(x: Tensor["n"]) -> int32:
    for i in range(len(x)):
        if x[i] > 1:
            break
    else:
        return -1
    return i
