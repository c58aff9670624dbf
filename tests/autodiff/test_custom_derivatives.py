"""Functions with derivatives of their own: a factor shows which derivative was taken."""

from typing import Any

import numpy as np
import pytest

import relay
from relay.autodiff.custom_derivative_calls import mismatch
from relay.frontend.python import Tensor, float64
from relay.ir.module import Module
from relay.ir.types import FuncType, TensorType
from relay.runtime import Data
from relay.semantics.evaluate import evaluate
from relay.support.dims.algebra import ANY
from relay.support.dtype import float32
from relay.support.errors import DifferentiationError
from relay.transform.eliminate_common_subexpressions import EliminateCommonSubexpressions
from relay.transform.erase_derivatives import EraseDerivatives
from relay.transform.fold_constants import FoldConstants
from relay.transform.forms.eta_expand import EtaExpand
from relay.transform.inline import Inline
from relay.transform.monomorphize import Monomorphize
from relay.transform.partial_evaluation.partial_evaluate import PartialEvaluate
from relay.transform.pipeline import Pass
from relay.transform.remove_unused_functions import RemoveUnusedFunctions
from relay.transform.to_a_normal_form import ToANormalForm
from relay.transform.to_graph_form import ToGraphForm

X = np.array([0.5, -1.0, 2.0])
D = "float64"


def _module(text: str) -> Module:
    return relay.parse(f'#[version = "0.0.5"]\nimport "prelude.rly"\n{text}')


SINE = _module("""
def @main(%x: float64) -> float64 { exp(@f(%x)) }
def @f(%x: float64, VjpForward="ahead", VjpBackward="back") -> float64 { sin(%x) }
def @ahead(%x: float64) -> (float64, (float64, int32)) { (sin(%x), (cos(%x), 7)) }
def @back(%r: (float64, int32), %d: float64) -> (float64,) { (10f64 * %r.0 * %d,) }
""")


def _tenfold(x: float) -> float:
    return 10 * np.cos(x) * np.exp(np.sin(x))


@pytest.mark.parametrize("run", [evaluate, lambda m, x: relay.compile(m)(x)])
def test_reverse_mode_calls_the_functions_that_are_named(run: Any) -> None:
    assert run(relay.grad(SINE), 0.7) == pytest.approx(_tenfold(0.7))


def test_higher_orders_differentiate_the_derivative() -> None:
    """The forward function calls a sine of its own, whose derivative is the ordinary one."""
    found = evaluate(relay.grad(relay.grad(SINE)), 0.7)
    s, c = np.sin(0.7), np.cos(0.7)
    assert found == pytest.approx(10 * np.exp(s) * (c * c - s))


def test_the_text_keeps_the_names() -> None:
    again = relay.parse(relay.astext(SINE))
    assert evaluate(relay.grad(again), 0.7) == pytest.approx(_tenfold(0.7))


@pytest.mark.parametrize(
    "each",
    [
        Inline(limit=1000),
        PartialEvaluate(),
        RemoveUnusedFunctions(),
        Monomorphize(),
        ToANormalForm(),
        ToGraphForm(),
        FoldConstants(),
        EliminateCommonSubexpressions(),
        EtaExpand(global_functions=True),
    ],
    ids=lambda each: each.title(),
)
def test_passes_keep_custom_derivatives(each: Pass) -> None:
    found = relay.grad(each(relay.transform.InferType()(SINE)))
    assert evaluate(found, 0.7) == pytest.approx(_tenfold(0.7))


def test_compilation_erases_them() -> None:
    plain = EraseDerivatives()(SINE)
    assert {*plain.functions} == {"main", "f"}
    assert evaluate(relay.grad(plain), 0.7) == pytest.approx(_tenfold(0.7) / 10)
    assert relay.compile(SINE)(0.7) == pytest.approx(np.exp(np.sin(0.7)))


def test_compilation_erases_attributes_that_choose_a_derivative() -> None:
    module = _module("""
    def @main(%x: Tensor[(2, 3), float32]) -> Tensor[(2), float32] {
      max(clip(nn.relu(%x, strict=True), a_min=0f, a_max=6f, strict=True), axis=[1], ties="first")
    }""")
    body = "max(clip(nn.relu(%x), a_min=0f, a_max=6f), axis=[1])"
    plain = _module(f"def @main(%x: Tensor[(2, 3), float32]) -> Tensor[(2), float32] {{ {body} }}")
    assert relay.structural_equal(EraseDerivatives()(module), plain)
    assert EraseDerivatives()(plain) is plain


