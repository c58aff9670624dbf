"""Types that promise more sizes than are known are tested where they say so, in every executor."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import relay
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.support.errors import RunError

HEAD = '#[version = "0.0.5"]\n'
OPEN, TWO, THREE = (f"Tensor[({size}), float32]" for size in ("?", "2", "3"))
PAIR = f"({THREE}, int32)"

PROMISES = {
    "a let of a tuple": f"def @main(%x: ({OPEN}, int32)) {{ let %o: {PAIR} = %x; %o.0 }}",
    "a let of what is computed": f"""
def @main(%x: ({OPEN}, int32)) {{ let %o: {THREE} = exp(%x.0); (%o, %x) }}""",
    "a let that is the result": f"""
def @main(%x: ({OPEN}, int32)) {{ let %o: {THREE} = exp(%x.0); %o }}""",
    "a let of a choice": f"""
def @main(%x: ({OPEN}, int32)) {{
  let %o: {PAIR} = if (%x.1 < 0) {{ (zeros(shape=[3], dtype="float32"), 1) }} else {{ %x }};
  %o.0 * 2f
}}""",
    "a name that a parameter tells": f"""
def @f(%a: Tensor[(n), float32], %b: {OPEN}) {{ let %o: Tensor[(n), float32] = %b; %o * 3f }}
def @main(%x: ({OPEN}, int32)) {{ @f(zeros(shape=[3], dtype="float32"), %x.0) }}""",
    "a name that a let tells": f"""
def @main(%x: ({OPEN}, int32)) {{
  let %a: Tensor[(m), float32] = exp(%x.0);
  let %three = ones(shape=[3], dtype="float32");
  let %b: Tensor[(m), float32] = if (%x.1 < 0) {{ %x.0 }} else {{ %three }};
  %a * %b
}}""",
    "a constructor": f"""
type Box {{ Box({THREE}) }}
def @main(%x: ({OPEN}, int32)) {{ match (Box(%x.0)) {{ Box(%y) => (%y, %x.1) }} }}""",
    "a pattern": f"""
type Two {{ Two(Tensor[(n), float32], Tensor[(n), float32]) }}
def @main(%x: ({OPEN}, int32)) {{
  let %u = match (Two(%x.0, zeros(shape=[3], dtype="float32"))) {{ Two(%a, %b) => %a }}; (%u, %x.1)
}}""",
    "a cell": f"""
def @main(%x: ({OPEN}, int32)) {{
  let %r = ref(zeros(shape=[3], dtype="float32")); ref_write(%r, %x.0); %x.1
}}""",
    "the result of a recursion": f"""
def @f(%x: Tensor[(n), float32], %k: int32) -> Tensor[(2 * n - 3), float32] {{
  if (%k == 0) {{ %x }} else {{ @f(%x * 1f, %k - 1) }}
}}
def @main(%x: ({OPEN}, int32)) {{ @f(%x.0, 2) }}""",
    "what a function that is passed tells": f"""
def @f(%g: fn (int32) -> Tensor[(n), float32], %x: {OPEN}, %k: int32) -> Tensor[(n), float32] {{
  if (%k <= 0) {{ %x }} else {{ @f(%g, %x + 1f, %k - 1) }}
}}
def @three(%k: int32) {{ zeros(shape=[3], dtype="float32") }}
def @main(%x: ({OPEN}, int32)) {{ @f(@three, %x.0, 2) }}""",
    "sizes that are known not to fit": f"""
def @f(%a: Tensor[(m), float32], %b: {THREE}, %c: bool) {{
  %b + (if (%c) {{ %a }} else {{ zeros(shape=[3], dtype="float32") }} + %a)
}}
def @main(%x: ({OPEN}, int32)) {{
  if (%x.1 == 7) {{ @f(ones(shape=[2], dtype="float32"), zeros(shape=[3], dtype="float32"), True) }}
  else {{ let %o: {THREE} = %x.0; %o }}
}}""",
    "a name that a let tells around a function": f"""
def @main(%x: ({OPEN}, int32)) {{
  let %three = ones(shape=[3], dtype="float32");
  let %k: Tensor[(k), float32] = if (%x.1 < 0) {{ %x.0 }} else {{ %three }};
  let %f = fn (%y: int32) -> Tensor[(k), float32] {{ %x.0 }};
  %f(1)
}}""",
    "a name that a let inside a function tells": f"""
