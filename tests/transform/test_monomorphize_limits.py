"""Deep and large generic programs, and those that no choice of types makes an end of."""

import pytest

from relay.ir.expr import Call, Expr, Function, Let, Var
from relay.ir.module import Module
from relay.ir.types import TypeVar, scalar_type
from relay.ir.walk import post_order
from relay.support.errors import CompileError
from relay.transform.monomorphize import Monomorphize
from tests.transform.test_monomorphize import is_closed, read


@pytest.mark.parametrize("kind", ["chain", "lets"])
def test_deep_programs(kind: str) -> None:
    a = TypeVar("A")
    x = Var("x", a)
    same = Function((x,), x, a, (a,))
    f = Var("f", same.type)
    number = Var("n", scalar_type("int32"))
    body: Expr = number
    lets: list[tuple[Var, Expr]] = []
    for _ in range(5_000):
        body = Call(f, (body,), (number.type,))
        if kind == "lets":
            lets.append((Var("v", number.type), body))
            body = lets[-1][0]
    for var, value in reversed(lets):
        body = Let(var, value, body)
    result = Monomorphize()(Module.of(Function((number,), Let(f, same, body))))
    order = post_order(result.main)
    assert len(order) < 25_000
    assert all(expr.ty is None or is_closed(expr.ty) for expr in order)


def test_types_that_share_their_parts() -> None:
    """The type of the value below has 2**98 parts, 98 of them different."""
    pairs = "".join(f"let %p{i + 1} = (%p{i}, %p{i});" for i in range(98))
    text = f"""
    def @id[A](%x: A) -> A {{ %x }}
    def @main(%p0: int32) {{ {pairs} let %q = @id(%p98); %p0 }}
    """
    result = Monomorphize()(read(text))
    assert [*result.functions] == ["id", "main"]


GROWING = {
    "@nested": """
    def @nested[A](%n: int32, %x: A) -> int32 {
      if (%n == 0) { 0 } else { @nested(%n - 1, (%x, %x)) }
    }
    def @main(%n: int32) { @nested(%n, True) }""",
    "@b": """
    def @a[A](%n: int32, %x: A) -> int32 { if (%n == 0) { 0 } else { @b(%n, (%x, 1)) } }
    def @b[A](%n: int32, %x: A) -> int32 { @a(%n - 1, ref(%x)) }
    def @main(%n: int32) { @b(%n, True) }""",
    "%nested": """
    def @main(%n: int32) {
      let %nested = fn [A](%n: int32, %x: A) -> int32 {
        if (%n == 0) { 0 } else { %nested(%n - 1, (%x, %x)) }
      };
      %nested(%n, True)
    }""",
    "Nest": """
    type Nest[A] { Flat, Deep(A, Nest[(A, A)]), }
    def @main(%n: int32) -> Nest[int32] { Deep(%n, Flat) }""",
}


@pytest.mark.parametrize("name", GROWING)
def test_no_end_of_choices(name: str) -> None:
    with pytest.raises(CompileError, match=f"{name} is used with more than 50") as caught:
        Monomorphize(limit=50)(read(GROWING[name]))
    assert caught.value.code == "C111"
    assert caught.value.span is not None


@pytest.mark.parametrize("name", GROWING)
def test_types_without_end(name: str) -> None:
    """Types become too deep for any program before there are too many choices."""
    with pytest.raises(CompileError, match="nested more than 100 deep") as caught:
        Monomorphize()(read(GROWING[name]))
    assert caught.value.code == "C111"
    assert caught.value.span is not None


GENERIC = {
    "the entry @main": "def @main[A](%x: A) -> A { %x }",
    "%f": "def @main(%f: fn [A](A) -> A) { (%f(1), %f(True)) }",
    "%turn, which calls itself at other types,": """
    def @main(%n: int32) {
      let %turn = fn [A, B](%x: A, %y: B, %n: int32) -> int32 {
        if (%n == 0) { 0 } else { %turn(%y, %x, %n - 1) }
      };
      %turn(True, 1, %n)
    }""",
}


@pytest.mark.parametrize("what", GENERIC)
def test_values_that_stay_generic(what: str) -> None:
    message = f"the type arguments with which {what} is used cannot be inferred"
    with pytest.raises(CompileError, match=message) as caught:
        Monomorphize()(read(GENERIC[what]))
    assert caught.value.code == "C112"
    assert caught.value.span is not None
    assert ("with `def`, and let what it captures" in str(caught.value)) == what.startswith("%turn")
