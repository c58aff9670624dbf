"""Make frozen TensorFlow graphs of families of operators, with TensorFlow's results.

    python tools/tensorflow_operators.py tests/frontend/tensorflow/operators.zip [NAME …]

Needs the package tensorflow. Every function in `GRAPHS` is one graph that returns the results of
several operators.
"""

# What TensorFlow gives has no types.
# pyright: reportUnknownLambdaType=none, reportUnknownArgumentType=none
# pyright: reportUnknownVariableType=none

import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # tools is that of this checkout
from tools.tensorflow_models import answers, graph_of, math, nn, parameters, raw, sample, tf, v1

Graph = tuple[Callable[..., Any], Sequence[Any]]
linalg, signal = tf.linalg, tf.signal
RANDOM = np.random.default_rng(1)


def floats(*shape: int) -> Any:
    """Return random numbers."""
    return RANDOM.standard_normal(shape).astype(np.float32)


def complex_numbers(*shape: int) -> Any:
    """Return random complex numbers."""
    return floats(*shape) + np.complex64(1j) * floats(*shape)


def definite(*shape: int) -> Any:
    """Return random matrices that are symmetric and positive definite."""
    x = floats(*shape)
    return x @ x.swapaxes(-1, -2) + np.eye(shape[-1], dtype=np.float32)


def regular(*shape: int) -> Any:
    """Return random matrices with an inverse."""
    return floats(*shape) + 3 * np.eye(shape[-1], dtype=np.float32)


def factors(x: Any) -> Any:
    """Return products of factors of matrices, whose signs are open."""
    q, r = linalg.qr(x)
    whole, _ = linalg.qr(x, full_matrices=True)
    s, u, v = linalg.svd(x)
    _, left, right = linalg.svd(x, full_matrices=True)
    unit = [tf.matmul(each, each, transpose_a=True) for each in (whole, left, right)]
    product = tf.matmul(u * s[..., None, :], v, transpose_b=True)
    return [q @ r, tf.abs(r), s, linalg.svd(x, compute_uv=False), product, *unit]


def bands(x: Any) -> Any:
    """Return diagonals of matrices, and matrices with these diagonals, for each alignment."""
    found: list[Any] = []
    for align in ("LEFT_LEFT", "RIGHT_LEFT", "LEFT_RIGHT", "RIGHT_RIGHT"):
        part = linalg.diag_part(x, k=(-1, 2), padding_value=7.0, align=align)
        found += [part, linalg.set_diag(x, part, k=(-1, 2), align=align)]
        found.append(linalg.diag(part, k=(-1, 2), num_rows=3, num_cols=4, align=align))
    found += [linalg.diag(x, k=each, padding_value=2.0) for each in (-2, 1)]
    found += [linalg.diag_part(x, k=each) for each in (-1, 1)]
    found.append(raw.MatrixDiagPartV2(input=x, k=[-1, 1], padding_value=0.0))
    return found


def tridiagonal(x: Any, y: Any) -> Any:
    """Return products with matrices of three diagonals, and solutions."""
    return [
        linalg.tridiagonal_matmul(x, y, diagonals_format="compact"),
        linalg.tridiagonal_solve(x, y, diagonals_format="compact"),
    ]


def with_complex(x: Any, y: Any) -> Any:
    """Return functions of complex numbers."""
    real = [tf.abs(x), math.angle(x), math.real(x), math.imag(x), tf.cast(y, tf.float32)]
    plain = [x + y, x - y, x * y, x / y, -x, math.conj(x), tf.square(x), math.reciprocal(y)]
    more = [tf.exp(x), math.log(x), x * tf.constant(1 + 2j, tf.complex64), tf.equal(x, y)]
    moved = [tf.reshape(x, [3, 2]), tf.concat([x, y], 0), tf.stack([x, y]), x[:, 1:]]
    moved += [tf.reduce_sum(x, 1), tf.pad(x, [[1, 0], [0, 1]]), *tf.unstack(x), tf.gather(x, [1])]
    return [*real, *plain, *more, *moved, tf.matmul(x, tf.transpose(y)), linalg.adjoint(x)]


def complex_loop(x: Any) -> Any:
    """Return complex numbers that a loop and a conditional compute."""
    turned = tf.while_loop(lambda i, _: i < 3, lambda i, z: (i + 1, z * 1j), (0, x))[1]
    return tf.cond(tf.reduce_sum(tf.abs(x)) > 1.0, lambda: turned + x, lambda: x)


def fourier(x: Any) -> Any:
    """Return Fourier transforms of complex numbers."""
    names = ("fft", "ifft", "fft2d", "ifft2d", "fft3d", "ifft3d", "irfft", "irfft2d", "irfft3d")
    found = [getattr(signal, name)(x) for name in names]
    return [*found, signal.irfft(x, [9]), signal.irfft2d(x, [4, 5])]


