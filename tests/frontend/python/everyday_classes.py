"""Classes of data as people write them, with bases and methods of every kind: `test_everyday.py`.

What stands here has the value that plain Python and NumPy give, evaluated and compiled.
"""

# fmt: off
# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportGeneralTypeIssues=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportReturnType=false, reportInvalidTypeForm=false, reportPossiblyUnboundVariable=false
from dataclasses import dataclass, field
from typing import ClassVar, Generic, TypeVar

import numpy as np

from relay.frontend.python import Tensor, data, float32, function, int32
from tests.frontend.python.everyday_cases import Cases, noting

CASES: Cases = []
on = noting(CASES)
T = TypeVar("T")


@data
class Base:
    a: float32
    def twice(self) -> float32:
        return self.a * 2
    def rank(self) -> float32:
        return 1.0


@data
class Longer(Base):
    b: float32 = 4.0
    def rank(self) -> float32:
        return 2.0 + self.b


@data
class Same(Base):
    pass


@on(2.0)
@function
def fields_of_the_base_come_first(x: float32):
    return Longer(x).b + Longer(x, 3.0).b * 10 + Longer(b=x, a=1.0).a * 100


@on(2.0)
@function
def inherited_methods(x: float32):
    return Longer(x).twice() + Same(x).twice() * 10


@on(2.0)
@function
def overridden_methods(x: float32):
    return Longer(x).rank() + Same(x).rank() * 10


@dataclass(frozen=True)
class Frozen:
    a: float32


@data
class Thawed(Frozen):
    b: float32


@on(Thawed(1.0, 2.0))
@function
def base_is_a_frozen_dataclass(x: Thawed):
    return x.a + x.b * 10


@data
class Circle(Same):
    r: float32
    SIDES: ClassVar[int] = 0
    def area(self) -> float32:
        return 3.0 * self.r * self.r
    def scaled(self, k: float32 = 2.0) -> "Shape":
        return Circle(self.a, self.r * k)
    @property
    def width(self) -> float32:
        return self.r * 2


@data
class Square(Same):
    side: float32
    SIDES: ClassVar[int] = 4
    def area(self) -> float32:
        return self.side ** 2
    def scaled(self, k: float32 = 2.0) -> "Shape":
        return Square(side=self.side * k, a=self.a)
    @property
    def width(self) -> float32:
        return self.side


Shape = Circle | Square


@on(Circle(1.0, 2.0))
@on(Square(1.0, 3.0))
@function
def each_form_has_its_own_method(shape: Shape):
    return shape.area() + shape.scaled(3.0).scaled().area() + shape.width + shape.a


@on(Circle(1.0, 2.0))
@on(Square(1.0, 3.0))
@function
def constants_of_classes(shape: Shape):
    return shape.SIDES + Square.SIDES * 10


@on(Circle(1.0, 2.0))
@on(Square(1.0, 3.0))
@function
def instances_of_a_base(shape: Shape):
    return (1.0 if isinstance(shape, Same) else 0.0) + (2.0 if isinstance(shape, Circle) else 0.0)


@data
class Num:
    v: float32
    def value(self, x: float32) -> float32:
        return self.v


@data
class X:
    def value(self, x: float32) -> float32:
        return x


@data
class Add:
    left: "Term"
    right: "Term"
    def value(self, x: float32) -> float32:
        return self.left.value(x) + self.right.value(x)


Term = Num | X | Add


@on(Add(Num(1.0), Add(X(), X())), 3.0)
@function
def methods_call_those_of_other_forms(term: Term, x: float32) -> float32:
    return term.value(x)


@data
class Vec:
    x: float32
    y: float32
    @classmethod
    def zero(cls) -> "Vec":
        return cls(0.0, 0.0)
    @staticmethod
    def of(v: float32, k: float32 = 2.0) -> "Vec":
        return Vec(v, v * k)
    def plus(self, other: "Vec") -> "Vec":
        return Vec(self.x + other.x, self.y + other.y)


@on(2.0)
@function
def methods_of_classes(a: float32):
    other = Vec.of(a, k=3.0).of(a)
    return Vec.zero().x + Vec.of(a).y + other.y * 10 + Vec.plus(other, other).x * 100


@data
class Keyword:
    x: float32 = field(kw_only=True)
    y: float32 = 2.0
    z: Tensor[3] = field(default_factory=lambda: np.ones(3, np.float32))


@on(3.0)
@function
def fields_given_by_name(a: float32):
    return Keyword(a, x=4.0).y + Keyword(x=a).y * 10 + Keyword(x=a).z.sum() * 100


@on(Keyword(3.0, x=1.0))
@function
def patterns_have_the_fields_given_by_place(k: Keyword):
    match k:
        case Keyword(y, x=x):
            return y + x * 10


@data
class Box(Generic[T]):
    v: T
    def get(self) -> T:
        return self.v
    def put(self, v: T) -> "Box[T]":
        return Box(v)


@data
class Numbered(Box[T], Generic[T]):
    n: int32


@on(1.5, 2)
@function
def methods_for_every_type(x: float32, n: int32):
    return Box(x).get() + Box(n).get() + Box(x).put(2.0).get() + Numbered(x, n).get()


ORIGIN = Vec(1.0, 2.0)


@data
class Placed:
    at: Vec = ORIGIN


@on(2.0)
@on(-2.0)
@function
def objects_from_outside(a: float32):
    near = Vec(a, a) if a > 0 else ORIGIN
    return near.x + Placed().at.y * 10 + ORIGIN.plus(near).x * 100


@data
class Dark:
    pass


@data
class Lit:
    light: float32


Lamp = Dark | Lit
NO_LIGHT = Dark()


@on(1.0)
@on(-1.0)
@function
def a_form_from_outside(x: float32):
    lamp = Lit(x) if x > 0 else NO_LIGHT
    match lamp:
        case Lit(light):
            return light
        case Dark():
            return -5.0


@on(1.0)
@function
def a_number_is_no_true(n: float32):
    match n:
        case True:
            return 5.0
        case _:
            return 0.0


@on(0)
@on(1)
@on(-1)
@function
def literals_of_other_kinds(n: int32):
    match n:
        case False:
            return 5
        case None:
            return 7
        case 1.0:
            return 6
        case -1:
            return 8
        case _:
            return 0


@on(True)
@on(False)
@function
def true_and_false_are_all_bools(b: bool):
    match b:
        case True:
            return 5
        case False:
            return 6


@on(True)
@function
def true_equals_one(b: bool):
    match b:
        case 1:
            return 5
        case _:
            return 6


@on(3, True, True)
@on(3, True, False)
@function
def bools_in_tuples(n: int32, x: bool, y: bool):
    match (n, (x, y)):
        case (n, (x, True)):
            return n
        case (_, (x, False)):
            return -1


@on(True, 2)
@on(True, 1)
@on(True, 0)
@on(False, 4)
@function
def bools_and_guards(b: bool, n: int32):
    match (b, n):
        case (True, k) if k > 1:
            return k
        case (True, 0):
            return 8
        case (False, k):
            return -k
        case (True, _) as pair:
            return 9 + pair[1]


@on(np.ones((1, 4), np.float32))
@function
def a_size_that_is_computed(x: Tensor["n", 4]) -> Tensor["2*n", 4]:
    return np.concatenate([x, x])


@on(np.ones((2, 4), np.float32), np.ones((1, 4), np.float32))
@function
def computed_sizes_of_arguments(x: Tensor["2*n", 4], y: Tensor["n", 4]) -> Tensor["n + 1", 4]:
    return np.concatenate([y, np.ones((1, 4), np.float32)]) + x.sum()
