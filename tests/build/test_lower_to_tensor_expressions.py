"""The tensor expressions of fused functions: in which shape they read their parameters."""

import pytest

import relay
from relay.build.lower_to_tensor_expressions import formulas

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
    params = "%x: Tensor[(3, 4), float32], %y: Tensor[(12), float32]"
    main = relay.parse(f'#[version = "0.0.5"]\ndef @main({params}) {{ {body} }}').main
    assert formulas(main, "f").inputs[0].shape == shape
