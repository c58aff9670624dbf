"""The test-suite of the ONNX standard: operators as the importer translates them, by reference."""

from typing import Any, cast

import numpy as np
import onnx
import pytest

from relay.support.errors import RelayError
from tests.frontend import backend
from tools.onnx_cases import node_cases

REJECTED = {
    "F044": ("test_loop13_seq", "test_loop16_seq_none"),  # declared as scalars, but rows are put in
}
"""What is outside of Relay's operators, by the code of the error that says so."""

DIFFERENT = {
    "test_affine_grid_3d_align_corners_expanded",  # a shape whose length is known at run time only
    "test_affine_grid_3d_expanded",
    "test_bernoulli",  # random numbers of another generator
    "test_bernoulli_double",
    "test_bernoulli_double_expanded",
    "test_bernoulli_expanded",
    "test_bernoulli_seed",
    "test_bernoulli_seed_expanded",
    "test_einsum_batch_matmul_bfloat16",  # NumPy's einsum, our reference, has no bfloat16
    "test_einsum_sum_bfloat16",
    "test_loop11",  # collects rows of a length that changes, in a loop that data end
    "test_resize_downsample_scales_cubic_align_corners",  # ONNX Runtime differs there, too
    "test_resize_downsample_scales_linear_align_corners",
    "test_training_dropout",  # random numbers of another generator
    "test_training_dropout_default",
    "test_training_dropout_default_mask",
    "test_training_dropout_mask",
}

TOLERANCE = {"bfloat16": (2e-2, 1e-2), "float16": (5e-3, 1e-3)}
EXPECTED_ERRORS = {name: code for code, names in REJECTED.items() for name in names}


def leaves(value: Any) -> list[Any]:
    """Return the arrays in lists; an optional value that is absent is an empty one."""
    if isinstance(value, list):
        return [leaf for each in cast("list[Any]", value) for leaf in leaves(each)]
    return [] if value is None else [value]


def run(model: onnx.ModelProto, inputs: list[Any]) -> list[Any]:
    """Run a model; skip the test if it has element types that Relay does not have."""
    try:
        return backend.run(model, inputs)
    except RelayError as error:
        if error.code == "F017":
            pytest.skip(error.message)
        raise


@pytest.mark.parametrize("name", [n for n in backend.names() if n not in EXPECTED_ERRORS])
def test_a_case_of_the_standard(name: str) -> None:
    if name in DIFFERENT:
        pytest.skip("known to differ; see the list")
    case = backend.cases()[name]
    for inputs, outputs in case.data_sets:
        found = run(case.model, [backend.as_array(each) for each in inputs])
        assert len(found) == len(outputs)
        expected = [backend.as_array(each) for each in outputs]
        for actual, stored in zip(leaves(found), leaves(expected), strict=True):
            assert actual.dtype == stored.dtype
            relative, absolute = TOLERANCE.get(stored.dtype.name, (1e-3, 1e-5))
            np.testing.assert_allclose(
                np.asarray(actual, np.float64),
                np.asarray(stored, np.float64),
                rtol=max(relative, case.rtol or 0),
                atol=absolute,
                strict=True,
            )


@pytest.mark.parametrize("name", EXPECTED_ERRORS)
def test_what_is_not_supported_says_so(name: str) -> None:
    case = node_cases()[name]
    with pytest.raises(RelayError) as caught:
        backend.run(case.model, [backend.as_array(each) for each in case.data_sets[0][0]])
    assert caught.value.code == EXPECTED_ERRORS[name]