def test_arguments_of_all_types() -> None:
    """Tuples, integers, and lists: without a forward function, the arguments are the residuals."""
    module = _module("""
    type Floats { Stop, More(float64, Floats) }
    def @total(%l: Floats) -> float64 {
      match (%l) { Stop => 0f64, More(%x, %rest) => %x + @total(%rest) }
    }
    def @thrice(%l: Floats, %by: float64) -> Floats {
      match (%l) { Stop => Stop, More(%x, %rest) => More(%x * %by, @thrice(%rest, %by)) }
    }
    def @f(%l: Floats, %n: int32, %p: (float64, int32), VjpBackward="back") -> (Floats, int32) {
      (@thrice(%l, %p.0), %n)
    }
    def @back(%r: (Floats, int32, (float64, int32)), %d: (Floats, ()))
        -> (Floats, (), (float64, ())) {
      (@thrice(%d.0, 7f64), (), (@total(%r.0), ()))
    }
    def @main(%l: Floats, %p: (float64, int32)) -> float64 {
      let %twice = @f(%l, 2, %p);
      @total(%twice.0)
    }
    """)
    nil = Data("Stop", ())
    floats = Data("More", (np.array(1.0), Data("More", (np.array(2.0), nil))))
    by_list, by_pair = relay.compile(relay.grad(module, (0, 1)))(floats, (3.0, 4))
    assert by_list.fields[0] == 7.0
    assert by_list.fields[1].fields[0] == 7.0
    assert by_pair == (3.0, ())


def test_open_sizes_and_loops() -> None:
    module = _module("""
    def @f(%x: Tensor[(n), float64], VjpForward="ahead", VjpBackward="back")
        -> Tensor[(n), float64] { sin(%x) }
    def @ahead(%x: Tensor[(n), float64]) -> (Tensor[(n), float64], Tensor[(n), float64]) {
      (sin(%x), cos(%x))
    }
    def @back(%r: Tensor[(k), float64], %d: Tensor[(k), float64]) -> (Tensor[(k), float64],) {
      (%r * %d * 2f64,)
    }
    def @loop(%x: Tensor[(n), float64], %i: int32) -> Tensor[(n), float64] {
      if (%i == 0) { %x } else { @loop(@f(%x), %i - 1) }
    }
    def @main(%x: Tensor[(n), float64]) -> float64 { sum(@loop(%x, 3)) }
    """)
    wanted, at = np.ones(3), X
    for _ in range(3):
        wanted, at = wanted * 2 * np.cos(at), np.sin(at)
    np.testing.assert_allclose(relay.compile(relay.grad(module))(X), wanted)


def test_generic_functions_have_generic_derivatives() -> None:
    module = _module("""
    def @same[A](%x: A, VjpBackward="back") -> A { %x }
    def @back[A](%r: (A,), %d: A) -> (A,) { (%d,) }
    def @main(%x: float64, %y: Tensor[(3), float64]) -> float64 {
      sum(@same(%y)) * @same((%x, %x)).1
    }
    """)
    by_x, by_y = relay.compile(relay.grad(module, (0, 1)))(2.0, X)
    assert by_x == pytest.approx(X.sum())
    np.testing.assert_allclose(by_y, np.full(3, 2.0))


FORWARD_TEXT = """
def @main(%x: Tensor[(3), float64]) -> float64 { sum(@f(%x, 2)) }
def @f(%x: Tensor[(3), float64], %n: int32, Jvp="along") -> Tensor[(3), float64] {
  %x * cast(%n, dtype="float64")
}
def @along(%x: Tensor[(3), float64], %n: int32, %d: Tensor[(3), float64])
    -> (Tensor[(3), float64], Tensor[(3), float64]) { (%x * 2f64, %x * %d * 5f64) }
"""


def test_forward_mode_calls_the_function_that_is_named() -> None:
    value, slope = relay.compile(relay.jvp(_module(FORWARD_TEXT)))(X, np.ones(3))
    assert value == pytest.approx(2 * X.sum())
    assert slope == pytest.approx(5 * X.sum())


