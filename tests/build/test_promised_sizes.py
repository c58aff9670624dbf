"""Sizes that parameters and lets promise: what does not have them stops at them."""

import numpy as np
import pytest

import relay
from relay.support.errors import RunError
from tests.build.ways import ways

HEAD = '#[version = "0.0.5"]\n'


def _ones(size: int) -> np.ndarray:
    return np.ones(size, np.float32)


DEMANDS = {
    "of a function of the module": (
        """def @apply(
  %a: Tensor[(3), float32]
) -> float32 { sum(%a) }
def @main(%x: Tensor[(n), float32]) {
  let %y: Tensor[(?), float32] = %x;
  @apply(%y)
}""",
        "3:3",
    ),
    "of a local function": (
        """def @main(%x: Tensor[(n), float32]) {
  let %f = fn (%a: Tensor[(3), float32]) { sum(%a) };
  let %y: Tensor[(?), float32] = %x;
  %f(%y)
}""",
        "3:16",
    ),
    "of a closure that is passed": (
        """def @apply(%h: fn (Tensor[(?), float32]) -> float32, %x: Tensor[(?), float32]) { %h(%x) }
def @main(%x: Tensor[(n), float32]) {
  let %f = fn (%a: Tensor[(3), float32]) { sum(%a) };
  @apply(%f, %x)
}""",
        "4:16",
    ),
}


@pytest.mark.parametrize(("text", "place"), DEMANDS.values(), ids=DEMANDS)
def test_what_does_not_fit_stops_at_the_parameter(text: str, place: str):
    for name, run in ways(relay.parse(HEAD + text)).items():
        with pytest.raises(RunError, match="%a has size 4 at axis 0, not 3") as caught:
            run(_ones(4))
        assert caught.value.code == "R054", name
        assert str(caught.value.span).endswith(f":{place}"), name


def test_what_a_list_holds_that_does_not_fit_has_a_place():
    text = """import "prelude.rly"
def @main(%x: Tensor[(n), float32]) {
  let %l: List[Tensor[(?), float32]] = Cons(%x, Nil);
  @map(fn (%a: Tensor[(3), float32]) { sum(%a) }, %l)
}"""
    for run in ways(relay.parse(HEAD + text)).values():
        with pytest.raises(RunError, match="has size 4 at axis 0, not 3") as caught:
            run(_ones(4))
        assert caught.value.span is not None


STEPS = """  let %step: fn (Tensor[(n), float32], int32) -> Tensor[(n), float32] =
    fn (%v: Tensor[(n), float32], %i: int32) -> Tensor[(n), float32] {
      if (%i == 0) { %v } else { %step(%y, %i - 1) }
    };
"""


@pytest.mark.parametrize("start", ["%step(%x, 2)", "%step(%y, 0)"], ids=["a step", "the first"])
def test_what_steps_are_given_is_tested_though_their_number_is_known(start: str):
    main = "def @main(%x: Tensor[(n), float32], %y: Tensor[(?), float32]) -> Tensor[(n), float32]"
    for name, run in ways(relay.parse(f"{HEAD}{main} {{\n{STEPS}  {start}\n}}")).items():
        np.testing.assert_array_equal(run(_ones(4), _ones(4)), _ones(4))
        with pytest.raises(RunError) as caught:
            run(_ones(4), _ones(2))
        assert caught.value.code == "R054", name
