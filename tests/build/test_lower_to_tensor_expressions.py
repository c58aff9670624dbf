"""The tensor expressions of fused functions: their anchor, and the shapes of their parameters."""

import pytest

import relay
from relay.build.lower_to_tensor_expressions import formulas
from relay.ops.nn.matmul import Dense
from relay.targets.kernel_expressions import Formulas

FLAT, SQUARE = (12,), (3, 4)


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        ("negative(reshape(%x, newshape=[12]))", FLAT),  # without arithmetic on indices
        ("negative(reshape(%x, newshape=[12])) + exp(reshape(%x, newshape=[12]))", FLAT),
        ("negative(reshape_like(%x, %y))", FLAT),
        ("negative(reshape_like(%x, %x))", SQUARE),
        ("sum(%x) + negative(reshape(%x, newshape=[12]))", SQUARE),
        ("sum(reshape(%x, newshape=[4, 3])) + reshape(%x, newshape=[12]) * 2f", SQUARE),
        ("reshape(%x, newshape=[12])", SQUARE),  # a copy
    ],
)
def test_a_parameter_that_is_only_read_in_another_shape_has_that_shape(
    body: str, shape: tuple[int, ...]
):
    assert lowered(body, "%y: Tensor[(12), float32]").inputs[0].shape == shape


def test_the_anchor_is_the_operator_whose_loops_the_others_join():
    found = lowered("nn.relu(nn.dense(exp(%x), %y))", "%y: Tensor[(2, 4), float32]").anchor
    assert found is not None
    assert isinstance(found[0], Dense)
    assert found[1].shape == (3, 2)
    assert lowered("tanh(exp(%x))", "%y: float32").anchor is None


def lowered(body: str, y: str) -> Formulas:
    text = f"def @main(%x: Tensor[(3, 4), float32], {y}) {{ {body} }}"
    return formulas(relay.parse(f'#[version = "0.0.5"]\n{text}').main, "f")