def test_forward_mode_needs_a_derivative_of_its_own() -> None:
    """A backward function need not be linear, so it has no transpose."""
    with pytest.raises(DifferentiationError, match="but not for forward") as caught:
        relay.jvp(SINE)
    assert caught.value.code == "D010"


def test_reverse_mode_transposes_the_derivative_of_forward_mode() -> None:
    gradient = relay.grad(_module(FORWARD_TEXT))
    np.testing.assert_allclose(relay.compile(gradient)(X), 5 * X)
    curved = relay.compile(relay.vjp(gradient))(X, np.ones(3))[1]
    np.testing.assert_allclose(curved, [5, 5, 5])


TRANSPOSED = {
    "a call of itself, open sizes": (
        """def @main(%x: Tensor[(n), float64]) -> float64 { sum(@f(%x)) }
        def @f(%x: Tensor[(n), float64], Jvp="along") -> Tensor[(n), float64] { %x * 2f64 }
        def @along(%x: Tensor[(n), float64], %d: Tensor[(n), float64])
            -> (Tensor[(n), float64], Tensor[(n), float64]) { (@f(%x), @f(%d) * 2.5f64) }""",
        [5, 5, 5],
    ),
    "unknown sizes": (  # the derivative of the product sums to the shape of `%d`
        """def @main(%x: Tensor[(?), float64]) -> float64 { sum(@f(%x)) }
        def @f(%x: Tensor[(?), float64], Jvp="along") -> Tensor[(?), float64] { %x }
        def @along(%x: Tensor[(?), float64], %d: Tensor[(?), float64]) { (%x, %d * 3f64) }""",
        [3, 3, 3],
    ),
    "a loop": (
        """def @main(%x: Tensor[(3), float64]) -> float64 { sum(@f(%x)) }
        def @f(%x: Tensor[(3), float64], Jvp="along") -> Tensor[(3), float64] { %x }
        def @along(%x: Tensor[(3), float64], %d: Tensor[(3), float64]) {
          (%x, @times(%d, %x, 2))
        }
        def @times(%d: Tensor[(3), float64], %x: Tensor[(3), float64], %i: int32)
            -> Tensor[(3), float64] {
          if (%i == 0) { %d } else { @times(%d * %x, %x, %i - 1) }
        }""",
        X**2,
    ),
    "references": (
        """def @main(%x: Tensor[(3), float64]) -> float64 {
          let %r = ref(sum(%x));
          @double(%r);
          @f(ref_read(%r))
        }
        def @double(%r: ref(float64)) -> () { ref_write(%r, ref_read(%r) * 2f64) }
        def @f(%x: float64, Jvp="along") -> float64 { %x }
        def @along(%x: float64, %d: float64) -> (float64, float64) {
          let %r = ref(%d);
          @double(%r);
          (%x, ref_read(%r))
        }""",
        [4, 4, 4],
    ),
    "a backward function elsewhere": (
        """def @main(%x: Tensor[(3), float64]) -> float64 { sum(@f(%x) * @g(%x)) }
        def @f(%x: Tensor[(3), float64], Jvp="along") -> Tensor[(3), float64] { %x }
        def @along(%x: Tensor[(3), float64], %d: Tensor[(3), float64]) { (%x, %d * 2f64) }
        def @g(%x: Tensor[(3), float64], VjpBackward="back") -> Tensor[(3), float64] { %x }
        def @back(%r: (Tensor[(3), float64],), %d: Tensor[(3), float64]) { (%d * 3f64,) }""",
        5 * X,
    ),
}


@pytest.mark.parametrize("name", TRANSPOSED)
def test_transposed_derivatives(name: str) -> None:
    text, wanted = TRANSPOSED[name]
    found: Any = evaluate(relay.grad(_module(text)), X)
    np.testing.assert_allclose(found, wanted)


def test_transposed_derivatives_in_python() -> None:
    """Tuples, integers, operators with tuple operands, and maps."""
    scaled: Any = relay.custom_jvp(
        lambda p, n, dp: ((p[0] * n, p[1]), (np.einsum("i,i->i", dp[0], p[1]) * 7, 5.0 * dp[1]))
    )(lambda p, n: (p[0] * n, p[1]))

    def loss(x: Any, y: Any) -> Any:
        found = scaled((x, y), 2)
        return np.sum(found[0]) + np.sum(found[1] * found[1])

    by_x, by_y = relay.grad(loss, (0, 1))(X, X + 1)
    np.testing.assert_allclose(by_x, 7 * (X + 1))
    np.testing.assert_allclose(by_y, 10 * (X + 1))
    rows = np.stack([X, 2 * X])
    found = relay.jit(relay.vmap(relay.grad(loss), in_axes=(0, None)))(rows, X)
    np.testing.assert_allclose(found, 7 * np.stack([X, X]))


