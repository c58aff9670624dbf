"""The builder functions: the classic signatures, and the calls that they build."""

import inspect
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import relay
from relay.ir.walk import free_vars
from relay.opdef.table import OPERATORS
from relay.ops.functions import core, image, nn, qnn, random, vision
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayError, RelayTypeError

MODULES = {"core": core, "nn": nn, "image": image, "qnn": qnn, "random": random, "vision": vision}
LINES = (Path(__file__).parent / "classic_signatures.txt").read_text("utf-8").splitlines()
EXTRA = {
    "broadcast_to": {"dtype"},
    "clip": {"strict"},
    "conv2d_backward_weight": {"out_layout"},
    "max": {"ties"},
    "min": {"ties"},
    "relu": {"strict"},
    "reverse_reshape": {"allowzero"},
    "roi_align": {"aligned"},
    "sort": {"dtype"},
    "space_to_depth": {"mode"},
}
WITHOUT = {"bitpack": {"name"}, "conv2d_backward_weight": {"grad_layout"}}


def split_parameters(text: str) -> dict[str, str | None]:
    found = re.findall(r"(\w+)(?:=((?:\([^)]*\)|'[^']*'|[^,(])+))?(?:, |$)", text)
    return {name: default or None for name, default in found}


@pytest.mark.parametrize("line", LINES)
def test_the_signature_is_the_classic_one(line: str):
    module, name, text = re.findall(r"(\w+)\.(\w+)\((.*)\)$", line)[0]
    ours = inspect.signature(getattr(MODULES[module], name)).parameters
    classic = split_parameters(text)
    expected = [each for each in classic if each not in WITHOUT.get(name, ())]
    assert [each for each in ours if each not in EXTRA.get(name, ())] == expected
    for each, default in classic.items():
        if default is not None and each in ours:
            assert ours[each].default is not inspect.Parameter.empty, each


def cases():
    own = {f"{key}." if key != "core" else "": module for key, module in MODULES.items()}
    for name, cls in OPERATORS.items():
        prefix, dot, tail = name.rpartition(".")
        module = own.get(prefix + dot)
        function = getattr(module, tail, None) if module else None
        if function is not None and function.__doc__ == cls.__doc__:
            yield pytest.param(cls, function, id=name)


@pytest.mark.parametrize(("cls", "function"), [*cases()])
def test_a_built_call_is_the_call_of_the_operator(cls, function):
    for example in cls.examples:
        variables = [relay.Var(f"x{i}", ty) for i, ty in enumerate(example.types)]
        names = [n for n in inspect.signature(function).parameters if n not in cls.__match_args__]
        given = dict(zip(names, variables, strict=True))
        defaults = {n: getattr(cls(**example.attributes), n) for n in cls.__match_args__}
        takes = inspect.signature(function).parameters
        call = function(**given, **{n: v for n, v in defaults.items() if n in takes})
        assert call.op is cls(**example.attributes)
        assert call.args == tuple(variables)


def test_every_function_says_what_it_does():
    for module in MODULES.values():
        for name in dir(module):
            assert getattr(module, name).__doc__, name


def test_numbers_and_lists_are_arguments():
    x = relay.var("x", shape=(2, 3), dtype="float64")
    assert relay.maximum(x, 0).args[1].type is relay.TensorType((), "float64")
    joined = relay.concatenate([x, x], axis=1)
    assert joined.type is relay.TensorType((2, 6), "float64")
    assert relay.nn.pad(x, ((0, 0), (1, 1))).type is relay.TensorType((2, 5), "float64")


def operator_of(call: Any) -> str:
    return call.op.name


def test_shapes_may_be_tensors():
    x = relay.var("x", shape=(2, 3))
    assert relay.reshape(x, relay.const([3, 2])).op is relay.op.get("reshape", newshape=(3, 2))
    there = relay.reshape(x, relay.var("s", shape=(2,), dtype="int64"))
    assert operator_of(there) == "dyn.reshape"
    sliced = relay.strided_slice(x, [0, 1], relay.var("e", shape=(2,), dtype="int32"), [1, 1])
    assert operator_of(sliced) == "dyn.strided_slice"
    assert operator_of(relay.full(1.0, relay.var("s", shape=(2,), dtype="int64"))) == "dyn.full"


def value_of(expr: Any, **inputs: Any) -> Any:
    module = relay.Module.of(relay.Function(tuple(free_vars(expr)), expr))
    arrays = [inputs[param.name] for param in module.main.params]
    return evaluate(module, *arrays)


X = np.arange(12, dtype=np.float32).reshape(3, 4) / 7


