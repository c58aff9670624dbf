"""Operators whose arguments turn out not to fit stop every executor at one place, with one code."""

from typing import Any

import numpy as np
import pytest

import relay
from relay.support.errors import RunError
from tests.build.ways import ways

pytestmark = pytest.mark.values

HEAD = '#[version = "0.0.5"]\n'
ROW = "%x: Tensor[(n), float32]"
TABLE = "%x: Tensor[(n, m), float32]"
BOUNDS = "%b: Tensor[(1), int32], %e: Tensor[(1), int32], %s: Tensor[(1), int32]"
IMAGE = "%x: Tensor[(1, c, h, w), float32]"


def _zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


def _numbers(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


SLOW = (  # their kernels take seconds to compile
    "groups that do not divide the channels",
    "an empty image, spread",
    "an image, spread to no channel",
)


def named(cases: dict[str, Any]) -> list[Any]:
    """Return parameters of tests with the names of cases."""
    slow = pytest.mark.slow
    return [
        pytest.param(*case, id=name, marks=[slow] if name in SLOW else [])
        for name, case in cases.items()
    ]


STOPS: dict[str, tuple[str, str, str, tuple[np.ndarray, ...]]] = {
    "an index of an empty axis": (
        f"{ROW}, %i: Tensor[(k), int32]",
        'take(%x, %i, axis=0, mode="raise")',
        "R056",
        (_zeros(0), _numbers(0)),
    ),
    "the nearest element of none": (
        f"{ROW}, %i: Tensor[(k), int32]",
        "take(%x, %i, axis=0)",
        "R054",
        (_zeros(0), _numbers(0)),
    ),
    "gathering from an empty axis": (
        f"{ROW}, %i: Tensor[(k), int32]",
        "gather(%x, %i, axis=0)",
        "R056",
        (_zeros(0), _numbers(0)),
    ),
    "tuples of indices of an empty axis": (
        f"{ROW}, %i: Tensor[(1, k), int32]",
        "gather_nd(%x, %i)",
        "R056",
        (_zeros(0), _numbers(0)[None]),
    ),
    "advanced indices of an empty axis": (
        f"{ROW}, %i: Tensor[(k), int32]",
        "adv_index((%x, %i))",
        "R056",
        (_zeros(0), _numbers(0)),
    ),
    "a slice that runs backwards": (
        ROW,
        "strided_slice(%x, begin=[4], end=[2])",
        "R054",
        (_zeros(5),),
    ),
    "a slice that runs up with a stride that runs down": (
        ROW,
        "strided_slice(%x, begin=[0], end=[3], strides=[-1])",
        "R054",
        (_zeros(5),),
    ),
    "a part that is longer than the whole": (
        f"{ROW}, %y: Tensor[(m), float32]",
        "slice_like(%x, %y)",
        "R054",
        (_zeros(2), _zeros(3)),
    ),
    "cropping more than there is": (
        ROW,
        "nn.pad(%x, 0f, pad_width=[[-3, -3]])",
        "R054",
        (_zeros(5),),
    ),
    "the edge of nothing": (
        ROW,
        'nn.pad(%x, 0f, pad_width=[[1, 1]], pad_mode="edge")',
        "R054",
        (_zeros(0),),
    ),
    "a mirror that is wider than what it shows": (
        ROW,
        'nn.mirror_pad(%x, pad_width=[[3, 3]], mode="REFLECT")',
        "R054",
        (_zeros(2),),
    ),
    "reflecting more than there is": (
        ROW,
        'nn.pad(%x, 0f, pad_width=[[3, 3]], pad_mode="reflect")',
        "R054",
        (_zeros(2),),
    ),
    "a window that does not fit": (
        ROW,
        "sliding_window(%x, axis=0, window_shape=[4], strides=[2])",
        "R054",
        (_zeros(3),),
    ),
    "blocks that do not divide an axis": (
        IMAGE,
        'layout_transform(%x, src_layout="NCHW", dst_layout="NCHW4c")',
        "R054",
        (_zeros(1, 3, 2, 2),),
    ),
    "blocks of another length": (
        "%x: Tensor[(1, c, h, w, b), float32]",
        'layout_transform(%x, src_layout="NCHW4c", dst_layout="NCHW")',
        "R054",
        (_zeros(1, 1, 2, 2, 3),),
    ),
    "groups that do not divide the channels": (
        f"{IMAGE}, %w: Tensor[(c, 3, 3, 3), float32]",
        "nn.conv2d_transpose(%x, %w, kernel_size=[3, 3], channels=6, groups=2)",
        "R054",
        (_zeros(1, 3, 4, 4), _zeros(3, 3, 3, 3)),
    ),
    "groups that do not divide the channels of a gradient": (
        "%d: Tensor[(1, c, 2, 3), float32], %x: Tensor[(1, 6, 6, 6), float32]",
        "nn.conv2d_backward_weight(%d, %x, kernel_size=[3, 2], strides=[2, 2], groups=2)",
        "R054",
        (_zeros(1, 3, 2, 3), _zeros(1, 6, 6, 6)),
    ),
    "fewer sizes than axes": (
        "%b: Tensor[(1), int32], %s: Tensor[(k), int64]",
        "dyn.ranges(%b, %b, %b, %s, axes=[1])",
        "R054",
        (_numbers(1), np.array([3])),
    ),
    "two parts of a signal": (
        "%x: Tensor[(?), float32], %y: Tensor[(?), float32]",
        "dft(%x, %y).0",
        "R054",
        (_zeros(3), _zeros(2)),
    ),
    "a frame that is longer than the signal": (
        "%x: Tensor[(1, n), float32], %w: Tensor[(4), float32]",
        "stft(%x, %w, n_fft=4, hop_length=4)",
        "R054",
        (_zeros(1, 3), _zeros(4)),
    ),
    "a frame of two colours": (
        f"{ROW}, %c: Tensor[(k), float32]",
        "nn.pad(%x, %c, pad_width=[[1, 1]])",
        "R054",
        (_zeros(2), _zeros(2)),
    ),
    "blocks that do not divide an empty axis": (
        TABLE,
        "nn.space_to_batch_nd(%x, block_shape=[2], paddings=[[0, 0]])",
        "R054",
        (_zeros(0, 3),),
    ),
    "cropping more than blocks make": (
        TABLE,
        "nn.batch_to_space_nd(%x, block_shape=[2], crops=[[1, 2]])",
        "R054",
        (_zeros(2, 1),),
    ),
    "widths for another number of axes": (
        f"{ROW}, %w: Tensor[(?, ?), int32]",
        "dyn.nn.pad(%x, 0f, %w)",
        "R054",
        (_zeros(2), np.zeros((2, 2), np.int32)),
    ),
    "more cropped than there is with a frame": (
        f"{ROW}, %w: Tensor[(1, 2), int32]",
        "dyn.nn.pad(%x, 0f, %w)",
        "R054",
        (_zeros(0), _numbers(2, -3)[None]),
    ),
    "an edge that is cropped": (
        f"{ROW}, %w: Tensor[(1, 2), int32]",
        'dyn.nn.pad(%x, 0f, %w, pad_mode="edge")',
        "R054",
        (_zeros(5), _numbers(2, -3)[None]),
    ),
    "a mirror that is cropped": (
        f"{ROW}, %w: Tensor[(1, 2), int32]",
        'dyn.nn.pad(%x, 0f, %w, pad_mode="reflect")',
        "R054",
        (_zeros(5), _numbers(2, -3)[None]),
    ),
    "a diagonal of two lengths": (
        TABLE,
        'einsum((%x,), equation="ii->i")',
        "R054",
        (_zeros(1, 3),),
    ),
    "an image without a row that grows": (
        IMAGE,
        "nn.upsampling(%x, scale_h=2f, scale_w=2f)",
        "R054",
        (_zeros(1, 1, 0, 3),),
    ),
    "a diagonal of another length": (
        f"{TABLE}, %d: Tensor[(k), float32]",
        "matrix_set_diag(%x, %d)",
        "R054",
        (_zeros(2, 4), _zeros(3)),
    ),
    "an image without a row": (
        IMAGE,
        "image.resize2d(%x, size=[2, 2])",
        "R054",
        (_zeros(1, 1, 0, 3),),
    ),
    "blocks of space that do not divide it": (
        IMAGE,
        "nn.space_to_depth(%x, block_size=2)",
        "R054",
        (_zeros(1, 1, 3, 2),),
    ),
    "a part of a composite operator": (
        f"{TABLE}, %y: Tensor[(k), float32]",
        "nn.batch_norm(%x, %y, %y, %y, %y).0",
        "R054",
        (_zeros(2, 3), _zeros(2)),
    ),
    "a vector of which the layer has no use": (
        f"{TABLE}, %g: Tensor[(k), float32], %y: Tensor[(m), float32]",
        "nn.batch_norm(%x, %g, %y, %y, %y, scale=False).0",
        "R054",
        (_zeros(2, 3), _zeros(5), _zeros(3)),
    ),
    "one number for all channels": (
        f"{TABLE}, %g: Tensor[(k), float32], %y: Tensor[(m), float32]",
        "nn.batch_norm(%x, %g, %y, %y, %y).0",
        "R054",
        (_zeros(2, 3), _zeros(1), _zeros(3)),
    ),
    "more than the part that is replaced": (
        f"{ROW}, %v: Tensor[(k), float32], {BOUNDS}",
        "strided_set(%x, %v, %b, %e, %s)",
        "R054",
        (_zeros(6), _zeros(5), _numbers(1), _numbers(3), _numbers(1)),
    ),
    "less than the part that is replaced": (
        f"%x: Tensor[(6), float32], %v: Tensor[(1), float32], {BOUNDS}",
        "strided_set(%x, %v, %b, %e, %s)",
        "R054",
        (_zeros(6), _zeros(1), _numbers(1), _numbers(3), _numbers(1)),
    ),
    "another length beside the bounds": (
        f"{TABLE}, %v: Tensor[(k, l), float32], {BOUNDS}",
        "strided_set(%x, %v, %b, %e, %s)",
        "R054",
        (_zeros(0, 3), _zeros(0, 2), _numbers(1), _numbers(3), _numbers(1)),
    ),
    "two lengths of the new axis": (
        "%i: Tensor[(n), int32], %a: float32, %d: Tensor[(k), int32]",
        "dyn.one_hot(%i, %a, %a, %d)",
        "R054",
        (_numbers(1), np.array(1, np.float32), _numbers(4, 4)),
    ),
    "targets of another shape": (
        f"{TABLE}, %y: Tensor[(k, l), float32]",
        "nn.cross_entropy(%x, %y)",
        "R054",
        (_zeros(2, 3), _zeros(3, 3)),
    ),
    "a new axis where none can be": (
        f"{ROW}, %a: int32",
        "dyn.expand_dims(%x, %a)",
        "R056",
        (_zeros(3), np.array(7, np.int32)),
    ),
    "the maximum of an empty image": (
        IMAGE,
        "nn.global_max_pool2d(%x)",
        "R054",
        (_zeros(1, 1, 0, 0),),
    ),
    "an old axis where none is": (
        f"{TABLE}, %a: Tensor[(1), int32]",
        "dyn.squeeze(%x, %a)",
        "R056",
        (_zeros(1, 3), _numbers(2)),
    ),
}


@pytest.mark.parametrize(("params", "body", "code", "args"), named(STOPS))
def test_sizes_that_do_not_fit(params: str, body: str, code: str, args: tuple[np.ndarray, ...]):
    module = relay.parse(f"{HEAD}def @main({params}) {{\n  {body}\n}}")
    for name, run in ways(module).items():
        with pytest.raises(RunError) as caught:
            run(*args)
        assert caught.value.code == code, name
        assert str(caught.value.span).endswith(":3:3"), name


NOTHING = {
    "a convolution without taps": (
        'nn.conv2d(%x, zeros(shape=[1, 1, 0, 1], dtype="float32"))',
        _zeros(1, 1, 2, 2),
        0.0,
    ),
}


@pytest.mark.parametrize(("body", "image", "expected"), NOTHING.values(), ids=NOTHING)
def test_what_is_made_of_nothing(body: str, image: np.ndarray, expected: float):
    module = relay.parse(f"{HEAD}def @main({IMAGE.replace('c', '1')}) {{ {body} }}")
    found = [np.asarray(run(image)) for run in ways(module).values()]
    for each in found:
        np.testing.assert_array_equal(each, np.full(found[0].shape, expected, np.float32))


def test_a_slice_says_what_its_type_promised():
    module = relay.parse(
        f"{HEAD}def @main({ROW}) {{ strided_slice(%x, begin=[1], end=[{2**31 - 1}]) }}"
    )
    with pytest.raises(
        RunError, match="slice: the result has 0 elements, but its type says -1"
    ) as caught:
        relay.compile(module)(_zeros(0))
    assert caught.value.code == "R054"


def test_the_losses_of_a_batch_of_any_size():
    text = "%x: Tensor[(n, c), float32], %y: Tensor[(n, c), float32]"
    module = relay.parse(f"{HEAD}def @main({text}) {{ nn.cross_entropy(%x, %y) }}")
    x, y = np.array([[0.5, 0.5], [0.25, 0.75]], "f"), np.array([[1, 0], [0, 1]], "f")
    for run in ways(module).values():
        np.testing.assert_allclose(run(x, y), -(np.log(0.5) + np.log(0.75)) / 2, rtol=1e-6)


MADE = {
    "an image of a size that an input gives": (
        f"{IMAGE}, %s: Tensor[(k), int32], %r: Tensor[(4), float32]",
        'dyn.image.resize2d(%x, %s, %r, method="nearest_neighbor")',
        (_zeros(1, 1, 2, 2) + 1, _numbers(3, 4), _zeros(4)),
        _zeros(1, 1, 3, 4) + 1,
    ),
    "a part": (
        f"{ROW}, %v: Tensor[(k), float32], {BOUNDS}",
        "strided_set(%x, %v, %b, %e, %s)",
        (_zeros(6), _zeros(2) + 1, _numbers(-1), _numbers(-7), _numbers(-3)),
        np.array([0, 0, 1, 0, 0, 1], "f"),
    ),
    "a part of a range that runs backwards": (
        f"{ROW}, %v: Tensor[(k), float32], {BOUNDS}",
        "strided_set(%x, %v, %b, %e, %s)",
        (_zeros(3), _zeros(0), _numbers(2), _numbers(1), _numbers(1)),
        _zeros(3),
    ),
    "an axis as long as a vector says": (
        "%i: Tensor[(n), int32], %a: float32, %d: Tensor[(n), int32]",
        "dyn.one_hot(%i, %a, %a, %d)",
        (_numbers(1), np.array(1, np.float32), _numbers(2)),
        np.array([[1, 1]], "f"),
    ),
    "no element of rows that are not there": (
        TABLE,
        'take(%x, 5, axis=0, mode="raise")',
        (_zeros(2, 0),),
        _zeros(0),
    ),
    "no element of a tuple of indices": (
        f"{TABLE}, %i: Tensor[(1, k), int32]",
        "gather_nd(%x, %i)",
        (_zeros(2, 0), _numbers(5)[None]),
        _zeros(1, 0),
    ),
    "no element of advanced indices": (
        f"{TABLE}, %i: Tensor[(k), int32]",
        "adv_index((%x, %i))",
        (_zeros(2, 0), _numbers(5, 6)),
        _zeros(2, 0),
    ),
    "more cropped than there was before the frame": (
        f"{ROW}, %w: Tensor[(1, 2), int32]",
        "dyn.nn.pad(%x, 1f, %w)",
        (_zeros(1), _numbers(3, -2)[None]),
        _zeros(2) + 1,
    ),
    "nothing, spread": (
        ROW,
        "nn.dilate(%x, strides=[3])",
        (_zeros(0),),
        _zeros(0),
    ),
    "an image without a row, in blocks": (
        IMAGE,
        "nn.space_to_depth(%x, block_size=2)",
        (_zeros(1, 1, 0, 4),),
        _zeros(1, 4, 0, 2),
    ),
    "the frequencies of nothing": (ROW, "dft(%x, %x).0", (_zeros(0),), _zeros(0)),
    "a size that may be any": (
        "%x: Tensor[(?), float32]",
        "fits(%x, shape=[?])",
        (_zeros(2),),
        _zeros(2),
    ),
    "an empty image, spread": (
        "%x: Tensor[(b, c, h, w), float32], %w: Tensor[(c, o, k, k), float32]",
        "nn.conv2d_transpose(%x, %w, strides=[2, 2])",
        (_zeros(1, 2, 0, 1), _zeros(2, 3, 5, 5)),
        _zeros(1, 3, 3, 5),
    ),
    "an image, spread to no channel": (
        "%x: Tensor[(b, c, h, w), float32], %w: Tensor[(c, o, k, k), float32]",
        "nn.conv2d_transpose(%x, %w, strides=[2, 2])",
        (_zeros(1, 2, 1, 1), _zeros(2, 0, 2, 2)),
        _zeros(1, 0, 2, 2),
    ),
    "places in a shape of any rank": (
        "%i: Tensor[(n), int32], %s: Tensor[(?), int32]",
        "unravel_index(add(%i, 1), %s)",
        (_numbers(0, 6, 99, -3), _numbers(2, 2, 3)),
        np.array([[0, 1, 1, 0], [0, 0, 1, 0], [1, 1, 2, 0]], np.int32),
    ),
    "places in a shape without axes": (
        "%i: Tensor[(n), int32], %s: Tensor[(0), int32]",
        "unravel_index(%i, %s)",
        (_numbers(0, 1), _numbers()),
        np.zeros((0, 2), np.int32),
    ),
}


@pytest.mark.parametrize(("params", "body", "args", "expected"), named(MADE))
def test_what_fits(params: str, body: str, args: tuple[np.ndarray, ...], expected: np.ndarray):
    module = relay.parse(f"{HEAD}def @main({params}) {{ {body} }}")
    for run in ways(module).values():
        np.testing.assert_array_equal(np.asarray(run(*args)), expected)


def test_a_part_that_constants_name_fits_or_is_refused():
    x, v = relay.var("x", shape=(6,)), relay.var("v", shape=(2,))
    good, bad = (relay.Function((x, v), relay.strided_set(x, v, [1], [k])) for k in (3, 4))
    run = relay.create_executor("graph", relay.IRModule.from_expr(good)).evaluate()
    np.testing.assert_array_equal(np.asarray(run(_zeros(6), _zeros(2) + 1)), [0, 1, 1, 0, 0, 0])
    with pytest.raises(relay.RelayError, match="expected 3, found 2") as caught:
        relay.compile(relay.IRModule.from_expr(bad))
    assert caught.value.code == "T105"


@pytest.mark.parametrize("mode", ["clip", "wrap"])
def test_an_empty_axis_is_said_to_be_empty(mode: str):
    body = f'take(%x, %i, axis=0, mode="{mode}")'
    text = f"{HEAD}def @main({ROW}, %i: Tensor[(33), int32]) {{ {body} }}"
    with pytest.raises(RunError, match="the axis that is indexed has no elements"):
        relay.compile(relay.parse(text))(_zeros(0), np.zeros(33, np.int32))