@pytest.mark.parametrize(
    ("slope", "operator"),
    [
        (lambda d: np.clip(d, -1.0, 1.0), "maximum"),
        (lambda d: np.where(d > 0, d, 0.0), "greater"),
        (lambda d: np.einsum("i,i->i", d, d), "einsum"),
        (lambda d: d * np.sum(d), "multiply"),
    ],
    ids=range(4),
)
def test_what_is_not_linear_has_no_transpose(slope: Any, operator: str) -> None:
    custom: Any = relay.custom_jvp(lambda x, d: (x * 1.0, slope(d)))(lambda x: x * 1.0)
    with pytest.raises(DifferentiationError, match=f"must be linear.*{operator}") as caught:
        relay.vjp(custom)(X, X)
    assert caught.value.code == "D009"
    assert caught.value.span is not None


def _square(x: Any) -> Any:
    return x * x


def test_functions_from_outside_get_derivatives_in_a_trace() -> None:
    def slope(x: Any) -> Any:
        return relay.grad(relay.custom_vjp(lambda saved, d: (7.0 * d * saved[0],))(_square))(x)

    assert relay.jit(slope)(np.float64(2.0)) == 14.0


def test_a_gradient_by_a_number_checks_linearity() -> None:
    custom: Any = relay.custom_jvp(lambda x, d: (x * 2.0, d * d))(lambda x: x * 2.0)
    with pytest.raises(DifferentiationError, match=r"must be linear.*multiply") as caught:
        relay.grad(custom)(3.0)
    assert caught.value.code == "D009"


@pytest.mark.parametrize(
    ("forward", "backward", "says"),
    [
        ("(sin(%x), %x)", "%r: float64, %d: float64) -> float64 { %d", "returns float64"),
        (
            "(sin(%x), %x)",
            "%r: float64, %d: float64) -> (float64, float64) { (%d, %d)",
            r"returns \(float64, float64\)",
        ),
        (
            "(sin(%x), %x)",
            "%r: float32, %d: float64) -> (float64,) { (%d,)",
            "takes float32 as argument 1",
        ),
        ("(sin(%x), %x)", "%d: float64) -> (float64,) { (%d,)", "takes 1 argument"),
        ("sin(%x)", "%r: float64, %d: float64) -> (float64,) { (%d,)", "returns float64"),
        (
            "(1f, %x)",
            "%r: float64, %d: float64) -> (float64,) { (%d,)",
            r"returns \(float32, float64\)",
        ),
    ],
)
def test_derivatives_of_wrong_types_are_refused(forward: str, backward: str, says: str) -> None:
    module = _module(f"""
    def @main(%x: float64, VjpForward="ahead", VjpBackward="back") -> float64 {{ sin(%x) }}
    def @ahead(%x: float64) {{ {forward} }}
    def @back({backward} }}
    """)
    with pytest.raises(DifferentiationError, match=rf"rule of @\w+ {says}, but must ") as caught:
        relay.grad(module)
    assert caught.value.code == "D009"


def test_references_are_refused() -> None:
    module = _module("""
    def @f(%r: ref(float64), VjpBackward="back") -> float64 { ref_read(%r) }
    def @back(%r: (ref(float64),), %d: float64) -> ((),) { ((),) }
    def @main(%x: float64) -> float64 { @f(ref(%x)) }
    """)
    with pytest.raises(DifferentiationError, match="a reference as a parameter") as caught:
        relay.grad(module)
    assert caught.value.code == "D004"


@relay.function
def _back(r: tuple[Tensor[3, float64], float64], d: float64) -> tuple[Tensor[3, float64], float64]:
    return d * np.cos(r[0]) * 3.0, d * 0.0


@relay.custom_vjp(_back)
@relay.function
def waves(x: Tensor[3, float64], scale: float64) -> float64:
    return np.sum(np.sin(x)) * scale


