"""Data-dependent indices against NumPy, PyTorch and ONNX Runtime."""

import numpy as np
import onnxruntime
import pytest
from onnx import helper

from relay.ir.types import TensorType
from relay.ops.tensor.gather import Gather, GatherGrad, GatherND, Take, TakeGrad
from relay.ops.tensor.scatter import ScatterElements, ScatterND
from relay.support.errors import RelayTypeError, RunError

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

rng = np.random.default_rng(7)


def onnx_value(op: str, *arrays: np.ndarray, **attributes) -> np.ndarray:
    """Return what ONNX Runtime computes for one operator."""
    infos = [
        helper.make_tensor_value_info(f"x{i}", helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
        for i, a in enumerate(arrays)
    ]
    kind = helper.np_dtype_to_tensor_dtype(arrays[0].dtype)
    node = helper.make_node(op, [info.name for info in infos], ["y"], **attributes)
    out = helper.make_tensor_value_info("y", kind, None)
    graph = helper.make_graph([node], "g", infos, [out])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return np.asarray(session.run(None, {f"x{i}": a for i, a in enumerate(arrays)})[0])


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("mode", ["clip", "wrap"])
def test_take_is_numpys(axis, mode):
    x = rng.standard_normal((4, 5, 3)).astype(np.float32)
    indices = rng.integers(-9, 9, (2, 3))
    found = Take(axis=axis, mode=mode).reference(x, indices)
    np.testing.assert_array_equal(found, np.take(x, indices, axis, mode=mode))
    flat = Take(mode=mode).reference(x, indices * 20)
    np.testing.assert_array_equal(flat, np.take(x, indices * 20, mode=mode))


def test_take_with_common_axes():
    x, indices = rng.standard_normal((2, 5, 3)), rng.integers(0, 5, (2, 4))
    found = Take(axis=1, batch_dims=1).reference(x, indices)
    np.testing.assert_array_equal(found, np.stack([x[b][indices[b]] for b in range(2)]))
    assert Take(-1, 1).infer(TensorType((2, 5, 3)), TensorType((2, 4), "int64")).shape == (2, 4, 3)


@pytest.mark.parametrize("axis", [0, 1])
def test_gather_is_onnxs_gather_elements(axis):
    x, indices = rng.standard_normal((3, 4)), rng.integers(-3, 3, (3, 4))
    expected = onnx_value("GatherElements", x, indices, axis=axis)
    np.testing.assert_array_equal(Gather(axis).reference(x, indices), expected)


@pytest.mark.parametrize("batch", [0, 1])
def test_gather_nd_is_onnxs_with_the_tuple_first(batch):
    x, indices = rng.standard_normal((2, 3, 4)), rng.integers(-2, 2, (2, 5, 1))
    expected = onnx_value("GatherND", x, indices, batch_dims=batch)
    found = GatherND(batch).reference(x, np.moveaxis(indices, -1, 0))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("reduction", ["none", "add", "mul", "min", "max"])
@pytest.mark.parametrize("kind", [np.float32, np.int64])
def test_scatter_elements_is_onnxs(reduction, kind):
    data = rng.integers(-5, 5, (4, 5)).astype(kind)
    indices = rng.integers(-4, 4, (3, 5)) if reduction != "none" else np.array([[0, -1, 2, 3, 1]])
    updates = rng.integers(-5, 5, indices.shape).astype(kind)
    expected = onnx_value("ScatterElements", data, indices, updates, axis=0, reduction=reduction)
    ours = "update" if reduction == "none" else reduction
    found = ScatterElements(0, ours).reference(data, indices, updates)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", [np.float64, np.int64])
def test_the_scattered_mean_is_pytorchs(kind):
    data, updates = (rng.integers(-9, 9, n).astype(kind) for n in (4, 6))
    indices = np.array([1, 0, 1, 1, 3, 0])
    expected = torch.scatter_reduce(torch.tensor(data), 0, torch.tensor(indices),
                                    torch.tensor(updates), "mean")  # fmt: skip
    found = ScatterElements(0, "mean").reference(data, indices, updates)
    np.testing.assert_allclose(found, expected.numpy())


@pytest.mark.parametrize("reduction", ["none", "add", "mul", "min", "max"])
def test_scatter_nd_is_onnxs_with_the_tuple_first(reduction):
    data = rng.standard_normal((4, 5, 2))
    indices = np.array([[0, 1], [3, 4], [2, 2]])
    updates = rng.standard_normal((3, 2))
    expected = onnx_value("ScatterND", data, indices, updates, reduction=reduction)
    mode = "update" if reduction == "none" else reduction
    found = ScatterND(mode).reference(data, indices.T.copy(), updates)
    np.testing.assert_allclose(found, expected)


def test_the_last_write_wins():
    found = ScatterElements().reference(np.zeros(3), np.array([1, 1, -1]), np.arange(1.0, 4.0))
    np.testing.assert_array_equal(found, [0, 2, 3])


@pytest.mark.parametrize("axis", [0, 1])
def test_derivatives_of_gathers_are_pytorchs(axis):
    x = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    indices = torch.randint(0, 3, (4, 3))
    y = torch.gather(x, axis, indices)
    d = torch.randn_like(y)
    (expected,) = torch.autograd.grad(y, x, d)
    arrays = (d.numpy(), indices.numpy(), x.detach().numpy())
    np.testing.assert_allclose(GatherGrad(axis).reference(*arrays), expected.numpy())


def test_derivative_of_an_embedding_is_pytorchs():
    table = torch.randn(5, 3, dtype=torch.float64, requires_grad=True)
    ids = torch.tensor([[0, 4], [4, 4]])
    y = torch.nn.functional.embedding(ids, table)
    d = torch.randn_like(y)
    (expected,) = torch.autograd.grad(y, table, d)
    arrays = (d.numpy(), ids.numpy(), table.detach().numpy())
    np.testing.assert_allclose(TakeGrad(axis=0).reference(*arrays), expected.numpy())


def test_nothing_is_read_from_an_empty_axis():
    rule = Take(axis=0)
    with pytest.raises(RelayTypeError, match="T105"):
        rule.infer(TensorType((0,)), TensorType((2,), "int64"))
    assert rule.infer(TensorType((0,)), TensorType((0,), "int64")).shape == (0,)


@pytest.mark.parametrize("rule", [Take(axis=0, mode="raise"), Gather(0)])
def test_indices_of_an_empty_axis_are_found_out_of_range(rule):
    assert rule.infer(TensorType((0,)), TensorType((2,), "int64")).shape == (2,)
    with pytest.raises(RunError, match="R056"):
        rule.reference(np.zeros(0, "f"), np.zeros(2, np.int64))


def test_indices_must_be_integers():
    with pytest.raises(RelayTypeError, match="T102"):
        Take(axis=0).infer(TensorType((4,)), TensorType((2,), "float32"))


def test_batch_axes_of_gather_nd_have_equal_sizes():
    data, indices = TensorType((2, 4), "float32"), TensorType((1, 3), "int64")
    with pytest.raises(RelayTypeError, match="sizes of the batch axes"):
        GatherND(batch_dims=1).infer(data, indices)