def real_fourier(x: Any) -> Any:
    """Return Fourier transforms of real numbers."""
    found = [getattr(signal, name)(x) for name in ("rfft", "rfft2d", "rfft3d")]
    return [*found, signal.rfft(x, [8]), signal.rfft2d(x, [4, 3])]


def spectrogram(x: Any) -> Any:
    """Return a spectrogram, and the signal of it."""
    found = signal.stft(x, 8, 4)
    return [tf.abs(found), signal.inverse_stft(found, 8, 4), signal.dct(x)]


def activation_gradients(g: Any, x: Any) -> Any:
    """Return gradients of activation functions."""
    more = tf.abs(x) + 1.0
    return [
        raw.ReluGrad(gradients=g, features=x), raw.Relu6Grad(gradients=g, features=8.0 * x),
        raw.EluGrad(gradients=g, outputs=nn.elu(x)), raw.SeluGrad(gradients=g, outputs=nn.selu(x)),
        raw.LeakyReluGrad(gradients=g, features=x, alpha=0.3),
        raw.SoftplusGrad(gradients=g, features=x), raw.SoftsignGrad(gradients=g, features=x),
        raw.SigmoidGrad(y=tf.sigmoid(x), dy=g), raw.TanhGrad(y=tf.tanh(x), dy=g),
        raw.SqrtGrad(y=tf.sqrt(more), dy=g), raw.RsqrtGrad(y=math.rsqrt(more), dy=g),
        raw.ReciprocalGrad(y=1.0 / more, dy=g), raw.InvGrad(y=1.0 / more, dy=g),
    ]  # fmt: skip


