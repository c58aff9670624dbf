"""The door: what is admitted, what is converted, and how each mistake is explained."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as numpy_strategies

import relay
from relay.runtime import Signature, TensorSpec
from relay.runtime.arguments import ArgumentChecker
from relay.runtime.code.check_values import misfit
from relay.support.errors import RelayError, RunError


def door(*inputs: TensorSpec) -> ArgumentChecker:
    return ArgumentChecker(Signature(inputs, ()))


class Shy:
    """An array that lets itself be converted only on request, as those of some libraries."""

    def __array__(self, *_, **__):
        raise TypeError("implicit conversion to a NumPy array is not allowed")


class Wrapped:
    """An array of another library, which has only the method that NumPy calls."""

    def __init__(self, array):
        self.array = array

    def __array__(self, *_, **__):
        return self.array


PLAIN = door(TensorSpec("x", (2, 3), "float32"), TensorSpec("n", (), "int64"))
X, N = np.ones((2, 3), "float32"), np.int64(1)


def admit_one(value, dtype="float32", shape=(3,)):
    return door(TensorSpec("x", shape, dtype)).admit([value], {})[0]


def refused(given_door: ArgumentChecker, *args, **named) -> RunError:
    with pytest.raises(RunError) as caught:
        given_door.admit(args, named)
    return caught.value


@pytest.mark.parametrize(
    ("args", "named", "code", "words"),
    [
        ((X,), {}, "R001", "the program takes 2 inputs, not 1"),
        ((X, N, N), {}, "R001", "the program takes 2 inputs, not 3"),
        ((X, N, N), {"n": N}, "R001", "the program takes 2 inputs, not 4"),
        ((X,), {"x": X}, "R002", "'x' is given both"),
        ((X,), {"y": X}, "R002", "no input 'y'"),
        ((), {"n": N}, "R001", "the input 'x' is missing"),
        ((object(), N), {}, "R003", "'x' must be an array of numbers, not object"),
        (("text", N), {}, "R003", "'x' must be an array of numbers, not str"),
        ((Shy(), N), {}, "R003", "'x' must be an array of numbers, not Shy"),
        ((None, N), {}, "R003", "'x' must be an array of numbers, not NoneType"),
        (([[1.0], [2.0, 3.0]], N), {}, "R003", "'x' are not an array: some lengths differ"),
        ((np.array(["a"]), N), {}, "R006", "expected float32, given"),
        ((np.array([None]), N), {}, "R006", "expected float32, given object"),
        (
            (np.ones(3, "float32"), N),
            {},
            "R004",
            "expected 2 dimensions (2, 3), given 1: (3,)",
        ),
        (
            (np.ones((2, 4), "float32"), N),
            {},
            "R005",
            "expected (2, 3), given (2, 4); axis 1",
        ),
        ((np.ones((2, 3), "float64"), N), {}, "R006", "'x': expected float32, given float64"),
        ((X, 1.5), {}, "R006", "'n': expected int64, given float64"),
        ((X, Wrapped(np.array(1, np.int32))), {}, "R006", "'n': expected int64, given int32"),
        ((X, np.int32(1)), {}, "R006", "'n': expected int64, given int32"),
        ((X, True), {}, "R006", "'n': expected int64, given bool"),
        ((X, 2**63), {}, "R006", "'n': expected int64, given a number out of its range"),
        ((X, 2**70), {}, "R003", "'n' must be an array of numbers, not int"),
    ],
)
def test_mistakes_are_explained(args, named, code, words):
    error = refused(PLAIN, *args, **named)
    assert error.code == code
    assert words in error.message
    assert error.help


def test_arguments_are_found_by_name_and_place():
    for args, named in [((X, N), {}), ((X,), {"n": N}), ((), {"n": N, "x": X})]:
        x, n = PLAIN.admit(args, named)
        assert x is X
        assert n.shape == ()
        assert n == 1


def test_nothing_is_copied_where_it_fits():
    x = np.ones(3, "float32")
    assert admit_one(x) is x
    x.flags.writeable = False
    assert admit_one(x) is x


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::2],
        lambda a: a[::-1][:3],
        lambda a: np.broadcast_to(a[:1], (3,)),
        lambda a: np.frombuffer(b"\0" + a[:3].tobytes(), np.uint8)[1:].view("float32"),
        lambda a: a[:3].astype(">f4"),
    ],
)
def test_other_layouts_are_made_plain(view):
    source = view(np.arange(6, dtype="float32"))
    plain = admit_one(source, shape=source.shape)
    np.testing.assert_array_equal(plain, source)
    assert plain.flags.c_contiguous
    assert plain.flags.aligned
    assert plain.dtype == np.float32


@given(
    numpy_strategies.arrays(
        np.dtype("int32"), numpy_strategies.array_shapes(min_dims=2, max_dims=4, min_side=0)
    ),
    st.data(),
)
def test_transposed_arrays_keep_their_values(array, data):
    axes = data.draw(st.permutations(range(array.ndim)))
    turned = array.transpose(axes)
    plain = admit_one(turned, "int32", turned.shape)
    np.testing.assert_array_equal(plain, turned)
    assert plain.flags.c_contiguous


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        ([1, 2, 3], "float32", [1, 2, 3]),
        ([1.5, 2, 3], "float16", [1.5, 2, 3]),
        ([1, 2, 3], "uint8", [1, 2, 3]),
        ((True, False, True), "bool", [True, False, True]),
        ([1, 2, 3], "bfloat16", [1, 2, 3]),
        (range(3), "int64", [0, 1, 2]),
    ],
)
def test_python_numbers_take_the_inputs_type(value, dtype, expected):
    assert admit_one(value, dtype).tolist() == expected


def test_numbers_that_do_not_fit_are_refused():
    one = door(TensorSpec("x", (1,), "uint8"))
    assert refused(one, [256]).code == "R006"
    assert refused(one, [-1]).code == "R006"
    assert refused(one, [1.0]).code == "R006"
    assert refused(door(TensorSpec("x", (1,), "bool")), [1]).code == "R006"
    assert "integers from 0 to 255" in str(refused(one, [256]).help)


def test_an_empty_list_fits_any_type():
    assert admit_one([], "int64", (0,)).dtype == np.int64


def test_bfloat16_arrays_are_admitted():
    x = np.ones(3, ml_dtypes.bfloat16)
    assert admit_one(x, "bfloat16") is x
    error = refused(door(TensorSpec("x", (3,), "bfloat16")), np.ones(3))
    assert error.help == "convert it with x.astype(ml_dtypes.bfloat16)"


def test_a_tensor_of_pytorch_is_converted_by_its_own_method():
    torch = pytest.importorskip("torch")
    error = refused(door(TensorSpec("x", (3,), "float32")), torch.zeros(3, dtype=torch.float64))
    assert error.help == "convert it with x.to(torch.float32)"


def test_a_dictionary_of_inputs_is_passed_by_name():
    refusal = refused(door(TensorSpec("x", (3,), "float32")), {"x": 1})
    assert "fast(**inputs)" in str(refusal.help)


class Foreign:
    """An array of another library, which speaks DLPack only."""

    def __init__(self, array, device=1):
        self.array = array
        self.device = device

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return (self.device, 0)


def test_dlpack_is_viewed_not_copied():
    x = np.arange(3, dtype="float32")
    assert np.shares_memory(admit_one(Foreign(x)), x)


def test_dlpack_of_a_graphics_card_is_refused():
    error = refused(door(TensorSpec("x", (3,), "float32")), Foreign(np.ones(3), device=2))
    assert error.code == "R010"


@pytest.mark.torch
def test_torch_tensors_are_viewed():
    torch = pytest.importorskip("torch")
    tensor = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    view = admit_one(tensor, shape=(2, 3))
    tensor[0, 0] = 9
    assert view[0, 0] == 9
    np.testing.assert_array_equal(admit_one(tensor.T, shape=(3, 2)), tensor.T.numpy())
    learning = torch.ones(3, requires_grad=True)
    assert refused(door(TensorSpec("x", (3,), "float32")), learning).code == "R003"
    half = torch.arange(3).to(torch.bfloat16)
    assert admit_one(half, "bfloat16").tolist() == [0, 1, 2]


def test_symbolic_dimensions_take_one_size_a_call():
    both = door(TensorSpec("a", ("n", 2), "float32"), TensorSpec("b", ("n",), "float32"))
    both.admit([np.ones((3, 2), "float32"), np.ones(3, "float32")], {})
    both.admit([np.ones((0, 2), "float32"), np.ones(0, "float32")], {})
    error = refused(both, np.ones((3, 2), "float32"), np.ones(4, "float32"))
    assert error.code == "R007"
    assert "'b'" in error.message
    assert "'n' has size 4 in the input 'b', but 3" in error.message
    assert refused(both, np.ones((3, 3), "float32"), np.ones(3, "float32")).code == "R005"


def test_nobody_can_pass_an_array_of_one_shape_for_another():
    """Arrays with the same number of elements but another shape are another shape."""
    assert refused(PLAIN, np.ones((3, 2), "float32"), N).code == "R005"


@pytest.mark.torch
def test_torch_tensors_have_the_signs_that_they_postpone():
    torch = pytest.importorskip("torch")
    negative = torch.tensor([1 + 2j, 3 - 4j]).conj().imag
    assert negative.is_neg()
    np.testing.assert_array_equal(admit_one(negative, shape=(2,)), [-2, 4])
    np.testing.assert_array_equal(relay.const(negative).data, [-2, 4])


@pytest.mark.torch
def test_torch_tensors_without_memory_are_refused():
    torch = pytest.importorskip("torch")
    absent = torch.zeros(3, device="meta")
    assert refused(door(TensorSpec("x", (3,), "float32")), absent).code == "R010"
    with pytest.raises(RelayError, match="R010"):
        relay.const(absent)


def test_help_is_that_of_the_library_of_the_array():
    class Tensor:  # has `to`, and not `astype`, as those of PyTorch
        def __array__(self, dtype=None, copy=None):
            return np.ones((2, 3))

        def to(self, dtype):
            raise NotImplementedError

    for given_, how in ((Tensor(), r"x.to(torch.float32)"), (np.ones((2, 3)), "x.astype(")):
        with pytest.raises(RunError) as caught:
            door(TensorSpec("x", (2, 3), relay.float32)).admit((given_,), {})
        assert how in (caught.value.help or "")


def test_arrays_in_the_place_of_other_values_are_described():
    found = misfit("x", "a tuple of 2 values", np.ones(2, "float32"))
    assert found.message.endswith("given ndarray of float32 and shape (2,)")


def test_a_dictionary_in_place_of_named_inputs():
    checker = door(TensorSpec("x", (2,), relay.float32), TensorSpec("y", (2,), relay.float32))
    with pytest.raises(RunError, match="R001") as caught:
        checker.admit(({"x": np.ones(2), "y": np.ones(2)},), {})
    assert "fast(**inputs)" in (caught.value.help or "")


def test_an_input_may_have_the_name_self():
    x = relay.var("self", shape=(3,))
    module = relay.Module({"main": relay.Function((x,), relay.exp(x))})
    given = np.zeros(3, np.float32)
    for made in (relay.compile(module), relay.vm.compile(module)):
        assert np.array_equal(made(self=given), np.ones(3))
        (found,) = made.run(self=given).values()
        assert np.array_equal(found, np.ones(3))
