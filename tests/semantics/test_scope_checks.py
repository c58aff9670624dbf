"""Programs that use what is not there: refused at every door, wherever they come from."""

import numpy as np
import pytest

import relay
from relay.ir.expr import Expr, Function, GlobalVar, Tuple, Var
from relay.ir.module import Module
from relay.ir.types import FuncType, TensorType, TypeVar
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.semantics.scope_checks import scope_errors
from relay.support.errors import RelayError

HEAD = '#[version = "0.0.5"]\n'
THREE = TensorType((3,))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("def @main(%y: int32) { free_var %x: int32; %x + %y }", "T031"),
        ("def @main() { let %f = fn (%x: int32) { %0 = %x + 1; %0 }; %0 }", "T031"),
        ("def @main(%c: (int32, int32)) { match (%c) { (%x, _) => %0 = %x + 1; %0 }; %0 }", "T031"),
        ("def @f(%x: int32) { %0 = %x + 1; %0 } def @main() { %0 }", "T031"),
        ("def @main(%c: bool) { if (%c) { let %x = 1; %0 = %x + 1; %0 } else { %0 } }", "T031"),
        ("def @f[A](%x: A) { %0 = fn (%y: A) { %y }; %0 } def @main() { %0 }", "T038"),
        ("def @main() { fn (%r) { fn [A](%x: A) -> int32 { %r(%x) } } }", "T038"),
        ("def @main() { @nope() }", "T021"),
    ],
)
def test_texts(text: str, code: str):
    with pytest.raises(RelayError, match=code) as caught:
        relay.parse(HEAD + text)
    assert caught.value.span is not None


def test_what_is_shared_stands_where_all_its_uses_see_it():
    module = relay.parse(f"{HEAD}def @f() {{ %0 = 1 + 1; %0 }} def @main(%c: bool) {{ %0 }}")
    assert evaluate(module, np.array(True)) == 2
    text = "def @main(%x: int32) { %0 = %x + 1; if (%x > 1) { %0 } else { %0 * 2 } }"
    assert evaluate(relay.parse(HEAD + text), np.int32(0)) == 2


def built() -> list[tuple[str, Expr]]:
    x, w = Var("x", THREE), Var("w", THREE)
    a = TypeVar("A")
    inner = Function((y := Var("y", a),), y, type_params=(a,))
    return [
        ("T031", Function((x,), relay.add(x, w))),
        ("T021", Function((x,), GlobalVar("nope")(x))),
        ("T030", Function((x, x), x)),
        ("T030", Function((x,), Tuple((Function((w,), w), Function((w,), w))))),
        ("T038", Function((Var("f", FuncType((a,), a)),), inner)),
    ]


@pytest.mark.parametrize(("code", "main"), built())
def test_doors(code: str, main: Expr):
    module = Module.of(main)
    arguments = [np.ones(3, np.float32)] * len(module.main.params)
    with pytest.raises(RelayError, match=code):
        infer(module)
    with pytest.raises(RelayError, match=code):
        evaluate(module, *arguments)
    with pytest.raises(RelayError, match=code):
        relay.compile(module)


def test_functions_may_share_variables():
    """A function that was copied under another name binds the same ones."""
    f = Function((x := Var("x", THREE),), x)
    assert not scope_errors(Module({"main": f, "other": f, "third": Function((x,), Tuple((x, x)))}))
