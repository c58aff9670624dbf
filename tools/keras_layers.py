"""Make Keras models of families of layers and operations, with Keras's answers, for the tests.

    python tools/keras_layers.py tests/frontend/keras [NAME …]

Needs Keras 3 with the backend TensorFlow, and h5py.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # tools is that of this checkout
from tools.keras_models import answers, inputs_of, keras, layers, randomise

ops: Any = keras.ops


def attention() -> Any:
    """Return attention layers with all options, over masked and other sequences."""
    x, y = keras.Input((5, 8), name="x"), keras.Input((6, 8), name="y")
    ids = keras.Input((5,), dtype="int32", name="ids")
    grid = layers.Reshape((5, 2, 4))(x)
    words = layers.Embedding(6, 8, mask_zero=True)(ids)
    several = layers.MultiHeadAttention(2, 3, value_dim=2, output_shape=4, dropout=0.5)
    heads = [
        several(x, y),
        layers.MultiHeadAttention(2, 3, attention_axes=(1, 2))(grid, grid),
        layers.MultiHeadAttention(2, 3, attention_axes=(2,), use_bias=False)(grid, grid),
        *layers.MultiHeadAttention(2, 3)(words, words, return_attention_scores=True),
        layers.MultiHeadAttention(2, 3, dropout=0.5)(words, words, use_causal_mask=True),
        layers.MultiHeadAttention(2, 3, use_gate=True, sliding_window=2)(x, x),
        layers.GroupQueryAttention(3, 4, 2)(x, y),
        layers.GroupQueryAttention(3, 4, 2, use_gate=True)(x, x, use_causal_mask=True),
    ]
    plain = [
        *layers.Attention(use_scale=True)([x, y], return_attention_scores=True),
        layers.Attention(score_mode="concat", use_scale=True)([x, y]),
        layers.Attention()([words, words], use_causal_mask=True),
        layers.AdditiveAttention()([x, y, y]),
        layers.AdditiveAttention(use_scale=False)([words, words]),
    ]
    masked = layers.Softmax()(x, mask=x > 0.0)
    joined = layers.LSTM(2)(layers.Concatenate()([words, words]))
    return keras.Model([x, y, ids], [*heads, *plain, masked, joined])


def image_sequences() -> Any:
    """Return convolutional recurrent layers, and poolings to a fixed size."""
    x = keras.Input((3, 5, 4, 2), name="x")
    line = keras.Input((3, 5, 2), name="line")
    cube = layers.Reshape((3, 2, 2, 5, 2))(x)
    backwards = layers.ConvLSTM2D(3, 3, strides=2, padding="same", go_backwards=True)
    ends = [
        layers.ConvLSTM1D(2, 3, padding="same", return_sequences=True)(line),
        *layers.ConvLSTM2D(2, (3, 2), use_bias=False, return_state=True)(x),
        backwards(x), layers.ConvLSTM3D(2, (1, 2, 3))(cube),
        layers.Bidirectional(layers.ConvLSTM1D(2, 3, padding="same"))(line),
        layers.TimeDistributed(layers.SpectralNormalization(layers.Conv2D(2, 3)))(x),
        layers.AdaptiveAveragePooling2D((3, 2))(x[:, 0]),
        layers.AdaptiveMaxPooling1D(3)(line[:, 0]),
        layers.AdaptiveAveragePooling3D((3, 5, 2))(x),
        layers.Dot(axes=(3, 2))([x[:, 0], line[:, 0]]),
    ]  # fmt: skip
    return keras.Model([x, line], ends)


def categories() -> Any:
    """Return layers that encode numbers, and layers that only have an effect in training."""
    ids = keras.Input((4,), dtype="int32", name="ids")
    x = keras.Input((5, 6, 3), name="x")
    row, flat = x[:, 0, :, 0], x[:, 0, :1, 0]
    bounds = [-0.5, 0.0, 0.7]
    encoded = [
        layers.CategoryEncoding(6)(ids), layers.CategoryEncoding(6, "count")(ids),
        layers.CategoryEncoding(6, "one_hot")(ids[:, :1]), layers.Discretization(bounds)(row),
        layers.Discretization(bounds, output_mode="one_hot")(flat),
        layers.Discretization(bounds, output_mode="count")(row),
        layers.IntegerLookup(vocabulary=[4, 1, 3])(ids),
        layers.IntegerLookup(vocabulary=[4, 1], mask_token=0, num_oov_indices=2)(ids),
        layers.IntegerLookup(vocabulary=[4, 1, 3], output_mode="multi_hot")(ids),
        layers.IntegerLookup(vocabulary=[4, 1, 3], invert=True)(ids),
        layers.IntegerLookup(
            vocabulary=[4, 1], output_mode="tf_idf", idf_weights=[0.2, 0.5]
        )(ids),
    ]  # fmt: skip
    images = layers.RandomFlip()(layers.RandomZoom(0.2)(layers.RandomErasing()(x)))
    images = layers.Solarization()(layers.RandomHue(0.2)(images))
    sizes = [
        layers.CenterCrop(7, 4)(images), layers.Resizing(4, 4, crop_to_aspect_ratio=True)(images),
        layers.Resizing(4, 4, pad_to_aspect_ratio=True, fill_value=2.0)(images),
    ]  # fmt: skip
    names = ("sparse_plus", "sparse_sigmoid", "sparsemax", "squareplus")
    return keras.Model([ids, x], [*encoded, *sizes, *(layers.Activation(n)(row) for n in names)])


def operations() -> Any:
    """Return functions of `keras.ops` in the graph of a model."""
    x, y = keras.Input((3, 4), name="x"), keras.Input((3, 4), name="y")
    n = keras.Input((3,), dtype="int32", name="n")
    square = ops.matmul(x, ops.swapaxes(x, 1, 2)) + ops.eye(3)
    numbers = [
        n * 0.5,
        n / 2,
        n + 1.5,
        n + x[:, :, 0],
        n**2,
        ops.bitwise_and(n, n + 1),
        ops.sum(n, 1),
    ]
    floats = [ops.where(x > 0, x, y), ops.hypot(x, y), ops.logaddexp(x, y), ops.floor_divide(x, y)]
    floats += [ops.divide_no_nan(x, y), ops.clip(x, -0.5, 0.5), ops.round(x, 1), ops.sinc(x)]
    floats += [ops.gelu(x), ops.elu(x, 0.5), ops.glu(x), ops.threshold(x, 0.2, -1.0)]
    floats += [ops.erfinv(ops.tanh(x)), ops.squareplus(x), ops.hard_shrink(x), ops.soft_shrink(x)]
    reduced = [ops.std(x, 1), ops.var(x, (1, 2)), ops.median(x, 1), ops.quantile(x, 0.3, 2)]
    reduced += [ops.argmax(x, 1), ops.argsort(x, 1), ops.count_nonzero(n), ops.logsumexp(x, 1)]
    reduced += [ops.average(x, 1), ops.cumsum(x, 1), ops.diff(x, axis=1), ops.norm(x, axis=1)]
    moved = [ops.flip(x, 1), ops.roll(x, 1, 1), ops.stack([x, y], 1), *ops.split(x, [1, 3], 2)]
    moved += [ops.moveaxis(x, 1, 2), ops.repeat(x, 2, 1), ops.tile(x, (1, 2, 1)), ops.tril(x)]
    moved += [ops.pad(x, ((0, 0), (1, 2), (0, 1)), constant_values=3.0), ops.trace(x, 0, 1, 2)]
    moved += [ops.pad(x, ((0, 0), (1, 2), (0, 1)), "reflect"), *ops.unstack(x, axis=1)]
    taken = [x[:, 1], x[:, ::2, -1], x[..., None, 1:-1], x[:, ::-1], x[:, -2:], x[0], x[:, None]]
    taken += [ops.take(x, [0, 2], 1), ops.take_along_axis(x, ops.argsort(x, 1), 1)]
    taken += [ops.slice(x, [0, 1, 0], [2, 2, 3]), ops.one_hot(n, 6), ops.multi_hot(n, 6)]
    taken += [*ops.top_k(x, 2), ops.scatter([[1], [0]], x[:2, 0], (4, 4)), ops.cast(x, "int32")]
    linear = [ops.einsum("bij,bkj->bik", x, y), ops.cholesky(square), ops.inv(square)]
    linear += [ops.solve(square, x), ops.det(square), ops.eigh(square)[0], ops.svd(square)[1]]
    linear += [*ops.rfft(x), *ops.fft2((x, y)), *ops.moments(x, [1]), ops.rms_normalization(x)]
    kernel = np.linspace(-1, 1, 3 * 2 * 2 * 3, dtype=np.float32).reshape(3, 2, 2, 3)
    scale = np.array([0.5, 2.0], np.float32)
    images = ops.reshape(ops.concatenate([x, y], 1), (-1, 3, 4, 2))
    shown = [ops.max_pool(images, 2, 1, "same"), ops.average_pool(images, (2, 3))]
    shown += [ops.conv(images, kernel, 2, "same"), ops.image.resize(images, (5, 7))]
    shown += [ops.depth_to_space(ops.conv(images, kernel[..., :1] * np.ones(4, np.float32)), 2)]
    shown += [ops.batch_normalization(images, scale - 1, scale, -1, scale, 2 * scale)]
    shown += [ops.image.rgb_to_grayscale(ops.conv(images, kernel))]
    q = ops.reshape(x, (-1, 3, 2, 2))
    linear += [ops.dot_product_attention(q, q, q, is_causal=True), ops.normalize(x, axis=1)]
    return keras.Model([x, y, n], [*numbers, *floats, *reduced, *moved, *taken, *linear, *shown])


def _transposed(self: Any, inputs: Any, kernel: Any) -> Any:
    """Call `conv_transpose`; Keras 3.15 passes two of its options in the wrong order."""
    options = self.strides, self.padding, self.output_padding, self.data_format
    return keras.src.backend.nn.conv_transpose(inputs, kernel, *options, self.dilation_rate)


def more_operations() -> Any:
    """Return functions of `keras.ops` for matrices, images, signals and losses."""
    x, images = keras.Input((4, 3), name="x"), keras.Input((6, 5, 3), name="images")
    n, wave = keras.Input((4,), dtype="int32", name="n"), keras.Input((32,), name="wave")
    square = ops.matmul(ops.swapaxes(x, 1, 2), x) + 2.0 * ops.eye(3)
    lower, label = ops.cholesky(square), ops.mod(n, 3)
    found = [
        ops.cholesky_inverse(lower),
        ops.logdet(square),
        ops.pinv(x),
        ops.lstsq(x[0], images[0, :4, :, 0]),
    ]
    found += [ops.matrix_rank(x), ops.cdist(x, x[:, :2]), ops.i0(x), ops.sparsemax(x, axis=1)]
    found += [ops.select([x > 1, x > 0], [x, 2 * x], 3.0), ops.logspace(x[:, 0], x[:, 1], 5)]
    shares, targets = ops.softmax(x), ops.softmax(-x)
    found += [ops.binary_crossentropy(shares, 0.9 * targets), ops.psnr(x, 2 * x, 3.0)]
    found += [ops.binary_crossentropy(shares, x, from_logits=True)]
    found += [ops.categorical_crossentropy(targets, 2 * shares)]
    found += [ops.categorical_crossentropy(targets, x, from_logits=True)]
    found += [ops.sparse_categorical_crossentropy(label, 2 * shares)]
    found += [ops.sparse_categorical_crossentropy(label, x, from_logits=True)]
    kernel = np.linspace(-1, 1, 3 * 2 * 3 * 2, dtype=np.float32).reshape(3, 2, 3, 2)
    mixing = np.linspace(-1, 1, 12, dtype=np.float32).reshape(1, 1, 6, 2)
    found += [
        ops.depthwise_conv(images, kernel, 2, "same"),
        ops.separable_conv(images, kernel, mixing),
    ]
    keras.src.ops.nn.ConvTranspose.call = _transposed
    turned, last = np.transpose(kernel, (0, 1, 3, 2)), {"data_format": "channels_last"}
    found += [
        ops.conv_transpose(images, turned, 2, "same", **last),
        ops.conv_transpose(images, turned, (1, 2), **last),
    ]
    found += [ops.adaptive_average_pool(images, (2, 3)), ops.adaptive_max_pool(images, (2, 2))]
    found += [ops.image.crop_images(images, 1, 2, target_height=3, target_width=2)]
    found += [ops.image.pad_images(images, 1, 2, target_height=9, target_width=8)]
    found += [ops.image.extract_patches(images, (3, 2)), ops.image.sobel_edges(images)]
    found += [ops.image.extract_patches(images, (3, 3), 2, padding="same")]
    found += [ops.image.gaussian_blur(images, (3, 5), (1.0, 2.0))]
    colors = ops.sigmoid(images)
    found += [ops.image.rgb_to_hsv(colors), ops.image.hsv_to_rgb(colors)]
    found += [*ops.stft(wave, 8, 4, 10), *ops.stft(wave, 8, 3, 8, "hamming", center=False)]
    found += [
        ops.extract_sequences(wave, 6, 5),
        ops.irfft(ops.rfft(wave)),
        ops.irfft(ops.rfft(wave), 20),
    ]
    found += [ops.rearrange(images[0], "(h k) w c -> (k c) h w", k=2)]
    return keras.Model([x, images, n, wave], found)


def spectrograms() -> Any:
    """Return layers and functions of signals, parts of images, and losses of sequences."""
    wave, waves = keras.Input((40,), name="wave"), keras.Input((40, 2), name="waves")
    images = keras.Input((2, 5, 4), name="images")
    scores = keras.Input((7, 6), name="scores")
    labels = keras.Input((3,), dtype="int32", name="labels")
    first, chosen = layers.STFTSpectrogram, {"frame_length": 12, "frame_step": 5}
    found = [
        layers.MelSpectrogram(16, 6, num_mel_bins=5, sampling_rate=100, min_freq=3.0)(wave),
        layers.MelSpectrogram(16, 8, 12, num_mel_bins=4, sampling_rate=100, window="hamming",
                              power_to_db=False, mag_exp=1.0, max_freq=40)(wave),
        *(first(mode, **chosen)(waves)
          for mode in ("log", "magnitude", "psd", "real", "imag", "stft")),
        first("log", 9, expand_dims=True, padding="same", window="hamming")(waves),
        layers.Pipeline([layers.Rescaling(0.5), layers.Dense(3)])(wave),
        ops.istft(ops.stft(wave, 8, 4, 8), 8, 4, 8),
        ops.istft(ops.stft(wave, 8, 4, 10), 8, 4, 10, 30, window="hamming"),
        ops.istft(ops.stft(wave, 8, 3, 8, center=False), 8, 3, 8, window=None, center=False),
        ops.unfold(images, (2, 3), 1, 1, 2),
        ops.fold(ops.unfold(images, 2), (5, 4), 2),
        ops.geomspace(ops.abs(wave) + 1.0, 9.0, 4), *ops.nonzero(images > 0.0),
    ]  # fmt: skip
    turn = np.array([[0.9, 0.3, -1.0, -0.2, 1.1, 0.5, 0.01, 0.0]], np.float32)
    found += [
        ops.image.affine_transform(images, turn, fill_value=2.0),
        ops.image.affine_transform(images, turn[0], "nearest", "reflect"),
    ]
    steps, counts = ops.zeros_like(labels[:, 0]) + 7, ops.zeros_like(labels[:, 0]) + 3
    found.append(ops.ctc_loss(labels + 1, scores, counts, steps))
    found.append(ops.ctc_loss(ops.minimum(labels, 4), scores, counts, steps, mask_index=5))
    found += ops.ctc_decode(scores, steps)
    found += ops.ctc_decode(scores, counts + 2, merge_repeated=False, mask_index=5)
    found += ops.ctc_decode(scores, steps, "beam_search", 4, 2, mask_index=1)
    return keras.Model([wave, waves, images, scores, labels], found)


def nested() -> Any:
    """Return models in models and in wrappers, called several times, also as the last layer."""
    x = keras.Input((4,), name="x")
    inner = keras.Model(x, [layers.Dense(4)(x), layers.Dense(3)(x)], name="pair")
    outer = keras.Model(x, inner(inner(x)[0]), name="both")
    chain = keras.Sequential([keras.Input((4,)), layers.Dense(4)], name="chain")
    small = keras.Sequential([keras.Input((4,)), layers.Dense(3)], name="small")
    rows = keras.Input((5, 4), name="rows")
    steps = keras.Sequential(
        [layers.TimeDistributed(small), layers.SpatialDropout1D(0.5), layers.GRU(2)], name="steps"
    )
    return keras.Model([x, rows], [*outer(chain(x)), steps(rows), chain(chain(x))])


MODELS: dict[str, Callable[[], Any]] = {
    each.__name__: each
    for each in (
        attention,
        categories,
        image_sequences,
        more_operations,
        nested,
        operations,
        spectrograms,
    )
}


def main(folder: Path, names: list[str]) -> None:
    """Write the models, their inputs and Keras's answers."""
    for name in names or [*MODELS]:
        model = MODELS[name]()
        randomise(model)
        given = inputs_of(model)
        for ending in ("keras", "h5") if name == "nested" else ("keras",):
            model.save(folder / f"{name}.{ending}")
        found = {f"output_{i:03}": each for i, each in enumerate(answers(model, given))}
        named = {f"input_{i}": each for i, each in enumerate(given)}
        np.savez_compressed(folder / f"{name}.npz", allow_pickle=False, **named, **found)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