def with_gradient(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function with the same parameters that returns the gradients."""

    @wraps(function)
    def found(*given: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(given)
            result = function(*given)
            places = tf.cast(tf.reshape(tf.range(tf.size(result)), tf.shape(result)), tf.float32)
            loss = tf.reduce_mean(result * result * places)
        return tape.gradient(loss, given)

    return found


IMAGES = (2, 7, 8, 4)
DIFFERENTIATED: Mapping[str, Graph] = {
    "conv_2d": (lambda x, w: nn.conv2d(x, w, [1, 2, 2, 1], "SAME"), [IMAGES, (3, 3, 4, 6)]),
    "conv_3d": (lambda x, w: nn.conv3d(x, w, [1, 1, 2, 1, 1], "SAME"),
                [(1, 4, 5, 6, 3), (2, 2, 2, 3, 4)]),
    "depthwise": (lambda x, w: nn.depthwise_conv2d(x, w, [1, 2, 2, 1], "SAME"),
                  [IMAGES, (3, 3, 4, 2)]),
    "max_pool": (lambda x: nn.max_pool2d(x, 3, 2, "SAME"), [IMAGES]),
    "average_pool": (lambda x: nn.avg_pool2d(x, 3, 2, "SAME"), [IMAGES]),
    "average_pool_3d": (lambda x: nn.avg_pool3d(x, 2, 2, "SAME"), [(1, 4, 5, 6, 3)]),
    "bias": (lambda x, b: nn.bias_add(x, b, "NHWC"), [IMAGES, (4,)]),
    "broadcast": (lambda x, y: x * y + y, [(2, 3, 4), (3, 1)]),
    "batch_norm": (
        lambda x, s, o: raw.FusedBatchNormV3(x=x, scale=s, offset=o, mean=[], variance=[]).y,
        [IMAGES, (4,), (4,)],
    ),
    "slice": (lambda x: x[:, ::2, 1] + tf.slice(x, [0, 1, 0], [3, 3, 1])[..., 0], [(3, 5, 4)]),
    "mirror_pad": (lambda x: tf.pad(x, [[1, 0], [1, 1]], "SYMMETRIC"), [(3, 5)]),
    "concat": (lambda x, y: tf.concat([x, y], 1), [(3, 5), (3, 2)]),
    "resize": (lambda x: tf.image.resize(x, [5, 11]), [IMAGES]),
    "resize_nearest": (lambda x: tf.image.resize(x, [5, 11], "nearest"), [IMAGES]),
}  # fmt: skip


def decoded(x: Any, lengths: Any) -> Any:
    """Return the best class of each step, without and with repetitions."""
    found: list[Any] = []
    for merges in (True, False):
        (sparse,), total = nn.ctc_greedy_decoder(x, lengths, merge_repeated=merges)
        found += [sparse.indices, sparse.values, sparse.dense_shape, total]
        found.append(tf.sparse.to_dense(sparse, -1))
    return found


def long_memory(x: Any, c: Any, h: Any) -> Any:
    """Return the gates and states of recurrent layers, in both versions."""
    given = {"x": x, "cs_prev": c, "h_prev": h, "w": CELL[0], "b": CELL[1]}
    given |= dict(zip(("wci", "wcf", "wco"), CELL[2:], strict=True))
    return [
        *raw.BlockLSTM(seq_len_max=tf.constant(4, tf.int64), **given, use_peephole=True,
                       cell_clip=0.5),
        *raw.BlockLSTMV2(seq_len_max=tf.constant(5, tf.int64), **given),
    ]  # fmt: skip


CELL = [floats(*shape) for shape in ((7, 12), (12,), (3,), (3,), (3,))]


def sounds(x: Any) -> Any:
    """Return spectrograms and their coefficients."""
    squares = raw.AudioSpectrogram(input=x, window_size=30, stride=20, magnitude_squared=True)
    return [
        squares, raw.AudioSpectrogram(input=x, window_size=16, stride=8),
        raw.Mfcc(spectrogram=squares, sample_rate=8000, filterbank_channel_count=6,
                 dct_coefficient_count=4),
        raw.Mfcc(spectrogram=squares, sample_rate=16000, upper_frequency_limit=6000,
                 lower_frequency_limit=300, filterbank_channel_count=3,
                 dct_coefficient_count=3),
    ]  # fmt: skip


def fused(x: Any, w: Any) -> Any:
    """Return convolutions of an image with mirrored edges.

    Of several images, TensorFlow 2.21 returns the result of the first in place of the others.
    """
    widths, strides = [[0, 0], [1, 2], [2, 1], [0, 0]], [1, 2, 1, 1]
    return [
        raw.FusedPadConv2D(input=x, paddings=widths, filter=w, mode="REFLECT", strides=strides,
                           padding="VALID"),
        raw.FusedResizeAndPadConv2D(
            input=x, size=[9, 5], paddings=widths, filter=w, mode="SYMMETRIC", strides=strides,
            padding="SAME", resize_align_corners=True),
    ]  # fmt: skip


def projections(x: Any, t: Any) -> Any:
    """Return images that projective transforms moved, with all kinds of edges."""
    rows = 0.2 * t + [[1.0, 0.3, -1.0, -0.2, 0.9, 0.5, 0.01, 0.02], [1, 0, 0.5, 0, 1, -2.5, 0, 0]]
    modes = ("CONSTANT", "NEAREST", "REFLECT", "WRAP")
    return [
        *(raw.ImageProjectiveTransformV3(
            images=x, transforms=3.0 * rows, output_shape=[5, 4], fill_value=7.0,
            interpolation=kind, fill_mode=mode)
          for mode in modes for kind in ("BILINEAR", "NEAREST")),
        raw.ImageProjectiveTransformV2(images=x, transforms=rows[:1], output_shape=[6, 7],
                                       interpolation="BILINEAR"),
    ]  # fmt: skip


def beams(x: Any, lengths: Any) -> Any:
    """Return the most probable classes of sequences, for two widths of the search."""
    found: list[Any] = []
    for width, count, merges in ((2, 1, True), (30, 3, False)):
        paths, logs = v1.nn.ctc_beam_search_decoder(x, lengths, width, count, merges)
        found += [part for each in paths for part in (each.indices, each.values, each.dense_shape)]
        found.append(logs)
    return found


def classified(x: Any, v: Any) -> Any:
    """Return losses of sequences of classes, and their gradients."""
    indices = [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [2, 0]]
    given = {"labels_indices": indices, "labels_values": v, "sequence_length": [9, 5, 1]}
    return [
        *raw.CTCLoss(inputs=x, **given),
        *raw.CTCLoss(inputs=x, **given, ctc_merge_repeated=False),
        *raw.CTCLoss(inputs=x[:2], **{**given, "sequence_length": [2, 2, 1]},
                     ignore_longer_outputs_than_inputs=True),
    ]  # fmt: skip


INDICES = np.array([[0, 1], [2, 0], [2, 2]])


def sparse(v: Any, x: Any, y: Any) -> Any:
    """Return products of sparse matrices, and the parts of others."""
    matrix = tf.SparseTensor(INDICES, v, [4, 3])
    turned = tf.sparse.reorder(tf.SparseTensor(INDICES[::-1], v, [4, 3]))
    reshaped = tf.sparse.reshape(matrix, [2, -1])
    return [
        tf.sparse.sparse_dense_matmul(matrix, x),
        tf.sparse.sparse_dense_matmul(matrix, y, adjoint_a=True),
        turned.indices, turned.values, reshaped.indices, reshaped.dense_shape,
        *raw.SparseFillEmptyRows(indices=INDICES, values=v, dense_shape=[4, 3], default_value=7.0),
        tf.sparse.to_dense(matrix, -1.0),
    ]  # fmt: skip


def sparse_arithmetic(v: Any, x: Any, y: Any) -> Any:
    """Return sparse tensors that were reduced, joined, cut, or combined with dense ones."""
    matrix = tf.SparseTensor(INDICES, v, [4, 3])
    cube = tf.SparseTensor([[0, 1, 2], [1, 0, 0], [1, 0, 2]], v, [2, 2, 3])
    sums = [(cube, 0), (cube, [1, 2]), (cube, None), (matrix, -1)]
    joined = [tf.sparse.concat(axis, [matrix, matrix * -1.0]) for axis in (0, 1)]
    parts = [tf.sparse.slice(matrix, [1, 0], [9, 2]), tf.sparse.slice(cube, [1, 0, 0], [1, 2, 3])]
    return [
        *(tf.sparse.reduce_sum(each, axis) for each, axis in sums),
        tf.sparse.reduce_sum(cube, 1, keepdims=True),
        tf.sparse.reduce_max(cube, 1), tf.sparse.reduce_max(matrix, 1, keepdims=True),
        *(part for each in (*joined, *parts)
          for part in (each.indices, each.values, each.dense_shape)),
        tf.sparse.softmax(cube).values, tf.sparse.add(matrix, x), (matrix * x).values,
        (matrix * y).values, (matrix / (tf.abs(x) + 1.0)).values,
        raw.SparseDenseCwiseAdd(sp_indices=INDICES, sp_values=v, sp_shape=[4, 3], dense=x[:, :1]),
    ]  # fmt: skip


def ragged(v: Any, s: Any) -> Any:
    """Return rows of different lengths, filled up or reduced."""
    x = tf.RaggedTensor.from_row_splits(v, s, validate=False)
    numbers = tf.RaggedTensor.from_row_splits(v[:, 0], s, validate=False)
    by_rows = tf.RaggedTensor.from_value_rowids(v, [0, 0, 1, 3, 3], 4, validate=False)
    return [
        x.to_tensor(7.0), x.to_tensor(7.0, shape=[None, 2, 2]), by_rows.to_tensor([2.0, 3.0]),
        numbers.to_sparse().indices, tf.reduce_sum(x, 1), tf.gather(x, [2, 0]).to_tensor(),
        tf.concat([x, x], 1).to_tensor(), nn.softmax(numbers).to_tensor(),
        *raw.RaggedRange(starts=[1, 2, 5], limits=[3, 2, 9], deltas=2),
    ]  # fmt: skip


def nested_ragged(v: Any, s: Any, t: Any) -> Any:
    """Return rows of rows of different lengths, filled up, gathered or reduced."""
    x = tf.RaggedTensor.from_nested_row_splits(v, [s, t], validate=False)
    rows = tf.RaggedTensor.from_nested_value_rowids(
        v, [[0, 2, 2, 3], [0, 0, 1, 2, 3, 3, 3]], [4, 4], validate=False
    )
    return [
        x.to_tensor(7.0), x.to_tensor(shape=[None, 1, 2]), rows.to_tensor(),
        x.to_sparse().indices, x.to_sparse().dense_shape, tf.gather(x, [2, 0, 2]).to_tensor(),
        tf.reduce_sum(x, 2).to_tensor(), tf.reduce_max(x, 1).to_tensor(),
    ]  # fmt: skip


def weighted_resizing(x: Any) -> Any:
    """Return images that filters or means of areas resized."""
    kinds = ("lanczos3", "lanczos5", "bicubic", "gaussian", "mitchellcubic", "bilinear")
    smooth = [tf.image.resize(x, (4, 9), each, antialias=True) for each in kinds]
    moved = [
        raw.ScaleAndTranslate(images=x, size=(5, 6), scale=(0.8, 1.3), translation=(0.7, -1.5),
                              kernel_type=each, antialias=each != "box")
        for each in ("box", "triangle", "keyscubic", "lanczos1")
    ]  # fmt: skip
    areas = [tf.image.resize(x, size, "area") for size in ((4, 5), (9, 3))]
    ends = raw.ResizeArea(images=x, size=(3, 9), align_corners=True)
    return [*smooth, *moved, *areas, ends]


def rows_and_volumes(x: Any, i: Any, v: Any) -> Any:
    """Return rows that were replaced, and patches of volumes."""
    cube = tf.reshape(x, (1, 3, 4, 4, 2))
    rows = tf.reshape(x, (8, 12))[:, :3]
    return [
        *(function(x=rows * 2.0**n, i=i, v=v) for n, function in enumerate((
            raw.InplaceAdd, raw.InplaceSub, raw.InplaceUpdate), 1)),
        raw.ExtractVolumePatches(
            input=cube, ksizes=[1, 2, 3, 2, 1], strides=[1, 1, 2, 1, 1], padding="SAME"),
        raw.ExtractVolumePatches(
            input=cube, ksizes=[1, 2, 2, 2, 1], strides=[1, 1, 1, 1, 1], padding="VALID"),
    ]  # fmt: skip


def lists(x: Any) -> Any:
    """Return lists of tensors that were scattered and resized."""

    def stacked(handle: Any) -> Any:
        return raw.TensorListStack(input_handle=handle, element_shape=[3], element_dtype=tf.float32)

    handle = raw.TensorListScatterV2(tensor=x, indices=[2, 0], element_shape=[3], num_elements=4)
    sizes = [raw.TensorListResize(input_handle=handle, size=each) for each in (3, 6)]
    other = raw.TensorListScatter(tensor=x, indices=[1, 0], element_shape=[3])
    shape = raw.TensorListElementShape(input_handle=handle, shape_type=tf.int32)
    return [*map(stacked, (handle, *sizes, other)), shape]


GRU = [floats(*shape) for shape in ((7, 6), (7, 3), (6,), (3,))]


def random_bits(seed: Any) -> Any:
    """Return random integers, and fractions of all float types, of a seed."""
    draw, stream = tf.random, raw.StatelessRandomGetKeyCounter(seed=seed)
    fractions = [draw.stateless_uniform([3, 5], seed, dtype=each)
                 for each in (tf.float16, tf.float32, tf.float64)]  # fmt: skip
    kinds = (tf.int32, tf.int64)
    return [
        *fractions,
        *(draw.stateless_uniform([7], seed, -3, 1000, each) for each in kinds),
        *(draw.stateless_uniform([2, 3], seed, None, None, each) for each in kinds),
        raw.StatelessRandomUniform(shape=[5], seed=seed),
        raw.StatelessRandomUniformV2(
            shape=[6], key=stream.key, counter=tf.constant([2**64 - 1, 3], tf.uint64), alg=1),
    ]  # fmt: skip


def random_normals(seed: Any, x: Any) -> Any:
    """Return normal and truncated normal numbers of a seed."""
    kinds = (tf.float16, tf.float32, tf.float64)
    draw = tf.random
    return [
        *(draw.stateless_normal([9], seed, dtype=each) for each in kinds),
        *(draw.stateless_truncated_normal([2, 3], seed, dtype=each) for each in kinds),
        draw.stateless_truncated_normal([150], seed),
        x + draw.stateless_normal(tf.shape(tf.boolean_mask(x, x > 0.0))[:0], seed),
        draw.stateless_uniform(tf.shape(tf.boolean_mask(x, x > 0.0)), seed),
    ]


def seeded_numbers() -> Any:
    """Return the first numbers that operators with a state draw."""
    one, two = {"seed": 5, "seed2": 2**40 + 3}, {"seed": -7, "seed2": 0}
    return [
        *(raw.RandomUniform(shape=[7], dtype=each, **one) for each in (tf.float32, tf.float64)),
        raw.RandomUniform(shape=[2, 3], dtype=tf.float32, seed=0, seed2=9),
        raw.RandomUniformInt(shape=[5], minval=-3, maxval=1000, **two),
        raw.RandomStandardNormal(shape=[9], dtype=tf.float32, **two),
        raw.TruncatedNormal(shape=[40], dtype=tf.float32, **one),
    ]


def general_eigenvalues(x: Any) -> Any:
    """Return eigenvalues of any matrices by their sizes, and errors of their vectors."""
    values, vectors = linalg.eig(x)
    return [
        tf.sort(tf.abs(values)), tf.sort(tf.abs(linalg.eigvals(x))),
        tf.abs(tf.cast(x, values.dtype) @ vectors - values[..., None, :] * vectors),
    ]  # fmt: skip


def boxes(batch: int, count: int) -> Any:
    """Return random boxes."""
    corners = np.sort(RANDOM.random((batch, count, 1, 2, 2)), 3)
    return corners.reshape(batch, count, 1, 4).astype(np.float32)


GRAPHS: Mapping[str, Graph] = {
    # matrices
    "cholesky": (lambda x: [linalg.cholesky(x), linalg.logdet(x)], [definite(2, 3, 3)]),
    "determinants": (
        lambda x: [linalg.det(x), *linalg.slogdet(x), linalg.inv(x), linalg.inv(x, adjoint=True),
                   *linalg.lu(x)],
        [regular(2, 3, 3)],
    ),
    "solutions": (
        lambda a, b: [
            linalg.solve(a, b), linalg.solve(a, b, adjoint=True),
            *(linalg.triangular_solve(a, b, lower=lower, adjoint=adjoint)
              for lower in (True, False) for adjoint in (True, False)),
            linalg.triangular_solve(a[0], b),
        ], [definite(2, 3, 3), (2, 3, 2)],
    ),
    "least_squares": (
        lambda a, b, c: [
            linalg.lstsq(x, y, fast=fast, l2_regularizer=0.5 if fast else 0.0)
            for x, y in ((a, b), (linalg.matrix_transpose(a), c)) for fast in (True, False)
        ], [(2, 4, 3), (2, 4, 2), (2, 3, 2)],
    ),
    "factors_tall": (factors, [(2, 4, 3)]),
    "factors_wide": (factors, [(3, 4)]),
    "eigenvalues": (
        lambda x: [linalg.eigvalsh(x), linalg.eigh(x)[0], tf.abs(linalg.eigh(x)[1])],
        [definite(2, 3, 3)],
    ),
    "general_eigenvalues": (general_eigenvalues, [(2, 4, 4)]),
    "bands": (bands, [(2, 3, 4)]),
    "tridiagonal": (tridiagonal, [(2, 3, 5), (2, 5, 2)]),
    "cross": (
        lambda x, y: [linalg.cross(x, y), linalg.tensor_diag(x), linalg.tensor_diag_part(
            linalg.tensor_diag(y))], [(2, 3), (2, 3)],
    ),
    # complex numbers
    "complex": (with_complex, [complex_numbers(2, 3), complex_numbers(2, 3)]),
    "complex_parts": (lambda x, y: tf.complex(x, y) + tf.cast(x, tf.complex64), [(2, 3), (2, 3)]),
    "complex_loop": (complex_loop, [complex_numbers(2, 3)]),
    "fourier": (fourier, [complex_numbers(4, 4, 5)]),
    "real_fourier": (real_fourier, [(4, 4, 5)]),
    "spectrogram": (spectrogram, [(32,)]),
    # random numbers
    "random_bits": (random_bits, [np.array([12345678901, -5], np.int64)]),
    "seeded_numbers": (seeded_numbers, []),
    "random_normals": (random_normals, [np.array([7, 2], np.int32), (12,)]),
    # training
    "activation_gradients": (activation_gradients, [(2, 9), (2, 9)]),
    **{f"gradient_{name}": (with_gradient(function), specs)
       for name, (function, specs) in DIFFERENTIATED.items()},
    "batch_norm_training": (
        lambda x, s, o, m, v: raw.FusedBatchNormV3(
            x=x, scale=s, offset=o, mean=m, variance=v, exponential_avg_factor=0.25)[:5],
        [(2, 3, 4, 5), *[(5,)] * 4],
    ),
    "losses": (
        lambda x, y, i: [
            *raw.SoftmaxCrossEntropyWithLogits(features=x, labels=y),
            *raw.SparseSoftmaxCrossEntropyWithLogits(features=x, labels=i),
        ], [(4, 5), (4, 5), ((4,), tf.int32)],
    ),
    # sets, counts, segments
    "greedy_decoder": (decoded, [(9, 3, 4), np.array([9, 5, 7], np.int32)]),
    "beam_search": (beams, [(9, 3, 4), np.array([9, 5, 7], np.int32)]),
    "block_lstm": (long_memory, [(5, 2, 4), (2, 3), (2, 3)]),
    "sounds": (sounds, [(120, 2)]),
    "fused_convolutions": (fused, [(1, 6, 7, 3), (3, 3, 3, 4)]),
    "projections": (projections, [(2, 6, 7, 3), (2, 8)]),
    "ctc_loss": (classified, [(9, 3, 4), np.array([1, 1, 2, 0, 2, 1], np.int32)]),
    "sets": (
        lambda x, y: [*raw.UniqueV2(x=x, axis=[0]), *raw.ListDiff(x=x, y=y),
                      *tf.dynamic_partition(x, x, 5), tf.unravel_index(x, [3, 2])],
        [((9,), tf.int32), ((3,), tf.int32)],
    ),
    "counts": (
        lambda x, i: [raw.Bincount(arr=i, size=3, weights=x),
                      raw.Bincount(arr=i, size=3, weights=tf.zeros([0])),
                      tf.histogram_fixed_width(x, [-1.0, 1.5], 4)],
        [(9,), ((9,), tf.int32)],
    ),
    "ranks": (
        lambda x, i: [nn.in_top_k(i, x, 2), raw.NthElement(input=x, n=2),
                      raw.NthElement(input=x, n=1, reverse=True)],
        [(6, 5), ((6,), tf.int32)],
    ),
    "sorted_segments": (
        lambda x, i: [getattr(math, f"segment_{name}")(x, i)
                      for name in ("sum", "mean", "max", "min", "prod")],
        [(4, 3), np.array([0, 0, 1, 3], np.int32)],
    ),
    "open_segments": (
        lambda x, i, n: [getattr(math, f"unsorted_segment_{name}")(tf.cast(x, tf.float64), i, n)
                         for name in ("sum", "max", "min", "prod")],
        [(4, 3), np.array([2, 0, -1, 2], np.int32), np.array(4, np.int32)],
    ),
    "sparse_segments": (
        lambda x, i, s: [getattr(tf.sparse, f"segment_{name}")(x, i, s, count)
                         for name in ("sum", "mean", "sqrt_n") for count in (None, 6)],
        [(6, 3), ((4,), tf.int32), np.array([0, 0, 1, 3], np.int32)],
    ),
    "scatters": (
        lambda x, u: [tf.tensor_scatter_nd_sub(x, [[1], [0], [1]], u),
                      raw.ScatterNdNonAliasingAdd(input=x, indices=[[1], [0], [1]], updates=u)],
        [(4, 2), (3, 2)],
    ),
    # sparse and ragged tensors
    "sparse": (sparse, [(3,), (3, 2), (4, 2)]),
    "sparse_arithmetic": (sparse_arithmetic, [(3,), (4, 3), (3,)]),
    "sparse_embedding": (
        lambda x, i, v: nn.safe_embedding_lookup_sparse(x, tf.SparseTensor(i, v, [4, 3])),
        [(9, 4), INDICES, np.array([3, 1, 5])],
    ),
    "ragged": (ragged, [(5, 2), np.array([0, 2, 2, 5])]),
    "nested_ragged": (
        nested_ragged, [(7,), np.array([0, 2, 2, 4]), np.array([0, 3, 3, 4, 7])]
    ),
    "weighted_resizing": (weighted_resizing, [(2, 7, 5, 3)]),
    "rows_and_volumes": (
        rows_and_volumes, [(96,), np.array([5, 0, 2], np.int32), (3, 3)]
    ),
    # special functions
    "bessel_second_kind": (
        lambda x: [function(x=each) for each in (tf.abs(x), 20.0 * tf.abs(x)) for function in (
            raw.BesselJ0, raw.BesselJ1, raw.BesselY0, raw.BesselY1, raw.BesselK0, raw.BesselK1,
            raw.BesselK0e, raw.BesselK1e)], [(2, 9)],
    ),
    "bessel": (
        lambda x: [raw.BesselI0(x=x), raw.BesselI0e(x=x), raw.BesselI1(x=9.0 * x),
                   raw.BesselI1e(x=9.0 * x)], [(2, 9)],
    ),
    "gammas": (
        lambda x: [math.lgamma(x), math.digamma(tf.abs(x) + 0.5), math.erfinv(tf.tanh(x)),
                   math.ndtri(tf.sigmoid(x)), math.polygamma(2.0, tf.abs(x) + 0.5),
                   math.zeta(3.0, tf.abs(x) + 0.5), math.zeta(tf.abs(x) + 1.1, 9.0 * x)],
        [(2, 5)],
    ),
    "incomplete": (
        lambda a, b, x: [math.igamma(a, 9.0 * x), math.igammac(a, 9.0 * x), math.betainc(a, b, x)],
        [*RANDOM.gamma(2.0, size=(2, 3, 4)).astype(np.float32),
         RANDOM.random((3, 4)).astype(np.float32)],
    ),
    "places_of_maxima": (
        lambda x: [*nn.max_pool_with_argmax(x, 3, 2, "SAME"), *nn.max_pool_with_argmax(
            x, [2, 3], [1, 2], "VALID", include_batch_in_index=True, output_dtype=tf.int32)],
        [(2, 7, 8, 3)],
    ),
    "bits_and_neighbours": (
        lambda x, y, n: [math.nextafter(x, y), raw.PopulationCount(x=n)],
        [(2, 3), (2, 3), np.array([-3, 5, 0], np.int32)],
    ),
    "log_sums": (
        lambda x: [math.cumulative_logsumexp(x, 1, exclusive=exclusive, reverse=reverse)
                   for exclusive in (False, True) for reverse in (False, True)], [(3, 5)],
    ),
    # images
    "colors": (
        lambda x: [tf.image.rgb_to_hsv(x), tf.image.hsv_to_rgb(x), tf.image.adjust_hue(x, 0.3),
                   tf.image.adjust_saturation(x, 1.7), tf.image.adjust_contrast(x, 1.7)],
        [RANDOM.random((2, 4, 5, 3)).astype(np.float32)],
    ),
    "boxes_of_classes": (
        lambda x, y: [*tf.image.combined_non_max_suppression(x, y, 3, 5, 0.4, 0.2),
                      *tf.image.combined_non_max_suppression(
                          x, y, 3, 20, 0.4, 0.2, pad_per_class=True, clip_boxes=False),
                      raw.NonMaxSuppression(
                          boxes=x[0, :, 0], scores=y[0, :, 0], max_output_size=3)],
        [boxes(2, 6), RANDOM.random((2, 6, 3)).astype(np.float32)],
    ),
    # others
    "gru_cell": (
        lambda x, h: raw.GRUBlockCell(
            x=x, h_prev=h, w_ru=GRU[0], w_c=GRU[1], b_ru=GRU[2], b_c=GRU[3]),
        [(2, 4), (2, 3)],
    ),
    "quantised_and_back": (
        lambda x: [tf.quantization.quantize_and_dequantize_v2(
            x, -1.0, 2.0, signed_input=signed, range_given=given, narrow_range=narrow,
            round_mode="HALF_TO_EVEN" if given else "HALF_UP")
            for signed in (True, False) for given in (True, False) for narrow in (True, False)],
        [(20,)],
    ),
    "lists": (lists, [(2, 3)]),
    "fake_quantised_gradient": (
        lambda g, x: raw.FakeQuantWithMinMaxArgsGradient(
            gradients=g, inputs=3.0 * x, min=-1, max=2, num_bits=4), [(20,), (20,)],
    ),
    "data_formats": (
        lambda x, n: [raw.DataFormatDimMap(x=n), raw.DataFormatVecPermute(x=n),
                      raw.ParallelConcat(values=[x, x], shape=(2, 3)),
                      raw.GuaranteeConst(input=x) + raw.DeepCopy(x=x)],
        [(1, 3), np.array([0, 1, 2, 3], np.int32)],
    ),
}  # fmt: skip


def old_arrays(version: str, x: Any) -> list[Any]:
    """Return results of the operators on TensorArrays of a version, in a loop and outside."""

    def call(name: str, handle: Any, **given: Any) -> Any:
        return getattr(raw, f"TensorArray{name}{version}")(handle=handle, **given)

    def array(size: int) -> Any:
        return getattr(raw, f"TensorArray{version}")(
            size=size, dtype=tf.float32, clear_after_read=False
        )

    source, shown, parts = array(5), array(5), array(2)
    none = [tf.constant(0.0) for _ in range(3)]
    rows = call("Scatter", source, indices=tf.range(5), value=x, flow_in=none[0])

    def step(time: Any, state: Any, flow: Any) -> Any:
        read = call("Read", source, index=time, flow_in=rows, dtype=tf.float32)
        new = tf.reshape(read, [3]) + 0.5 * state
        written = call("Write", shown, index=time, value=new, flow_in=flow)
        written.set_shape(())
        return time + 1, new, written

    _, _, flow = v1.while_loop(lambda time, *_: time < 5, step, (0, tf.zeros(3), none[1]))
    lengths = tf.constant([2, 2], tf.int64)
    split = call("Split", parts, value=x[:4], lengths=lengths, flow_in=none[2])
    return [
        call("Gather", shown, indices=[4, 1], flow_in=flow, dtype=tf.float32),
        *call("Concat", parts, flow_in=split, dtype=tf.float32),
        call("Size", shown, flow_in=flow),
        call("Read", parts, index=1, flow_in=split, dtype=tf.float32),
    ]


def old_graph(version: str) -> Iterator[tuple[str, bytes]]:
    """Yield a graph with TensorArrays of a version and a loop of version 1, and its results."""
    v1.disable_control_flow_v2()
    old = v1.GraphDef()
    old.versions.producer = 10  # TensorFlow refuses the operators in newer graphs
    with tf.Graph().as_default() as graph:
        tf.graph_util.import_graph_def(old)
        x = v1.placeholder(tf.float32, (5, 3), name="x")
        outputs = [tf.identity(each) for each in old_arrays(version, x)]
        given = floats(5, 3)
        with v1.Session() as session:
            found = session.run(outputs, {x: given})
    v1.enable_control_flow_v2()
    yield f"arrays{version.lower()}.pb", graph.as_graph_def().SerializeToString(deterministic=True)
    yield f"arrays{version.lower()}.npz", answers({"x": given}, found)


def graphs(names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the frozen graphs, and their results."""
    for name, (function, specs) in GRAPHS.items():
        given = [each if isinstance(each, np.ndarray) else sample(each) for each in specs]
        if names and name not in names:
            continue
        graph = graph_of(function, given, lowers=False)
        yield f"{name}.pb", graph.SerializeToString(deterministic=True)
        named = dict(zip(parameters(function), given, strict=True))
        found = [each.numpy() for each in tf.nest.flatten(tf.function(function)(*given))]
        yield f"{name}.npz", answers(named, found)
    for version in ("", "V2"):
        if not names or f"arrays{version.lower()}" in names:
            yield from old_graph(version)


def main(path: Path, names: Sequence[str]) -> None:
    """Write all graphs and answers into one archive; with names, only replace or add these."""
    old: dict[str, bytes] = {}
    if names:
        with zipfile.ZipFile(path) as archive:
            old = {each: archive.read(each) for each in archive.namelist()}
    files = sorted((old | dict(graphs(names))).items())
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
