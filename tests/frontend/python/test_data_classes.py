"""Classes that `relay.data` refuses: their objects would be other ones than Python's."""

# pyright: basic, reportMatchNotExhaustive=false, reportCallIssue=false

import dataclasses
from dataclasses import InitVar, dataclass, field
from typing import Any

import numpy as np
import pytest

import relay
from relay.frontend.python import Tensor, data, float32, function, int32
from relay.support.errors import RelayError


@data
class Base:
    x: float32

    def rank(self) -> float32:
        return 1.0


@data
class Derived(Base):
    def rank(self) -> float32:
        return 2.0


class Undecorated(Base):
    def __post_init__(self):
        object.__setattr__(self, "x", -self.x)


@data
class Form:
    x: float32


@data
class OfForm(Form):
    pass


Both = Form | OfForm


def refused(make, *, code: str = "F136") -> RelayError:
    with pytest.raises(RelayError) as caught:
        make()
    assert caught.value.code == code
    assert caught.value.help
    return caught.value


class PostInit:
    x: float32

    def __post_init__(self):
        object.__setattr__(self, "x", abs(self.x))


class OwnInit:
    x: float32

    def __init__(self, x):
        object.__setattr__(self, "x", x * 2)


class OwnNew:
    x: float32

    def __new__(cls, _x):
        return object.__new__(cls)


class WithInitVar:
    x: float32
    factor: InitVar[float32]


class NotTaken:
    x: float32
    y: float32 = field(default=3.0, init=False)


class DefaultFirst:
    x: float32 = 1.0
    y: float32


@dataclass
class Changing:
    x: float32


class OfChanging(Changing):
    y: float32


@pytest.mark.parametrize(
    "cls", [PostInit, OwnInit, OwnNew, WithInitVar, NotTaken, DefaultFirst, OfChanging]
)
def test_it_is_refused_where_it_is_declared(cls):
    assert cls.__name__ in refused(lambda: data(cls)).message


class SharedDefault:
    x: Tensor[3] = np.zeros(3, np.float32)


class NumberFirst:
    x: float32 = 1.0
    y: float32


class AlsoOfChanging(Changing):
    y: float32


class Untyped:
    x = field(default=1.0)


@pytest.mark.parametrize(
    ("cls", "advice"),
    [
        (SharedDefault, "default_factory"),
        (NumberFirst, "the fields that have defaults last"),
        (AlsoOfChanging, "above the base classes"),
        (Untyped, "give every field a type"),
    ],
)
def test_what_python_refuses_is_advised(cls, advice):
    assert advice in str(refused(lambda: data(cls)).help)


def test_what_is_no_class():
    number: Any = 3
    assert refused(lambda: data(number)).message == "@relay.data expects a class, not 3"


def test_a_class_that_inherits_without_the_decorator_is_one_of_python():
    @function
    def made(x: float32) -> float32:
        return Undecorated(x).x

    assert made(1.0) == 1.0


def test_no_form_of_a_union_inherits_from_another():
    @function
    def rank(x: Both) -> float32:
        match x:
            case Form(a):
                return a

    message = refused(lambda: rank(Form(1.0)), code="F106").message
    assert "both the class OfForm and its base class Form" in message


def test_an_object_of_a_derived_class_is_no_object_of_the_base():
    @function
    def rank(x: Base) -> float32:
        return x.rank()

    assert rank(Base(1.0)) == 1.0
    refused(lambda: rank(Derived(1.0)), code="F140")
    refused(lambda: relay.compile(rank)(Derived(1.0)), code="R051")


def test_fields_by_name_only_have_no_place():
    @data
    class Keyword:
        x: float32 = field(kw_only=True)

    @function
    def made(x: float32) -> float32:
        return Keyword(x).x

    assert "positional argument" in refused(lambda: made(1.0), code="F118").message
    assert dataclasses.fields(Keyword)[0].kw_only


def test_parameters_by_name_only_have_no_place():
    @function
    def by_name(x: float32, *, k: float32 = 1.0) -> float32:
        return x * k

    @function
    def call(x: float32) -> float32:
        return by_name(x, 2.0)

    refused(lambda: call(1.0), code="F118")


def test_errors_of_fields_name_them():
    @data
    class Counted:
        size: float32
        words: Tensor[3]

    @data
    class Listed:
        size: float32
        words: list[float]

    @function
    def count(x: float32):
        return Counted(x, x)

    @function
    def size_of(given: Listed):
        return given.size

    found = refused(lambda: count.module, code="F111")
    assert "Tensor[(3,), float32] for the field words of Counted, found float32" in found.message
    found = refused(lambda: size_of.module, code="F105")
    assert "list[float]" in found.message
    assert found.notes == ("this is the annotation of the field words of Listed",)


@pytest.mark.parametrize("size", ["2n", "n/2", "", "f(n)", "-n"])
def test_what_is_no_size(size):
    assert "2 * n" in str(refused(lambda: Tensor[size, 4], code="F105").help)


def test_the_missing_case_of_bools_is_shown():
    @function
    def half(n: int32, x: bool) -> int32:
        match (n, x):
            case (n, True):
                return n

    assert (
        refused(lambda: half(1, True), code="F125").message
        == "no case of this match accepts the value (_, False)"
    )


def test_a_name_inside_of_a_pattern_with_literals_is_refused():
    @function
    def named(b: bool, n: int32) -> int32:
        match (b, n):
            case (True as c, k):
                return k if c else n
            case (False, k):
                return -k

    refused(lambda: named(True, 1), code="F124")


def test_a_lambda_that_calls_itself():
    @function
    def factorial(n: int32) -> int32:
        f = lambda k: 1 if k <= 1 else k * f(k - 1)  # noqa: E731 - that is what is refused
        return f(n)

    assert "def f(" in str(refused(lambda: factorial(3), code="F103").help)


ZEROS = np.zeros(3, np.float32)


@data
class Holder:
    w: Tensor[3] = field(default_factory=lambda: ZEROS)

    def array(self) -> Tensor[3]:
        return self.w


HELD = Holder(ZEROS)


@function
def field_of_what_may_be_from_outside(n: float32) -> float32:
    held = HELD if n > 0 else Holder(np.ones(3, np.float32))
    array = held.w
    array[0] = n
    return array[0] + HELD.w[0]


@function
def result_of_a_method(n: float32) -> float32:
    array = HELD.array()
    array[0] = n
    return array[0] + HELD.w[0]


@function
def default_of_a_field(n: float32) -> float32:
    array = Holder().w
    array[0] = n
    return ZEROS[0]


@pytest.mark.parametrize(
    "writes", [field_of_what_may_be_from_outside, result_of_a_method, default_of_a_field]
)
def test_arrays_of_objects_from_outside_are_not_written_to(writes):
    assert "cannot be changed here" in refused(lambda: writes(2.0), code="F116").message


@data
class Scaled:
    x: float32

    def scaled(self) -> float32:
        return self.x * 2.0

    @property
    def half(self) -> float32:
        return self.x / 2.0


@function
def of_scaled(x: float32) -> float32:
    return Scaled(x).scaled() + Scaled(x).half


def test_a_method_that_is_replaced_is_seen(monkeypatch: pytest.MonkeyPatch):
    def scaled(self: Scaled) -> float32:
        return self.x * 3.0

    assert of_scaled(1.0) == of_scaled.python(1.0) == 2.5
    monkeypatch.setattr(Scaled, "scaled", scaled)
    assert of_scaled(1.0) == of_scaled.python(1.0) == 3.5
    monkeypatch.setattr(Scaled, "half", property(scaled))
    assert of_scaled(1.0) == of_scaled.python(1.0) == 6.0
