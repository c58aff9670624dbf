"""Data with several forms, and variables that a loop gives: `test_everyday.py` asks Python.

What stands here has the value that plain Python and NumPy give, evaluated and compiled.
"""

# fmt: off
# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportGeneralTypeIssues=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportPossiblyUnboundVariable=false, reportReturnType=false, reportRedeclaration=false
# pyright: reportOptionalMemberAccess=false, reportUnusedExpression=false, reportMatchNotExhaustive=false
import numpy as np

from relay.frontend.python import Tensor, data, float32, function, int32
from tests.frontend.python.everyday_cases import Cases, normal, noting

CASES: Cases = []
on = noting(CASES)


@data
class Leaf:
    pass


@data
class Node:
    left: "Tree"
    key: float32
    right: "Tree"


Tree = Leaf | Node
SMALL = Node(Leaf(), 3.0, Node(Leaf(), 4.0, Leaf()))


@on(SMALL, 4.0)
@on(SMALL, 5.0)
@function
def contains(t: Tree, k: float32) -> bool:
    while isinstance(t, Node):
        if t.key == k:
            return True
        t = t.left if k < t.key else t.right
    return False


@on(SMALL)
@function
def total(t: Tree) -> float32:
    if isinstance(t, Leaf):
        return 0.0
    return t.key + total(t.left) + total(t.right)


@on(SMALL)
@function
def depth(t: Tree) -> int32:
    if not isinstance(t, Node):
        return 0
    return 1 + max(depth(t.left), depth(t.right))


@on(SMALL, 3.0)
@on(Leaf(), 3.0)
@function
def root_is(t: Tree, k: float32) -> bool:
    return isinstance(t, Node) and t.key == k


@data
class Circle:
    radius: float32
    weight: float32


@data
class Square:
    side: float32
    weight: float32


Shape = Circle | Square


@on(Circle(1.0, 2.0), Square(3.0, 4.0))
@function
def weights(a: Shape, b: Shape):
    return a.weight * 10 + b.weight


@on(normal(5))
@function
def best_of_three(x: Tensor["n"]):
    return max([x[0], x[1], x[2]], key=lambda v: -v), min((2, 0, 1), key=lambda i: x[i])


@on(normal(5))
@function
def chosen(x: Tensor["n"]):
    y = np.array(x, copy=True)
    y[0] = 7
    return np.select([x < 0.0, x < 1.0], [x, 2 * x]), y, x.astype(np.int32, copy=False)


@on(normal(2, 3))
@function
def items(x: Tensor[2, 3]):
    return x.item(4), x.item(1, 2), x.item((0, 1)), x[:1, :1].item()


@on(normal(5), 1)
@on(normal(5), 9)
@function
def last_of_a_written_list(x: Tensor["n"], n: int):
    for i in [0, 1, 2]:
        if i == n:
            break
    return i


@on(normal(5), 3)
@function
def given_in_each_round(x: Tensor["n"], n: int):
    for i in range(3):
        y = x * i
        pair = y, i
        for j in range(2):
            z = y.sum() + j
            if z > 100:
                break
        w = z + 1
        if i > n:
            continue
    return y, z, w, i, j, pair


@on(normal(5), 3)
@function
def given_before_the_break(x: Tensor["n"], n: int):
    k = 0
    while True:
        y = x[:k]
        k += 1
        if k > n:
            break
    return y, k


@on(normal(5), 2)
@function
def nobody_reads_the_counters(x: Tensor["n"], n: int):
    for _ in range(n):
        for _ in range(2):
            for _ in range(n):
                x = x + 1
    if n > 1:
        t = 1
        y = x * t
    else:
        t = x
        y = t + 1
    return y


@on(normal(5))
@function
def returned_or_given(x: Tensor["n"]) -> float32:
    for _ in range(3):
        s = 0
        for v in x:
            s += v
            if s > 100:
                return s
    return s