def @main(%x: ({OPEN}, int32)) {{
  let %three = ones(shape=[3], dtype="float32");
  let %f = fn (%y: int32) -> Tensor[(k), float32] {{
    let %k: Tensor[(k), float32] = if (%y < 0) {{ %x.0 }} else {{ %three }}; %x.0 }};
  %f(1)
}}""",
    "a type argument": f"""
def @choose[A](%c: bool, %x: A, %y: A) -> A {{ if (%c) {{ %x }} else {{ %y }} }}
def @main(%x: ({OPEN}, int32)) {{
  @choose[{THREE}](%x.1 == 1, zeros(shape=[3], dtype="float32"), reverse(%x.0, axis=0))
}}""",
    "the result": f"def @main(%x: ({OPEN}, int32)) -> {THREE} {{ %x.0 * 2f }}",
    "the result as it came": f"def @main(%x: ({OPEN}, int32)) -> {THREE} {{ %x.0 }}",
}


def executors(text: str) -> list[Callable[..., Any]]:
    module = relay.parse(HEAD + text)
    typed = infer(module)
    return [
        lambda *args: evaluate(typed, *args),
        relay.compile(module),
        relay.compile(module, opt_level=0),
        relay.vm.compile(module, "llvm"),
    ]


def flat(value: Any) -> list[float]:
    """Return all numbers in a value, from left to right."""
    if isinstance(value, tuple):
        return [number for part in value for number in flat(part)]
    return np.ravel(value).tolist()


@pytest.mark.parametrize("text", PROMISES.values(), ids=PROMISES)
def test_sizes_that_a_type_promises(text: str):
    three, two = (np.arange(size, dtype=np.float32) for size in (3, 2))
    expected, *others = [flat(run((three, 1))) for run in executors(text)]
    for found in others:
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    for run in executors(text):
        with pytest.raises(RunError) as caught:
            run((two, 1))
        assert caught.value.code == "R054"


def test_a_result_of_which_less_is_promised_than_known():
    three = np.arange(3, dtype=np.float32)
    for run in executors(f"def @main(%x: {PAIR}) -> {OPEN} {{ %x.0 }}"):
        np.testing.assert_array_equal(run((three, 1)), three)


def test_data_beside_a_tensor_of_any_size_are_given():
    text = f"""
type Box[A] {{ Box(A) }}
def @main(%x: {OPEN}) {{ (Box(1), %x * 2f) }}"""
    for run in executors(text):
        box, doubled = run(np.ones(3, np.float32))
        assert int(box.fields[0]) == 1
        np.testing.assert_array_equal(doubled, [2, 2, 2])


def test_functions_that_functions_give_take_what_their_type_says():
    text = f"""
def @make() -> fn ({TWO}) -> float32 {{ fn (%t: {OPEN}) {{ sum(%t) }} }}
def @main(%x: {TWO}) {{ let %f = @make(); %f(%x) }}
"""
    for run in executors(text):
        assert run(np.ones(2, np.float32)) == 2


def test_functions_of_which_more_is_known_than_of_others_that_may_be_called():
    text = f"""
def @any(%x: {OPEN}) -> {OPEN} {{ %x }}
def @main(%x: {OPEN}, %c: bool) {{
  (if (%c) {{ fn (%y: {OPEN}) -> {OPEN} {{ %x }} }}
   else {{ fn (%y: {OPEN}) {{ @any(zeros(shape=[2], dtype="float32")) }} }})(%x)
}}"""
    for run in executors(text):
        assert run(np.ones(3, np.float32), True).tolist() == [1, 1, 1]
        assert run(np.ones(3, np.float32), False).tolist() == [0, 0]


def test_a_cell_holds_what_may_be_written_into_it():
    text = f"""