@relay.function
def doubled(x: Tensor[3, float64]) -> float64:
    return waves(x, 5.0) * 2.0


def test_decorated_python_functions() -> None:
    assert waves(X, 2.0) == pytest.approx(2 * np.sin(X).sum())
    np.testing.assert_allclose(relay.grad(waves)(X, 5.0), 3 * np.cos(X))
    for slope in (relay.grad(doubled), relay.compile(relay.grad(doubled))):
        np.testing.assert_allclose(slope(X), 6 * np.cos(X))


@relay.custom_jvp(lambda x, d: (_grown(x), _grown(x) * d * 2.0))
def _grown(x: Any) -> Any:
    return np.exp(x)


def test_a_rule_calls_the_function_at_every_order() -> None:
    slope = lambda x: np.sum(relay.grad(lambda y: np.sum(_grown(y)))(x))  # noqa: E731
    np.testing.assert_allclose(relay.jit(relay.grad(slope))(X), 4 * np.exp(X))
    thrice: Any = relay.grad(relay.grad(relay.grad(_grown)))
    np.testing.assert_allclose(thrice(0.5), 8 * np.exp(0.5), rtol=1e-6)


def test_a_rule_calls_the_function_with_a_captured_value() -> None:
    def scaled(x: Any, w: Any) -> Any:
        rule = relay.custom_jvp(lambda y, d: (product(y), product(d) * 3.0))
        product = rule(lambda y: y * w)
        return np.sum(product(x))

    np.testing.assert_allclose(relay.grad(scaled)(X, X + 3), 3 * X + 9)


def test_a_rule_calls_the_function_for_other_types() -> None:
    @relay.custom_jvp(lambda x, d: (first(x), d * np.sum(first(x[:1]))))
    def first(x: Any) -> Any:
        return x * 1.0

    with pytest.raises(DifferentiationError, match="arguments of the same types") as caught:
        relay.vjp(first)(X, X)
    assert caught.value.code == "D009"


SQUARE = _module("""
def @main(%x: float64, VjpBackward="back", Jvp="along") -> float64 { %x * %x }
def @back(%x: (float64,), %d: float64) -> (float64,) { (10f64 * %d,) }
def @along(%x: float64, %t: float64) -> (float64, float64) { (%x * %x, 7f64 * %t) }
""")


def test_a_mapped_entry_keeps_its_derivatives() -> None:
    found: Any = evaluate(relay.vjp(relay.vmap(SQUARE)), X, np.ones(3))
    np.testing.assert_allclose(np.asarray(found[1]), [10, 10, 10])
    found = evaluate(relay.jvp(relay.vmap(SQUARE)), X, np.ones(3))
    np.testing.assert_allclose(np.asarray(found[1]), [7, 7, 7])


def test_a_mapped_entry_sums_the_derivative_of_a_shared_argument() -> None:
    scaled = _module("""
    def @main(%x: float64, %w: float64, VjpBackward="back") -> float64 { %x * %w }
    def @back(%r: (float64, float64), %d: float64) -> (float64, float64) { (%d, 10f64 * %d) }
    """)
    mapped = relay.vmap(scaled, in_axes=(0, None))
    found: Any = evaluate(relay.vjp(mapped, argnums=(0, 1)), X, 5.0, np.ones(3))
    np.testing.assert_allclose(np.asarray(found[1][0]), [1, 1, 1])
    np.testing.assert_allclose(np.asarray(found[1][1]), 30)


_reverse = relay.custom_vjp(lambda _, d: (100.0 * d,))
_forward = relay.custom_jvp(lambda y, d: (y * 2.0, 100.0 * d))


def _scaled(x, w):
    return _reverse(lambda y: y * w)(x) + w


def _pushed(x, w):
    return _forward(lambda y: y * w)(x) + w


def _stopped(x, w):
    kept = relay.stop_gradient(w)
    return _reverse(lambda y: y * kept)(x) + w


@pytest.mark.parametrize("change", [lambda f: f, relay.vmap, relay.jit], ids=["", "vmap", "jit"])
def test_captured_values_have_no_derivative(change: Any) -> None:
    x: Any = X if change is relay.vmap else 2.0
    for slope, args in ((relay.grad(_scaled, 1), (x, x)), (relay.jvp(_pushed, 1), (x, x, x))):
        with pytest.raises(DifferentiationError, match="uses the variable w, which") as caught:
            change(slope)(*args)
        assert caught.value.code == "D012"
        assert caught.value.span is not None
    np.testing.assert_allclose(change(relay.grad(_scaled))(x, x), 100)
    np.testing.assert_allclose(change(relay.grad(_stopped, 1))(x, x), 1)
    np.testing.assert_allclose(change(relay.jvp(_pushed))(x, x, x)[1], 100 * x)


