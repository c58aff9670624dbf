"""Programs on complex numbers: all executors compute what the evaluator computes with NumPy."""

from typing import Any, cast

import numpy as np
import pytest

import relay
from relay.ir.equality import structural_equal
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.support.errors import RelayError

HEAD = '#[version = "0.0.5"]\n'
LOOP = """
def @loop(%i: int32, %z: Tensor[(4), complex64], %c: Tensor[(4), complex64])
    -> Tensor[(4), complex64] {
  if (less(%i, 5)) { @loop(add(%i, 1), add(multiply(%z, %z), %c), %c) } else { %z }
}
def @main(%c: Tensor[(4), complex64]) -> Tensor[(4), complex64] { @loop(0, zeros_like(%c), %c) }
"""
CLOSURE = """
def @main(%x: Tensor[(4), complex64]) {
  let %times = fn(%y: Tensor[(4), complex64]) { multiply(%x, %y) };
  let %twice = fn(%f: fn(Tensor[(4), complex64]) -> Tensor[(4), complex64]) { %f(%f(%x)) };
  %twice(%times)
}
"""
LIST = """
type List[A] { Cons(A, List[A]), Nil, }
def @sum(%l: List[Tensor[(4), complex64]]) -> Tensor[(4), complex64] {
  match (%l) { Cons(%h, %t) => add(%h, @sum(%t)), Nil => zeros(shape=[4], dtype="complex64"), }
}
def @map[A, B](%f: fn(A) -> B, %l: List[A]) -> List[B] {
  match (%l) { Cons(%h, %t) => Cons(%f(%h), @map(%f, %t)), Nil => Nil, }
}
def @main(%x: Tensor[(4), complex64]) {
  let %l = Cons(%x, Cons(sqrt(%x), Nil));
  @sum(@map(fn(%z: Tensor[(4), complex64]) { multiply(%z, %x) }, %l))
}
"""
REFERENCE = """
def @main(%x: Tensor[(4), complex64]) {
  let %r = ref(%x);
  let %_ = ref_write(%r, multiply(ref_read(%r), ref_read(%r)));
  (ref_read(%r), abs(%x))
}
"""
TUPLE = """
def @main(%t: (Tensor[(4), complex64], (float32, Tensor[(4), complex64]))) {
  let %b = %t.1;
  (multiply(%t.0, %b.1), (%b.0, abs(%t.0), %t.0))
}
"""
RECURSIVE_ENTRY = """
def @main(%x: Tensor[(4), complex64], %n: int32) -> Tensor[(4), complex64] {
  if (less(%n, 1)) { %x } else { @main(multiply(%x, %x), subtract(%n, 1)) }
}
"""
OPEN_SIZES = """
def @main(%x: Tensor[(n), complex64], %y: Tensor[(n), complex64]) {
  (concatenate((%x, %y)), sum(multiply(%x, conj(%y))))
}
"""
SCALARS = """
def @main(%x: complex64, %y: complex128) { (exp(%x), complex(real(%y), imag(%y))) }
"""


def random(*shape: int, dtype: str = "complex64") -> Any:
    rng = np.random.default_rng(33)
    return np.asarray(rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)


VECTOR = random(4)
PROGRAMS = {
    "loop": (LOOP, (0.3 * VECTOR,)),
    "closure": (CLOSURE, (VECTOR,)),
    "list": (LIST, (VECTOR,)),
    "reference": (REFERENCE, (VECTOR,)),
    "tuple": (TUPLE, ((VECTOR, (np.float32(2), VECTOR)),)),
    "recursive_entry": (RECURSIVE_ENTRY, (VECTOR, np.int32(2))),
    "open_sizes": (OPEN_SIZES, (random(5), random(5)[::-1])),
    "scalars": (SCALARS, (random(), random(dtype="complex128"))),
}