type Box[A] {{ Box(A), Empty }}
def @main(%x: {OPEN}, %c: bool) {{
  let %y: {OPEN} = zeros(shape=[2], dtype="float32");
  let %r = match (if (%c) {{ Box(ref(%x)) }} else {{ Empty }}) {{
    Box(%s) => %s, Empty => ref(%y) }};
  ref_write(%r, concatenate((ref_read(%r), %x)));
  ref_read(%r)
}}"""
    for run in executors(text):
        assert run(np.ones(3, np.float32), True).tolist() == [1] * 6
        assert run(np.ones(3, np.float32), False).tolist() == [0, 0, 1, 1, 1]


def test_sizes_that_never_fit_stop_only_what_comes_there():
    text = f"""
def @main(%c: bool, %d: bool) {{
  let %two: {OPEN} = ones(shape=[2], dtype="float32");
  let %table: Tensor[(?, ?), float32] = ones(shape=[2, 3], dtype="float32");
  if (%c) {{
    if (%d) {{ %two + ones(shape=[3], dtype="float32") }} else {{ reshape(%two, newshape=[3]) }}
  }} else {{
    if (%d) {{ sum(concatenate((%table, ones(shape=[2, 2], dtype="float32"))), axis=[0]) }}
    else {{ %two * 2f }}
  }}
}}"""
    for run in executors(text):
        assert run(False, False).tolist() == [2, 2]
        for which in ((True, True), (True, False), (False, True)):
            with pytest.raises(RunError) as caught:
                run(*which)
            assert caught.value.code == "R054"


def test_functions_with_names_of_their_own_may_be_called_for_each_other():
    text = f"""
def @main(%x: {OPEN}, %c: bool) {{
  let %two: {OPEN} = ones(shape=[2], dtype="float32");
  (if (%c) {{ fn (%y: Tensor[(n), float32]) {{ %two }} }}
   else {{ fn (%y: Tensor[(n + n), float32]) {{ %x }} }})(%x)
}}"""
    for run in executors(text):
        assert run(np.ones(3, np.float32), True).tolist() == [1, 1]
        with pytest.raises(RunError) as caught:
            run(np.ones(3, np.float32), False)
        assert caught.value.code == "R054"


def test_names_that_no_tensor_tells_alone_are_any_sizes():
    text = f"""
def @f(%x: Tensor[(k + n), float32]) {{ %x * 2f }}
def @main(%x: {OPEN}) {{
  let %f = fn (%a: Tensor[(k + n), float32]) -> Tensor[(k), float32] {{ %x }};
  @f(%f(%x) + 1f)
}}"""
    for run in executors(text):
        assert run(np.ones(3, np.float32)).tolist() == [4, 4, 4]


def test_what_a_closure_promises_that_another_gave_is_tested_where_it_is_called():
    text = f"""
def @main(%m: Tensor[(m), float32], %x: {OPEN}, %y: Tensor[(?, ?), float32]) {{
  let %p = (fn (%a: Tensor[(m + 1), float32])
            -> fn (Tensor[(m + 1), float32]) -> Tensor[(?, 2 * m), float32] {{
    fn (%b: {OPEN}) -> Tensor[(?, ?), float32] {{ %y }} }}, %x);
  ((%p).0)(%x)(%x)
}}"""
    for run in executors(text):
        m, x = np.ones(2, np.float32), np.ones(3, np.float32)
        assert run(m, x, np.ones((2, 4), np.float32)).shape == (2, 4)
        with pytest.raises(RunError) as caught:
            run(m, x, np.ones((2, 3), np.float32))
        assert caught.value.code == "R054"


def test_a_name_that_nothing_tells_is_not_that_of_another_function():
    text = f"""
def @main(%x: {OPEN}, %y: Tensor[(?, ?), float32], %c: bool) {{
  let %f = fn (%a: {OPEN}) -> Tensor[(2, k + 1), float32] {{ %y }};
  (%f(%x), if (%c) {{
    let %g = if (%c) {{ fn (%b: Tensor[(k), float32]) {{ %b }} }}
             else {{ fn (%b: {OPEN}) {{ %x }} }};
    %g(%g(%x))
  }} else {{ %x }})
}}"""
    for run in (*executors(text), relay.compile(relay.parse(HEAD + text), batch=True)):
        for size in (1, 3):
            found = run(np.ones(size, np.float32), np.ones((2, 2), np.float32), True)
            assert [part.shape for part in found] == [(2, 2), (size,)]


def test_a_recursion_over_a_size_that_no_tensor_tells():
    text = f"""
