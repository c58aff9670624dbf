"""Data classes, matches and names from outside, as people write them: see `test_everyday.py`.

What stands here has the value that plain Python and NumPy give, evaluated and compiled.
"""

# fmt: off
# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportGeneralTypeIssues=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportPossiblyUnboundVariable=false, reportReturnType=false, reportRedeclaration=false
# pyright: reportOptionalMemberAccess=false, reportUnusedExpression=false, reportMatchNotExhaustive=false
from dataclasses import dataclass

import numpy as np

from relay.frontend.python import Tensor, data, float32, function
from tests.frontend.python.everyday_cases import Cases, normal, noting

CASES: Cases = []
on = noting(CASES)


@data
class Pt:
    x: float32
    y: float32 = 2.0
    def norm(self) -> float32:
        return np.sqrt(self.x ** 2 + self.y ** 2)
    def scaled(self, k: float32 = 2.0) -> "Pt":
        return Pt(self.x * k, self.y * k)
    @property
    def total(self) -> float32:
        return self.x + self.y


@data
class Leaf:
    v: float32


@data
class Node:
    l: "Tree"
    r: "Tree"
    w: float32 = 1.0


Tree = Leaf | Node


@on(3.0)
@function
def dc_default(a: float32):
    p = Pt(a)
    q = Pt(y=1.0, x=a)
    return p.x + p.y * 10 + q.x * q.y


@on(3.0)
@function
def dc_method(a: float32):
    return Pt(a).norm() + Pt(a).scaled().y + Pt(a).scaled(k=3.0).x


@on(3.0)
@function
def dc_property(a: float32):
    return Pt(a).total


@on(Pt(3.0, 4.0))
@function
def dc_arg(p: Pt):
    match p:
        case Pt(x, y) if x > y:
            return x
        case Pt(x=0.0, y=y):
            return y
        case Pt(x, y) as q:
            return q.x + q.y * 100
    return 0.0


@on(Pt(3.0, 4.0))
@on(Pt(5.0, 4.0))
@on(Pt(0.0, 4.0))
@function
def dc_arg2(p: Pt) -> float32:
    match p:
        case Pt(x, y) if x > y:
            return x
        case Pt(x=0.0, y=y):
            return y
        case Pt(x, _):
            return -x


@on(Node(Leaf(1.0), Node(Leaf(2.0), Leaf(3.0))))
@function
def tree_sum(t: Tree) -> float32:
    match t:
        case Leaf(v):
            return v
        case Node(l, r, w):
            return w * (tree_sum(l) + tree_sum(r))


@on(Node(Leaf(1.0), Node(Leaf(2.0), Leaf(3.0))))
@on(Node(Leaf(1.0), Leaf(3.0)))
@on(Node(Leaf(-1.0), Leaf(3.0)))
@on(Leaf(3.0))
@on(Leaf(-3.0))
@function
def tree_shape(t: Tree) -> int:
    match t:
        case Leaf(v) if v < 0:
            return 0
        case Leaf(_):
            return 1
        case Node(Leaf(a), Leaf(b)) if a > 0 and b > 0:
            return 2
        case Node(Leaf(a) | Node(Leaf(a), _), _):
            return 3
        case _:
            return 4


@on(1)
@on(2)
@on(5)
@on(50)
@on(-3)
@function
def match_int(n: int) -> int:
    match n:
        case 1:
            return 10
        case 2 | 3:
            return 20
        case -3:
            return 35
        case k if k > 10:
            return k + 1
        case _:
            return 0


@on(1, 2)
@on(0, 5)
@on(3, 3)
@function
def match_tuple(a: int, b: int):
    match (a, b):
        case (0, y):
            r = y
        case (x, y) if x == y:
            r = -x
        case (1, 2):
            r = 100
        case _:
            r = 7
    return r


G = 2.0


class Config:
    hidden = 4
    scale = 0.5
    names = ["a", "b"]


cfg = Config()


PARAMS = {"w0": normal(3), "w1": normal(3), "n": 2}


@on(normal(3))
@function
def use_cfg(x: Tensor[3]):
    y = x * cfg.scale + cfg.hidden
    for i in range(PARAMS["n"]):
        y = y * 2
    for i in (0, 1):
        y = y + PARAMS[f"w{i}"]
    return y * len(cfg.names)


@dataclass
class Plain:
    k: float = 3.0


plain = Plain()


@on(normal(3))
@function
def use_plain(x: Tensor[3]):
    return x * plain.k