def flat(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [each for part in cast("tuple[Any, ...]", value) for each in flat(part)]
    return [np.asarray(value)]


def module(text: str) -> relay.Module:
    return infer(relay.parse(HEAD + text).module)


def assert_same(found: Any, expected: Any) -> None:
    for one, other in zip(flat(found), flat(expected), strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", PROGRAMS)
def test_executors_agree_with_the_evaluator(name: str):
    text, args = PROGRAMS[name]
    program = module(text)
    expected = evaluate(program, *args)
    for compiled in (relay.compile(program, verify=True), relay.vm.compile(program)):
        assert_same(compiled(*args), expected)
        assert_same(relay.Executable.from_bytes(compiled.to_bytes())(*args), expected)


def test_arrays_are_passed_as_complex_ones():
    double = relay.compile(module("def @main(%x: Tensor[(2), complex64]) { add(%x, %x) }"))
    assert str(double.signature) == "(x: complex64[2]) -> (output0: complex64[2])"
    for given in (np.array([1 + 2j, 3, 4, 5], "complex64")[::3], [1 + 2j, 5], [1, 2.5]):
        np.testing.assert_array_equal(double(given), 2 * np.asarray(given))
    for given in (np.ones(2, "complex128"), np.ones((2, 2), "float32"), np.ones(3, "complex64")):
        with pytest.raises(RelayError, match=r"R00[56]"):
            double(given)


def test_the_classic_graph_executor_takes_complex_inputs():
    built = relay.build(module("def @main(%x: Tensor[(2), complex64]) { conj(%x) }"))
    run = relay.graph_executor.GraphModule(built["default"](relay.cpu()))
    run.set_input("x", np.array([1 + 2j, 3j]))
    run.run()
    np.testing.assert_array_equal(run.get_output(0).numpy(), np.array([1 - 2j, -3j], "complex64"))


def test_complex_numbers_in_lists_do_not_cross_the_border():
    text = """
    type List[A] { Cons(A, List[A]), Nil, }
    def @main(%l: List[complex64]) { match (%l) { Cons(%h, _) => abs(%h), Nil => 0f, } }
    """
    with pytest.raises(RelayError, match=r"'l' of type List.* contains complex numbers") as found:
        relay.compile(module(text))
    assert found.value.code == "C102"


@pytest.mark.parametrize("call", ["nn.softmax(%x)", "less(%x, %x)", "max(%x)", "floor(%x)"])
def test_operators_without_a_meaning_for_complex_numbers_refuse_them(call: str):
    with pytest.raises(RelayError, match="takes and returns real numbers") as found:
        module(f"def @main(%x: Tensor[(3), complex64]) {{ {call} }}")
    assert found.value.code == "T102"


@pytest.mark.parametrize("name", ["sin", "cos", "tan", "sinh", "cosh", "tanh"])
def test_inverse_functions_have_the_branch_cuts_of_numpy(name: str):
    parts = [0.0, -0.0, 0.5, -0.5, 2.0, -2.0, 1e-6, -1e6, 1e20]
    points = np.array([complex(a, b) for a in parts for b in parts], "complex64")
    found = relay.compile(
        module(f"def @main(%x: Tensor[({len(points)}), complex64]) {{ a{name}(%x) }}")
    )(points)
    expected = getattr(np, f"arc{name}")(points.astype("complex128"))
    for part in (np.real, np.imag):
        np.testing.assert_allclose(part(found), part(expected), rtol=1e-6, atol=1e-38)


@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
def test_functions_of_numbers_that_are_not_finite_are_those_of_numpy():
    """Infinite parts, NaN and signed zeros; signs of NaN are open."""
    names = ("exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh")
    points = np.zeros(100, "complex128")
    parts = [0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, np.nan, 1000.0, -1000.0, 1e-200]
    points.real, points.imag = np.repeat(parts, 10), np.tile(parts, 10)
    calls = ", ".join(f"{name}(%x)" for name in names)
    results = relay.compile(module(f"def @main(%x: Tensor[(100), complex128]) {{ ({calls}) }}"))(
        points
    )
    for name, found in zip(names, results, strict=True):
        expected = getattr(np, name)(points)
        for part in (np.real, np.imag):
            np.testing.assert_allclose(part(found), part(expected), 1e-9, 1e-30, err_msg=name)
            is_zero = (part(expected) == 0) & ~np.isnan(np.real(expected) + np.imag(expected))
            signs = (np.signbit(part(each)[is_zero]) for each in (found, expected))
            np.testing.assert_array_equal(*signs, err_msg=name)


def test_sequences_of_complex_numbers_are_masked():
    text = "sequence_mask(%x, %n, mask_value=-1f64)"
    program = module(
        f"def @main(%x: Tensor[(k, 2), complex64], %n: Tensor[(2), int32]) {{ {text} }}"
    )
    x = np.arange(6, dtype=np.float32).reshape(3, 2) + np.complex64(1j)
    found = relay.compile(program)(x, np.array([1, 3], np.int32))
    np.testing.assert_array_equal(found, [[1j, 1 + 1j], [-1, 3 + 1j], [-1, 5 + 1j]])


def test_a_product_of_complex_numbers_is_not_real():
    with pytest.raises(RelayError, match="the result cannot be float32"):
        module(
            "def @main(%x: Tensor[(3, 3), complex64]) "
            '{ nn.dense(%x, %x, units=None, out_dtype="float32") }'
        )


@pytest.mark.parametrize("size", ["?", "n"])
def test_products_along_an_unknown_size(size: str):
    text = "(prod(%x, axis=[0]), cumprod(%x, axis=0), cumprod(%x, axis=0, exclusive=True))"
    program = relay.compile(module(f"def @main(%x: Tensor[({size}, 2), complex64]) {{ {text} }}"))
    for count in (0, 1, 5):
        x = np.exp(1j * np.arange(2 * count)).reshape(count, 2).astype(np.complex64)
        product, products, exclusive = program(x)
        wanted = np.cumprod(np.concatenate([np.ones((1, 2), np.complex64), x]), axis=0)
        np.testing.assert_allclose(product, wanted[-1], rtol=1e-5)
        np.testing.assert_allclose(products, wanted[1:], rtol=1e-5)
        np.testing.assert_allclose(exclusive, wanted[:-1], rtol=1e-5)


def test_reductions_that_compare_numbers_refuse_complex_ones():
    with pytest.raises(RelayError, match="reduction 'max' does not combine complex numbers"):
        module(
            "def @main(%x: Tensor[(3), complex64], %i: Tensor[(3), int64]) "
            '{ scatter_elements(%x, %i, %x, axis=0, reduction="max") }'
        )


def test_constants_survive_text_and_parameter_files():
    x = relay.var("x", shape=(2,), dtype="complex64")
    whole = relay.Function((x,), x * (1 + 2j) + relay.const([1j, 2]))
    program = infer(relay.Module.of(whole))
    assert structural_equal(infer(relay.parse(program.astext()).module).main, program.main)
    loaded: Any = relay.load_json(relay.save_json(program))
    assert structural_equal(infer(loaded.module).main, program.main)
    held = {"a": np.array([1 + 2j, 3], "complex64")}
    found = relay.load_param_dict(relay.save_param_dict(held))["a"]
    np.testing.assert_array_equal(np.asarray(found), held["a"])


def test_conversions_between_real_and_complex_numbers():
    text = """
    def @main(%x: Tensor[(3), float32], %z: Tensor[(3), complex64]) {
      (cast(%x, dtype="complex128"), cast(%z, dtype="float64"), cast(%z, dtype="int32"),
       cast(%z, dtype="bool"), cast_like(%x, %z), full(2f, shape=[2], dtype="complex64"),
       ones(shape=[2], dtype="complex64"), cumsum(%x, dtype="complex64"), where(%z, %x, %x),
       full_like(%z, 3f))
    }"""
    program, args = (
        module(text),
        (np.array([1, -2, 0], "float32"), np.array([1 + 2j, -3.5j, 0], "complex64")),
    )
    expected: Any = evaluate(program, *args)
    assert_same(relay.compile(program)(*args), expected)
    np.testing.assert_array_equal(expected[2], [1, 0, 0])
    np.testing.assert_array_equal(expected[3], [True, True, False])


def test_batches_of_complex_inputs_are_refused():
    text = """
    type List[A] { Cons(A, List[A]), Nil, }
    def @main(%l: List[float32], %z: complex64) {
      match (%l) { Cons(_, _) => %z, Nil => conj(%z), }
    }
    """
    program = module(text)
    with pytest.raises(RelayError, match="batch=True cannot take or return complex numbers"):
        relay.compile(program, batch=True)