def _reversed(x, strength):
    """Return the sum of squares of `x`, whose gradient a reversal layer multiplies."""
    layer = relay.custom_vjp(lambda _, d: (-strength * d,))(lambda y: y * 1.0)
    return np.sum(layer(x) ** 2)


def _saved(x, w):
    rules = relay.custom_vjp(lambda saved, d: (saved * d,), lambda y: (y * 1.0, w * w * y))
    return np.sum(rules(lambda y: y * 1.0)(x))


def _pushed_forward(x, w):
    return np.sum(relay.custom_jvp(lambda y, d: (y * 1.0, w * w * d))(lambda y: y * 1.0)(x))


def _looped(x, w):
    count = 0
    while count < 3:
        scale = {"w": w * 2.0}
        layer = relay.custom_vjp(lambda _, d: (scale["w"] * d,))(lambda y: y * 1.0)  # noqa: B023
        x, count = layer(x), count + 1
    return np.sum(x)


W = X + 3
CAPTURED = [
    (_reversed, 0.5, -X),
    (_saved, W, W**2 * X),
    (_pushed_forward, W, W**2),
    (_looped, W, (2 * W) ** 3),
]


@pytest.mark.parametrize(("function", "w", "wanted"), CAPTURED, ids=range(4))
def test_rules_capture_computed_values(function: Any, w: Any, wanted: Any) -> None:
    """The functions themselves do not read these values: the derivative by them is zero."""
    by_x, by_w = relay.jit(relay.grad(function, (0, 1)))(X, w)
    np.testing.assert_allclose(by_x, wanted)
    np.testing.assert_allclose(by_w, np.zeros_like(w))
    rows = relay.vmap(relay.grad(function), in_axes=(0, None))(np.stack([X, X]), w)
    np.testing.assert_allclose(rows, [wanted, wanted])


def test_derivatives_of_rules_by_captured_values() -> None:
    """They flow at the next order, through the rules; so does the derivative of the function."""
    slope = relay.grad(lambda w: np.sum(relay.grad(_saved)(X, w)))
    np.testing.assert_allclose(slope(W), 2 * W * X)
    slope = relay.grad(lambda w: np.sum(relay.grad(_pushed_forward)(X, w)))
    np.testing.assert_allclose(slope(W), 2 * W)
    assert relay.grad(lambda w: np.sum(relay.grad(_reversed)(X, w)))(0.5) == -2 * X.sum()
    curved = relay.grad(lambda x: np.sum(relay.grad(_reversed)(x, 0.5)))
    np.testing.assert_allclose(curved(X), [0.5, 0.5, 0.5])


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        ((lambda r, d: d * r[0],), r"returns .* must return \(Tensor\[\(3,\), float64\],\)"),
        ((lambda d: (d,),), "backward rule of <lambda> takes 1 argument, but must take 2"),
        ((lambda _, d: (d, d),), "must return"),
        ((lambda r, d: (d * r,), lambda x: x * 2.0), "forward rule .* must return a pair"),
    ],
    ids=range(4),
)
@pytest.mark.parametrize("is_captured", [False, True], ids=["alone", "captured"])
def test_rules_of_wrong_types_are_refused(rules: Any, says: str, is_captured: bool) -> None:
    def loss(x: Any, w: Any) -> Any:
        body = (lambda y: np.sum(y * w)) if is_captured else (lambda y: np.sum(y * y))
        return relay.custom_vjp(*rules)(body)(x)

    with pytest.raises(DifferentiationError, match=says) as caught:
        relay.grad(loss)(X, X)
    assert caught.value.code == "D009"


def test_a_size_that_is_not_known_may_be_that_of_the_derivative():
    of = [FuncType((), TensorType((size, 2), float32)) for size in (ANY, 3, 4)]
    assert mismatch(of[0], of[1]) is mismatch(of[1], of[0]) is None
    assert mismatch(of[1], of[2]) is not None