@pytest.mark.parametrize(
    ("of", "expected"),
    [
        (lambda x: relay.std(x, axis=1, unbiased=True), X.std(axis=1, ddof=1)),
        (lambda x: relay.mean_variance(x, axis=0, keepdims=True)[1], X.var(axis=0, keepdims=True)),
        (lambda x: relay.mean_std(x, axis=0)[0], X.mean(axis=0)),
        (lambda x: relay.logsumexp(x, axis=1), np.log(np.exp(X).sum(axis=1))),
        (relay.logsumexp, np.log(np.exp(X).sum())),
        (lambda x: relay.where(x < 1, 0, x), np.where(X < 1, 0, X)),
        (relay.nn.dropout, X),
        (lambda x: relay.nn.matmul(x, x, transpose_b=True), X @ X.T),
        (lambda x: relay.trilu(x, 1), np.triu(X, 1)),
        (lambda x: relay.arange(1, 2, 0.25) + relay.sum(x), np.arange(1, 2, 0.25) + X.sum()),
        (lambda x: relay.take(x, relay.const([2, 0]), 1), X[:, [2, 0]]),
        (lambda x: relay.gather(x, 1, relay.const([[1], [0], [3]])), X[[0, 1, 2], [1, 0, 3], None]),
        (lambda x: relay.segment_sum(x, relay.const([1, 0, 1]), 2), np.stack([X[1], X[0] + X[2]])),
        (
            lambda x: relay.one_hot(relay.const([1, 0]), 1, 0, 3, -1, "float32") + relay.min(x),
            np.eye(3)[[1, 0]] + X.min(),
        ),
        (
            lambda x: relay.strided_set(x, relay.const([[7.0]]), [1, 1], [2, 2]),
            np.where(np.arange(12).reshape(3, 4) == 5, 7.0, X),
        ),
        (
            lambda x: relay.matrix_set_diag(x, relay.const([1.0, 2.0, 3.0]), 1),
            X * (1 - np.eye(3, 4, 1)) + np.eye(3, 4, 1) * [[1], [2], [3]],
        ),
    ],
)
def test_what_is_written_by_hand_means_what_numpy_says(of, expected):
    value = value_of(of(relay.var("x", shape=X.shape)), x=X)
    if expected.ndim == 2 and expected.shape != value.shape:
        expected = expected.reshape(value.shape)
    np.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-6)


def test_frames_of_a_signal_have_their_transforms():
    signal = np.sin(np.arange(16, dtype=np.float32))[None]
    value = value_of(relay.stft(relay.var("x", shape=(1, 16)), 8, hop_length=4), x=signal)
    frames = np.stack([np.fft.rfft(signal[0, at : at + 8]) for at in (0, 4, 8)], axis=-1)
    np.testing.assert_allclose(value[0, ..., 0] + 1j * value[0, ..., 1], frames, atol=1e-5)


def test_different_elements():
    first, *_, number = relay.unique(relay.var("x", shape=(4,), dtype="int32"))
    data = np.array([3, 1, 3, 2], np.int32)
    np.testing.assert_array_equal(value_of(first, x=data)[:3], [1, 2, 3])
    np.testing.assert_array_equal(value_of(number, x=data), [3])


def test_overlapping_boxes_are_suppressed():
    boxes = relay.var("b", shape=(1, 6, 4))
    scores = relay.var("s", shape=(1, 2, 6))
    call: Any = relay.vision.all_class_non_max_suppression(boxes, scores, 3, 0.5)
    assert call.type.fields[0].rank == 2


def test_variables_and_constants():
    assert relay.var("x").ty is None
    assert relay.var("x", "int64").type is relay.TensorType((), "int64")
    assert relay.var("x", relay.TensorType((relay.Any(),))).tensor_type.shape == (relay.ANY,)
    assert relay.const(1).type is relay.TensorType((), "int32")
    assert relay.const(1.0).type is relay.TensorType((), "float32")
    assert relay.const(True).type is relay.TensorType((), "bool")
    assert relay.const(np.zeros(2)).type is relay.TensorType((2,), "float32")
    assert relay.const(np.zeros(2, np.int8)).type is relay.TensorType((2,), "int8")
    assert relay.ShapeVar("s").kind.name == "SHAPE"


def test_what_is_refused():
    with pytest.raises(RelayTypeError, match="T014"):
        relay.var("x", "float32", shape=(2,))
    for number, element in ((2**40, None), (2**70, "int64"), (-1, "uint8")):
        with pytest.raises(RelayTypeError, match="T012"):
            relay.const(number, element)
    with pytest.raises(RelayTypeError, match="T005"):
        relay.op.get("nn.reluu")
    with pytest.raises(AttributeError, match="no_such"):
        relay.no_such  # noqa: B018 - the access is the test
    with pytest.raises(AttributeError, match="no_such"):
        getattr(relay.nn, "no_such")  # noqa: B009 - the type checker knows that it is not there


