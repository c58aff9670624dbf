"""Derivatives by their classic names."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay
from relay.ir.module import Module
from relay.semantics.evaluate import evaluate
from relay.support.errors import DifferentiationError

MAYBE = '#[version = "0.0.5"]\ntype Maybe[A] { Some(A), No }\n'
SAVED = Path(__file__).parents[1] / "frontend/classic_json"
X, Y = np.array([0.5, -1.0, 2.0]), np.array([1.5, 2.0, -0.5])


def _function(body: str, params: str = "%x: Tensor[(3), float64], %y: Tensor[(3), float64]") -> Any:
    module = relay.parse(f'#[version = "0.0.5"]\ndef @main({params}) {{ {body} }}')
    return relay.transform.InferType()(module)["main"]


def _values(function: Any, *args: Any) -> Any:
    return evaluate(Module.of(function), *args)


@pytest.mark.parametrize("mode", ["first_order", "higher_order"])
def test_a_gradient_returns_the_result_and_one_for_each_parameter(mode: str) -> None:
    derived = relay.transform.gradient(_function("sin(%x) * %x"), mode=mode)
    result, (by_x, by_y) = _values(derived, X, Y)
    np.testing.assert_allclose(result, np.sin(X) * X)
    np.testing.assert_allclose(by_x, np.cos(X) * X + np.sin(X))
    np.testing.assert_array_equal(by_y, np.zeros(3))


@pytest.mark.parametrize("result", ["%id", "Some", "(%x, Some)"])
def test_generic_functions_as_results_are_refused(result: str) -> None:
    text = f"def @main(%x: float32) {{ let %id = fn [A](%y: A) -> A {{ %y }}; {result} }}"
    module = relay.parse(MAYBE + text)
    with pytest.raises(DifferentiationError, match=r"D004.*a function as an argument or result"):
        relay.transform.FirstOrderGradient()(module)


def test_a_program_is_a_function_or_its_name() -> None:
    mod = relay.IRModule(relay.parse(f"{MAYBE}def @main(%x: float64) {{ %x * %x }}"))
    gradient: Any = relay.transform.gradient
    for around in (mod, None):
        with pytest.raises(DifferentiationError, match=r"D004.*not a function \(Constructor\)"):
            gradient(mod.module.types["Maybe"].constructors[0], around)
        with pytest.raises(relay.RelayError, match="T007"):
            gradient(5, around)
    assert _values(gradient(mod.get_global_var("main"), mod), 3.0) == (9.0, (6.0,))


def test_the_modes_differ_for_tuples() -> None:
    """All outputs count in first order, the first one in higher order."""
    function = _function("(%x * %y, exp(%x))")
    _, (every, _) = _values(relay.transform.gradient(function, mode="first_order"), X, Y)
    _, (first, _) = _values(relay.transform.gradient(function), X, Y)
    np.testing.assert_allclose(every, Y + np.exp(X))
    np.testing.assert_allclose(first, Y)


def test_higher_order_differentiates_what_it_returned() -> None:
    function = _function("%x * %x * %x", "%x: float64")
    once = relay.transform.gradient(function)
    twice = relay.transform.gradient(relay.Function(once.params, once.body[1][0]))
    assert _values(twice, 2.0) == (12.0, (12.0,))


@pytest.mark.parametrize("mode", ["first_order", "higher_order"])
def test_a_checkpoint_needs_no_module(mode: str) -> None:
    function = _function("annotation.checkpoint(exp(sin(%x))) * %y")
    _, (by_x, by_y) = _values(relay.transform.gradient(function, mode=mode), X, Y)
    np.testing.assert_allclose(by_x, np.exp(np.sin(X)) * np.cos(X) * Y)
    np.testing.assert_allclose(by_y, np.exp(np.sin(X)))


def test_integers_have_zeros() -> None:
    derived = relay.transform.gradient(_function("%x * 2f64", "%x: float64, %k: int32"))
    assert _values(derived, 1.0, np.array(3, np.int32))[1] == (2.0, 0)


def test_first_order_gradient_differentiates_every_function() -> None:
    module = relay.parse("""#[version = "0.0.5"]
        def @square(%x: float64) -> float64 { %x * %x }
        def @main(%x: float64) -> float64 { sin(%x) }""")
    derived = relay.transform.FirstOrderGradient()(module)
    assert evaluate(derived, 3.0, entry="square") == (9.0, (6.0,))
    assert evaluate(derived, 0.0) == (0.0, (1.0,))


def test_other_modes_and_modules_in_first_order_are_refused() -> None:
    for arguments, advice in (
        ({"mode": "reverse"}, 'mode="higher_order"'),
        ({"mod": Module({}), "mode": "first_order"}, "FirstOrderGradient"),
    ):
        with pytest.raises(DifferentiationError, match=advice) as caught:
            relay.transform.gradient(_function("%x"), **arguments)
        assert caught.value.code == "D006"


CONTROL = {
    "let": ("let %a = sin(%x); let %b = %a * %x; %b * %a", lambda x: np.sin(x) ** 2 * x),
    "if": ("if (%x > 0f64) { sin(%x) } else { %x * %x }", lambda x: np.sin(x) if x > 0 else x * x),
    "closure": (
        """let %scale = fn (%z: float64) { sin(%z) * %x };
           let %f = if (%x > 1f64) { %scale } else { fn (%z: float64) { %z * 2f64 } };
           %f(%x) + %scale(%x * %x)""",
        lambda x: (np.sin(x) * x if x > 1 else x * 2) + np.sin(x * x) * x,
    ),
    "data type": (
        "match (More(%x, More(%x * %x, End))) { More(%a, %l) => %a * @total(%l), End => 0f64 }",
        lambda x: x * x * x,
    ),
    "recursion": (
        """let %power = fn (%n: int32, %y: float64) -> float64 {
             if (%n == 0) { %y } else { %power(%n - 1, %y * %x) } };
           %power(3, sin(%x))""",
        lambda x: np.sin(x) * x**3,
    ),
    "generic data type": (
        "match (Cons(%x, Cons(sin(%x), Nil))) { Cons(%a, Cons(%b, _)) => %a * %b, _ => %x }",
        lambda x: np.sin(x) * x,
    ),
    "split": (
        """let %p = split(stack((%x, %x * %x), axis=0), indices_or_sections=2);
           sum(%p.0 * sin(%p.1))""",
        lambda x: x * np.sin(x * x),
    ),
    "reference": (
        """let %r = ref(%x);
           ref_write(%r, ref_read(%r) * %x);
           ref_write(%r, sin(ref_read(%r)));
           ref_read(%r) * %x""",
        lambda x: np.sin(x * x) * x,
    ),
}


@pytest.mark.parametrize("name", CONTROL)
def test_every_construct(name: str) -> None:
    """Further functions are added to a module; a function without one is differentiated alone."""
    body, value = CONTROL[name]
    text = f"""#[version = "0.0.5"]
    type List[A] {{ Cons(A, List[A]), Nil }}
    type Numbers {{ More(float64, Numbers), End }}
    def @total(%l: Numbers) -> float64 {{
      match (%l) {{ More(%x, %rest) => %x + @total(%rest), End => 0f64 }}
    }}
    def @main(%x: float64) -> float64 {{ {body} }}"""
    mod = relay.transform.InferType()(relay.IRModule(relay.parse(text)))
    count = len(mod.functions)
    mod["derived"] = relay.transform.gradient(mod["main"], mod)
    if name in {"let", "reference"}:
        assert len(mod.functions) == count + 1
    if name != "data type":
        mod["alone"] = relay.transform.gradient(mod["main"])
        mod["first"] = relay.transform.gradient(mod["main"], mode="first_order")
    for entry in {"derived", "alone", "first"} & {each.name_hint for each in mod.functions}:
        for x in (0.7, 1.3):
            found: Any = evaluate(mod, x, entry=entry)
            slope = (value(x + 1e-6) - value(x - 1e-6)) / 2e-6
            np.testing.assert_allclose((found[0], found[1][0]), (value(x), slope), rtol=1e-6)


def test_a_function_alone_is_differentiated_twice() -> None:
    once = relay.transform.gradient(
        _function("if (%x > 0f64) { %x * %x * %x } else { %x }", "%x: float64")
    )
    x = relay.var("x", "float64")
    slope = relay.Function((x,), relay.Call(once, (x,))[1][0])
    twice = relay.compile(Module.of(relay.transform.gradient(slope)))
    assert twice(2.0) == (12.0, (12.0,))


def test_parameters_of_all_types() -> None:
    function = _function(
        "if (%n > 0) { %p.0 * %p.1 } else { %p.0 }", "%p: (float64, float64), %n: int32"
    )
    result = _values(relay.transform.gradient(function), (2.0, 3.0), np.int32(1))
    assert result == (6.0, ((3.0, 2.0), 0))


NEEDS_MODULE = {
    "Numbers contains floats": "match (More(%x, End)) { More(%a, _) => %a * %a, End => %x }",
    "it calls @power": "@power(%x, 2)",
    "it calls @total, @power": "@power(@total(More(%x, End)), 2)",
}


@pytest.mark.parametrize(("reason", "body"), NEEDS_MODULE.items(), ids=NEEDS_MODULE)
def test_definitions_of_a_module_are_differentiated_in_one(reason: str, body: str) -> None:
    """Without a module that can be changed, the error says what to call, and that works."""
    module = relay.transform.InferType()(
        relay.parse(f"""#[version = "0.0.5"]
        type Numbers {{ More(float64, Numbers), End }}
        def @total(%l: Numbers) -> float64 {{
          match (%l) {{ More(%x, %rest) => %x + @total(%rest), End => 0f64 }}
        }}
        def @power(%x: float64, %n: int32) -> float64 {{
          if (%n == 0) {{ 1f64 }} else {{ %x * @power(%x, %n - 1) }}
        }}
        def @main(%x: float64) -> float64 {{ {body} }}""")
    )
    function = module["main"]
    for mode, advice in (
        ("higher_order", r"gradient\(function, mod=mod\)"),
        ("first_order", r"FirstOrderGradient\(\)\(mod\)"),
    ):
        with pytest.raises(DifferentiationError, match=f"(?s)D005.*{reason}.*{advice}"):
            relay.transform.gradient(function, mode=mode)
    if "More" in body:
        advice = r"(?s)D005.*contains floats.*mod = relay.IRModule\(module\)"
        with pytest.raises(DifferentiationError, match=advice):
            relay.transform.gradient(function, module)
    mod = relay.IRModule(module)
    mod["derived"] = relay.transform.gradient(mod["main"], mod=mod)
    assert evaluate(mod, 3.0, entry="derived") == (9.0, (6.0,))
    assert evaluate(relay.transform.FirstOrderGradient()(module), 3.0) == (9.0, (6.0,))


def test_recursive_functions_of_a_module_that_cannot_be_changed_become_local() -> None:
    module = relay.transform.InferType()(
        relay.parse("""#[version = "0.0.5"]
        def @power(%x: float64, %n: int32) -> float64 {
          if (%n == 0) { 1f64 } else { %x * @power(%x, %n - 1) }
        }
        def @even(%x: float64, %n: int32) -> float64 {
          if (%n == 0) { %x } else { sin(@odd(%x, %n - 1)) * @power(%x, 2) }
        }
        def @odd(%x: float64, %n: int32) -> float64 {
          if (%n == 0) { 1f64 } else { %x * @even(%x, %n - 1) }
        }
        def @main(%x: float64) -> float64 { @even(%x, 4) + @power(%x, 3) }""")
    )
    alone = relay.transform.gradient(module["main"], module)
    wanted: Any = evaluate(relay.value_and_grad(module), 0.7)
    value, (slope,) = _values(alone, 0.7)
    np.testing.assert_allclose((value, slope), wanted, rtol=1e-12)


def test_generic_recursive_functions_need_a_module_that_can_be_changed() -> None:
    module = relay.parse("""#[version = "0.0.5"]
        def @power(%x: Tensor[(n), float64], %n: int32) -> Tensor[(n), float64] {
          if (%n == 0) { %x } else { %x * @power(%x, %n - 1) }
        }
        def @main(%x: Tensor[(2), float64]) -> float64 { sum(@power(%x, 3)) }""")
    mod = relay.IRModule(relay.transform.InferType()(module))
    with pytest.raises(DifferentiationError, match=r"D005.*@power, which is recursive and generic"):
        relay.transform.gradient(mod["main"], mod.module)
    mod["derived"] = relay.transform.gradient(mod["main"], mod)
    found: Any = evaluate(mod, np.array([1.0, 2.0]), entry="derived")
    np.testing.assert_allclose(found[1][0], [4.0, 32.0])


def test_data_types_in_unread_parameters_need_a_module() -> None:
    module = relay.parse("""#[version = "0.0.5"]
        type Pair { Pair(float64, float64) }
        type Held[A] { Held(A) }
        def @main(%x: float64, %p: Held[Pair]) -> float64 {
          if (%x > 0f64) { %x } else { %x * %x }
        }""")
    function = relay.transform.InferType()(module)["main"]
    with pytest.raises(DifferentiationError, match="D005"):
        relay.transform.gradient(function, module)


INNER_TYPES = {
    "functions": "match (K(fn (%y: float64) { %y * %x })) { K(%g) => %g(%x) }",
    "references": "match (Box(ref(%x))) { Box(%r) => { ref_write(%r, %x * %x); ref_read(%r) } }",
    "copied fields": "match (Two(K(fn (%y: float64) { %y }), %x)) { Two(K(%g), _) => %g(%x) * %x }",
    "functions that take such types": "@called(K(fn (%y: float64) { %y * %x }), 1, %x)",
    "functions that return data": "match (@one(%x)) { More(%a, _) => %a * %a, End => %x }",
    "functions that take references": "let %r = ref(%x); @squared(%r); ref_read(%r)",
    "generic functions": "@same(%x) * %x",
}


@pytest.mark.parametrize("body", INNER_TYPES.values(), ids=INNER_TYPES)
def test_functions_and_references_inside(body: str) -> None:
    """Data types that hold them get copies, and functions that need them stay as they are."""
    module = relay.parse(f"""#[version = "0.0.5"]
        type K {{ K(fn (float64) -> float64) }}
        type Box {{ Box(ref(float64)) }}
        type Two {{ Two(K, float64) }}
        type Numbers {{ More(float64, Numbers), End }}
        def @called(%k: K, %n: int32, %x: float64) -> float64 {{
          if (%n == 0) {{ match (%k) {{ K(%g) => %g(%x) }} }} else {{ @called(%k, %n - 1, %x) }}
        }}
        def @one(%x: float64) -> Numbers {{ More(%x, End) }}
        def @squared(%r: ref(float64)) -> () {{ ref_write(%r, ref_read(%r) * ref_read(%r)) }}
        def @same[A](%a: A) -> A {{ %a }}
        def @main(%x: float64) -> float64 {{ {body} }}""")
    derived = relay.transform.FirstOrderGradient()(module)
    assert evaluate(derived, 3.0) == (9.0, (6.0,))
    mod = relay.IRModule(relay.transform.InferType()(module))
    mod["derived"] = relay.transform.gradient(mod["main"], mod)
    assert evaluate(mod, 3.0, entry="derived") == (9.0, (6.0,))


def test_first_order_gradient_adds_the_functions_that_it_needs() -> None:
    module = relay.parse("""#[version = "0.0.5"]
        def @power(%x: float64, %n: int32) -> float64 {
          if (%n == 0) { 1f64 } else { %x * @power(%x, %n - 1) }
        }
        def @main(%x: float64) -> float64 { @power(%x, 3) }""")
    derived = relay.transform.FirstOrderGradient()(module)
    assert evaluate(derived, 2.0) == (8.0, (12.0,))
    assert evaluate(derived, 2.0, np.int32(2), entry="power") == (4.0, (4.0, 0))


def test_first_order_gradient_gives_each_function_names_of_its_own() -> None:
    """The loops and branches of each function are recorded in functions and types that differ."""
    module = relay.parse("""#[version = "0.0.5"]
        def @grown(%x: float64) -> float64 {
          if (less(%x, 3f64)) { @grown(%x * 2f64) } else { %x * %x }
        }
        def @main(%x: float64) -> float64 {
          if (less(%x, 1f64)) { sin(%x) * @grown(%x) } else { cos(%x) }
        }""")
    derived = relay.transform.InferType()(relay.transform.FirstOrderGradient()(module))
    assert evaluate(derived, 2.0, entry="grown") == (16.0, (16.0,))
    found: Any = evaluate(derived, 0.5)
    value, (slope,) = found
    assert value == 16 * np.sin(0.5)
    np.testing.assert_allclose(slope, 16 * np.cos(0.5) + 64 * np.sin(0.5), rtol=1e-15)


def test_the_gradient_that_tvm_computed() -> None:
    """The original derivative of `sum(tanh(x) * x)`, with its inputs and outputs."""
    with np.load(SAVED / "gradient.npz") as saved:
        arrays = dict(saved)
    (x,) = (arrays[key] for key in sorted(arrays) if key.startswith("in"))
    wanted = [arrays[key] for key in sorted(arrays) if key.startswith("out")]
    function = _function("sum(tanh(%x) * %x)", "%x: Tensor[(4), float32]")
    for mode in ("first_order", "higher_order"):
        derived = relay.transform.LazyGradientInit()(
            Module.of(relay.transform.gradient(function, mode=mode))
        )
        result, (slope,) = _values(derived["main"], x)
        np.testing.assert_allclose(result, wanted[0], rtol=1e-6)
        np.testing.assert_allclose(slope, wanted[1], rtol=1e-6)