def @f(%x: Tensor[(k + n), float32], %i: int32) -> Tensor[(k + n), float32] {{
  if (%i == 0) {{ %x }} else {{ 2f * @f(%x * 2f, %i - 1) }}
}}
def @main(%x: {OPEN}) {{ @f(%x, 2) }}"""
    for run in executors(text):
        assert run(np.ones(3, np.float32)).tolist() == [16, 16, 16]


def test_names_are_told_by_sums_of_others():
    text = f"""
def @main(%x: {OPEN}, %y: {OPEN}) {{
  let %f = fn (%a: Tensor[(n), float32], %b: Tensor[(k + n), float32]) -> Tensor[(k), float32] {{
    %y }};
  %f(%x, concatenate((%x, %x))) * 2f
}}"""
    for run in executors(text):
        assert run(np.ones(3, np.float32), np.ones(3, np.float32)).tolist() == [2, 2, 2]
        with pytest.raises(RunError) as caught:
            run(np.ones(3, np.float32), np.ones(2, np.float32))
        assert caught.value.code == "R054"


def test_a_name_is_another_one_outside_of_the_let_that_tells_it():
    text = f"""
def @main(%x: {OPEN}, %y: {OPEN}, %c: bool) {{
  let %s = if (%c) {{ let %u: Tensor[(k), float32] = tanh(%x); sum(zeros_like(%u)) }} else {{ 0f }};
  let %f: fn () -> {OPEN} = if (%c) {{
    let %u: Tensor[(k), float32] = tanh(%x); fn () {{ zeros(shape=[k], dtype="float32") }}
  }} else {{ fn () {{ %x }} }};
  let %k: Tensor[(k), float32] = %y * 2f;
  let %l: Tensor[(k), float32] = %y + %s;
  (%f(), %k + %l)
}}"""
    for run in executors(text):
        for condition, first in ((True, [0, 0]), (False, [1, 1])):
            found = run(np.ones(2, np.float32), np.ones(3, np.float32), condition)
            assert [part.tolist() for part in found] == [first, [3, 3, 3]]


def test_each_value_of_a_data_type_has_sizes_of_its_own():
    text = f"""
type Pair {{ Pair(Tensor[(n), float32], Tensor[(n), float32]) }}
def @main(%x: {OPEN}, %y: {OPEN}) {{
  let %first = match (Pair(%x, %x)) {{ Pair(%a, %b) => %a }};
  let %second = match (Pair(%y, %y)) {{ Pair(%a, %b) => %a }};
  match (Pair(%x, %x)) {{ Pair(%a, %b) =>
    match ((Pair(%y, %y), Pair(%first, %x))) {{ (Pair(%c, %d), Pair(%e, %f)) =>
      (%a + %b, %c + %d, %e, %second) }} }}
}}"""
    for run in executors(text):
        found = run(np.ones(2, np.float32), np.ones(3, np.float32))
        assert [part.tolist() for part in found] == [[2, 2], [2, 2, 2], [1, 1], [1, 1, 1]]


@pytest.mark.parametrize(
    ("join", "expected"),
    [
        ("concatenate((%x, %ones))", [[2, 3], [2, 3]]),
        ("concatenate((%x, %ones), axis=1)", [[2, 3]]),
        ("stack((%x, %ones))", [[[2, 3]], [[2, 3]]]),
    ],
)
def test_a_size_that_only_one_of_joined_tensors_states(join: str, expected: list[float]):
    text = f"""
def @main(%x: Tensor[(k, ?), float32], %y: Tensor[(1, ?), float32]) {{
  let %ones = ones(shape=[1, 1], dtype="float32");
  %y + {join}
}}"""
    x, y = np.array([[1]], np.float32), np.array([[1, 2]], np.float32)
    for run in executors(text):
        np.testing.assert_array_equal(run(x, y), expected)


def test_a_value_that_is_also_bound_by_a_let():
    text = f"""
def @any(%x: {OPEN}) -> {OPEN} {{ %x }}
def @main(%x: {THREE}) {{
  reverse({{ %0 = @any(%x); {{ let %same = %0; %0 }} }}, axis=0)
}}"""
    for run in executors(text):
        np.testing.assert_array_equal(run(np.arange(3, dtype=np.float32)), [2, 1, 0])