def test_attributes_in_the_classic_place_of_a_call():
    x = relay.var("x", shape=(2, 3))
    softmax = relay.op.get("nn.softmax")
    classic: Any = relay.Call
    wanted = relay.op.get("nn.softmax", axis=0)

    class Attributes:
        """An object that has them."""

        def __init__(self) -> None:
            self.axis = 0

    for given in ({"axis": 0}, Attributes(), wanted):
        call = classic(softmax, [x], given)
        assert call.op is wanted
        assert call.type_arguments == ()
    assert classic(softmax, [x], None).op == softmax
    f = relay.GlobalVar("f")
    assert classic(f, [x], [relay.scalar_type("int32")]).type_args


@pytest.mark.parametrize(
    ("op", "attributes"),
    [
        ("nn.softmax", {"axes": 0}),
        ("nn.softmax", [1]),
        ("nn.softmax", 3),
        ("nn.softmax", "axis"),
        (None, {"axis": 0}),
    ],
)
def test_what_cannot_be_the_attributes_of_a_call(op: str | None, attributes: Any):
    x = relay.var("x", shape=(2, 3))
    callee = relay.GlobalVar("f") if op is None else relay.op.get(op)
    with pytest.raises(RelayError, match="T016"):
        relay.Call(callee, (x,), attributes)


def test_operators_that_need_attributes():
    with pytest.raises(RelayError, match=r"T016.*newshape"):
        relay.Call(relay.op.get("reshape"), [relay.var("x", shape=(2, 3))])
    with pytest.raises(RelayError, match="T016"):
        relay.op.get("nn.softmax", axes=1)


@pytest.mark.parametrize("given", ["a", None, ["a"]])
def test_a_constant_is_made_of_numbers(given: Any):
    for dtype in (None, "float32"):
        with pytest.raises(RelayError, match="T012"):
            relay.const(given, dtype)


def test_a_constant_shares_read_only_arrays_and_copies_others():
    data = np.ones(4, np.float32)
    frozen, view = data.copy(), data.view()
    frozen.flags.writeable = view.flags.writeable = False
    assert relay.const(frozen).array is frozen
    for each in (data, view):  # whoever has `data` may change both
        assert not np.shares_memory(relay.const(each).data, data)


def test_a_misspelt_operator_is_corrected():
    with pytest.raises(AttributeError, match="no attribute 'conv2dd'; did you mean conv2d"):
        getattr(relay.nn, "conv2dd")  # noqa: B009 - the type checker knows that it is not there


def test_functions_of_unknown_sizes() -> None:
    x = relay.var("x", shape=(relay.Any(), relay.Any()))
    summed = relay.segment_sum(x, relay.const([1, 0, 1]), 4)
    run = relay.compile(relay.IRModule.from_expr(relay.Function((x,), summed)))
    np.testing.assert_allclose(run(X)[:2], [X[1], X[0] + X[2]], rtol=1e-6)
    a = relay.var("a", shape=(relay.Any(), relay.Any()), dtype="uint8")
    b = relay.var("b", shape=(relay.Any(),), dtype="uint8")
    s, z = relay.const(1.0, "float32"), relay.const(0)
    whole = relay.qnn.add(a, b, s, z, s, z, s, z)
    added = relay.compile(relay.IRModule.from_expr(relay.Function((a, b), whole)))
    small = np.arange(6, dtype=np.uint8).reshape(2, 3)
    np.testing.assert_array_equal(added(small, small[1]), small + small[1])
    np.testing.assert_array_equal(added(small, small[1, :1]), small + small[1, :1])


def test_sparse_matrices_are_those_of_scipy_or_their_parts() -> None:
    def value(call: Any) -> Any:
        return evaluate(relay.IRModule.from_expr(call))

    dense = np.array([[1, 0, 2], [0, 0, 3], [4, 5, 0]], np.float32)
    data, indices, indptr = [1, 2, 3, 4, 5], [0, 2, 2, 0, 1], [0, 2, 3, 5]
    parts = np.array(data, "f"), np.array(indices, np.int32), np.array(indptr, np.int32)
    matrix = SimpleNamespace(**dict(zip(("data", "indices", "indptr"), parts, strict=True)))
    x = relay.const(np.arange(9, dtype=np.float32).reshape(3, 3))
    for given in (matrix, parts):
        product = value(relay.nn.sparse_dense(x, given))
        np.testing.assert_allclose(product, x.data @ dense.T)
        np.testing.assert_allclose(value(relay.nn.sparse_add(x, given)), x.data + dense)
        first, *_ = value(relay.nn.sparse_transpose(given))
        np.testing.assert_array_equal(first, [1, 4, 5, 2, 3])
    with pytest.raises(
        RelayError, match="the sparse matrix must be one of SciPy or its parts, not 3"
    ):
        relay.nn.sparse_add(x, 3)
