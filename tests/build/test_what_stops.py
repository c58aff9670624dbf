"""Programs that stop: compiled ones where the evaluator does, and with an error of ours."""

import numpy as np
import pytest

import relay
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayError

HEAD = '#[version = "0.0.5"]\nimport "prelude.rly"\ntype Either { Left, Right }\n'


@pytest.mark.parametrize(
    "body",
    [
        "match? (Left) { Right => 1 }; 3",
        "let %x = @hd(Nil[int32]); 3",
        "let %f = fn () { match? (Left) { Right => 1 } }; %f(); 3",
    ],
)
def test_a_value_that_nobody_uses_is_computed_all_the_same(body: str):
    module = relay.parse(f"{HEAD}def @main() {{ {body} }}")
    with pytest.raises(RelayError, match="R040"):
        evaluate(module)
    with pytest.raises(RelayError, match="R040"):
        relay.compile(module)()


@pytest.mark.parametrize("body", ["arange(0, 10, 0)", "arange(0f, nanf, 1f)"])
def test_constants_without_a_value(body: str):
    module = relay.parse(f"{HEAD}def @main() {{ {body} }}")
    with pytest.raises(RelayError, match="R053"):
        evaluate(module)
    with pytest.raises(RelayError):
        relay.compile(module)()


def test_vectors_of_elements():
    module = relay.parse(f"{HEAD}def @main(%x: Tensor[(2), float32x4]) {{ %x + %x }}")
    with pytest.raises(RelayError, match="T018"):
        evaluate(module, np.ones((2, 4), np.float32))
    with pytest.raises(RelayError):
        relay.compile(module)
