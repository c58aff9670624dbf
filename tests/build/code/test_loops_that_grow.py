"""Loops whose first steps know sizes that would not fit in a branch that is not computed then."""

import numpy as np
import pytest

import relay
from relay.support.errors import RunError

TEXT = """#[version = "0.0.5"]
def @main(%n: int32, %x: Tensor[(2, 3), float32]) {{
  let %f = fn (
    %t: int32, %v: Tensor[(?, 3), float32], %o: Tensor[(?, ?, 3), float32]
  ) -> Tensor[(?, ?, 3), float32] {{
    if (%t < {steps}) {{
      let %w = concatenate((%v, %v));
      let %row = expand_dims(%w, axis=0);
      %f(%t + 1, %w, if (%t == 0) {{ %row }} else {{ concatenate((%o, %row)) }})
    }} else {{ %o }}
  }};
  %f(0, %x, zeros(shape=[0, 0, 3], dtype="float32"))
}}"""
X = np.ones((2, 3), "float32")


@pytest.mark.parametrize("kind", ["debug", "vm", "aot"])
@pytest.mark.parametrize("form", ["%n", "known"])
def test_what_the_first_step_does_not_compute(form: str, kind: str) -> None:
    """A loop that is peeled, and one that is written out."""
    for steps, shape in ((0, (0, 0, 3)), (1, (1, 4, 3))):
        text = TEXT.format(steps=steps if form == "known" else form)
        run = relay.create_executor(kind, relay.parse(text)).evaluate()
        assert run(np.int32(steps), X).shape == shape
    text = TEXT.format(steps=2 if form == "known" else form)
    run = relay.create_executor(kind, relay.parse(text)).evaluate()
    with pytest.raises(RunError, match="concatenate: axis 1: expected 4, found 8") as caught:
        run(np.int32(2), X)
    assert caught.value.code == "R054"
    assert caught.value.span is not None
    assert text.splitlines()[caught.value.span.line - 1].strip().startswith("%f(%t + 1")
