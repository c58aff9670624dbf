"""Models of Keras: write the small ones that the tests read, or compare the famous ones with Keras.

python tools/keras_models.py write tests/frontend/keras
python tools/keras_models.py compare [NAME …]

Needs Keras 3 with a backend, and h5py: `KERAS_BACKEND=tensorflow` to write, as PyTorch cuts
transposed convolutions otherwise, and both it and JAX resize otherwise. `compare` prints a line for
each architecture of `keras.applications`: the largest difference, divided by the largest element.
"""

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
import relay

keras: Any = import_module("keras")
layers: Any = keras.layers

ARCHITECTURES = {
    "VGG16": 32, "VGG19": 32, "ResNet50": 32, "ResNet101": 32, "ResNet50V2": 32, "ResNet101V2": 32,
    "Xception": 71, "InceptionV3": 75, "InceptionResNetV2": 75, "MobileNet": 32, "MobileNetV2": 32,
    "MobileNetV3Small": 32, "MobileNetV3Large": 32, "DenseNet121": 32, "DenseNet169": 32,
    "NASNetMobile": 32, "EfficientNetB0": 32, "EfficientNetB1": 32, "EfficientNetV2B0": 32,
    "EfficientNetV2S": 32, "ConvNeXtTiny": 32, "ConvNeXtSmall": 32,
}  # fmt: skip
"""Names of architectures, and a size of images that is large enough for each."""


def convolutions() -> Any:
    """Return convolutions and poolings of every kind."""
    x = image = keras.Input((16, 16, 3), name="image")
    x = layers.Conv2D(8, 3, strides=2, padding="same", use_bias=False)(x)
    x = layers.BatchNormalization()(x)
    x = layers.ReLU(6.0)(x)
    y = layers.DepthwiseConv2D(3, padding="same", depth_multiplier=2)(x)
    y = layers.Conv2D(8, 1, groups=2, activation="silu")(y)
    x = layers.Add()([x, y])
    x = layers.SeparableConv2D(10, 3, activation="relu")(x)
    x = layers.Conv2DTranspose(6, 3, strides=2, padding="same")(x)
    x = layers.LeakyReLU()(layers.ZeroPadding2D(((1, 2), (0, 1)))(x))
    a = layers.AveragePooling2D(3, strides=2, padding="same")(x)
    m = layers.MaxPooling2D(3, strides=2, padding="same")(x)
    x = layers.Concatenate()([a, m])
    x = layers.UpSampling2D(2, interpolation="bilinear")(layers.Cropping2D(1)(x))
    x = layers.PReLU(shared_axes=[1, 2])(layers.GroupNormalization(3)(x))
    x = layers.GlobalAveragePooling2D()(x) * 2.0
    return keras.Model(image, layers.Dense(5, activation="softmax")(x))


def sequences() -> Any:
    """Return recurrent layers over tokens, some of which are masked."""
    x = tokens = keras.Input((7,), dtype="int32", name="tokens")
    x = layers.Embedding(11, 6, mask_zero=True)(x)
    x = layers.Bidirectional(layers.LSTM(5, return_sequences=True))(x)
    x = layers.TimeDistributed(layers.Dense(6, activation="gelu"))(x)
    x, state = layers.GRU(6, return_sequences=True, return_state=True)(x)
    x = layers.SimpleRNN(4, go_backwards=True)(x)
    return keras.Model(tokens, [layers.Dense(3)(x), state])


def translation() -> Any:
    """Return an encoder whose final states initialise a decoder, and stacked cells."""
    source, target = keras.Input((5, 3), name="source"), keras.Input((4, 2), name="target")
    _, h, c = layers.LSTM(6, return_state=True)(source)
    x = layers.LSTM(6, return_sequences=True)(target, initial_state=[h, c])
    cells = [layers.GRUCell(4, reset_after=False), layers.LSTMCell(3)]
    return keras.Model([source, target], layers.RNN(cells, return_sequences=True)(x))


def transformer() -> Any:
    """Return an attention block between layers that rearrange elements, in a nested model."""
    x = block = keras.Input((6, 8))
    y = layers.MultiHeadAttention(2, 4)(x, x, use_causal_mask=True)
    x = layers.LayerNormalization(epsilon=1e-5)(x + y)
    x = layers.Add()([x, layers.Dense(8)(layers.Dense(16, activation="gelu")(x))])
    inner = keras.Model(block, layers.RMSNormalization()(x))
    x = outer = keras.Input((48,), name="features")
    x = inner(layers.Permute((2, 1))(layers.Reshape((8, -1))(x)))
    x = inner(layers.EinsumDense("abc,cd->abd", output_shape=(6, 8), bias_axes="d")(x))
    flat = layers.Flatten()(layers.Rescaling(0.5, 0.1)(x))
    return keras.Model(outer, layers.Dense(3)(layers.Dropout(0.5)(flat)))


def one_axis() -> Any:
    """Return layers over signals and volumes, one after the other."""
    signal = keras.Sequential(name="signal")
    signal.add(keras.Input((12, 4), name="signal"))
    signal.add(layers.Conv1D(6, 3, padding="causal", dilation_rate=2, activation="elu"))
    signal.add(layers.MaxPooling1D(2))
    signal.add(layers.UpSampling1D(2))
    signal.add(layers.Conv1DTranspose(3, 3, strides=3))
    signal.add(layers.Reshape((6, 3, 2, 3)))
    signal.add(layers.Conv3D(4, 2, padding="same"))
    signal.add(layers.AveragePooling3D((2, 1, 1)))
    signal.add(layers.GlobalMaxPooling3D())
    return signal


def margins() -> Any:
    """Return transposed convolutions with all kinds of padding, and resized images."""
    x = image = keras.Input((5, 4, 2), name="image")
    ends = [
        layers.Conv2DTranspose(2, size, strides=strides, padding=padding, output_padding=more)(x)
        for size, strides, padding, more in (
            (2, 3, "same", None), (5, 3, "same", None), (2, 3, "valid", None), (3, 2, "same", 1),
            (4, 2, "same", 1), (3, 2, "valid", 1),
        )
    ]  # fmt: skip
    sizes = [
        layers.Resizing(7, 3, interpolation=method, antialias=smooths)(x)
        for method, smooths in (
            ("nearest", True), ("bicubic", False), ("bilinear", True), ("lanczos3", False),
        )
    ]  # fmt: skip
    ids = keras.Input((6,), dtype="int32", name="ids")
    flat = [layers.Flatten()(each) for each in (*ends, *sizes)]
    mean = layers.GlobalAveragePooling1D()(layers.Embedding(5, 3, mask_zero=True)(ids))
    return keras.Model([image, ids], [layers.Concatenate()(flat), mean])


def masks() -> Any:
    """Return layers behind masks: those that keep, merge, drop and compute them."""
    tokens = keras.Input((7,), dtype="int32", name="tokens")
    x, y = layers.Embedding(9, 4, mask_zero=True)(tokens), layers.Embedding(9, 4)(tokens)
    other = layers.Masking(0.1)(x)
    _, *states = layers.LSTM(3, return_state=True)(y)

    def lstm(each: Any, **options: Any) -> Any:
        return layers.LSTM(3, **options)(each)

    mean, attend = layers.GlobalAveragePooling1D(), layers.MultiHeadAttention(2, 3)
    kept = [
        lstm(layers.Bidirectional(layers.LSTM(2, return_sequences=True))(x)),
        lstm(lstm(x, return_sequences=True, go_backwards=True)),
        lstm(layers.UnitNormalization()(layers.Rescaling(2.0)(layers.Dropout(0.5)(x)))),
        mean(attend(x, x)),
        mean(layers.LayerNormalization()(x + layers.Dense(4)(x))),
        layers.LSTM(3, return_sequences=True)(x, initial_state=states),
        lstm(layers.RMSNormalization()(x)),
        lstm(layers.Reshape((7, 4))(x)),
    ]
    merged = [
        lstm(layer(pair))
        for layer in (layers.Add(), layers.Multiply(), layers.Maximum(), layers.Concatenate())
        for pair in ([x, y], [y, x], [x, other])
    ]
    merged.append(lstm(layers.Concatenate(axis=1)([x, y])))
    return keras.Model(tokens, kept + merged)


SMALL: dict[str, Callable[[], Any]] = {
    each.__name__: each
    for each in (convolutions, sequences, translation, transformer, one_axis, margins, masks)
}

NEAR = 1e-4
"""The greatest difference of equal networks, relative to the largest element."""


def randomise(model: Any, seed: int = 0) -> None:
    """Set a model's weights to distinct random values that keep activations in a sensible range."""
    random = np.random.default_rng(seed)
    for variable in model.weights:
        shape = tuple(variable.shape)
        if "seed" in variable.path or not np.issubdtype(np.dtype(variable.dtype), np.floating):
            continue
        if variable.path.endswith("variance"):
            variable.assign(random.uniform(0.5, 1.5, shape))
        elif len(shape) > 1:
            fan = np.prod(shape[:-1])
            variable.assign(random.normal(0, 1 / np.sqrt(fan), shape))
        elif variable.path.endswith(("gamma", "scale")):
            variable.assign(random.uniform(0.8, 1.2, shape))
        else:
            variable.assign(random.normal(0, 0.1, shape))


def inputs_of(model: Any, seed: int = 1) -> list[Any]:
    """Return random inputs: for integers, indices that are sometimes 0; else numbers around 0."""
    random = np.random.default_rng(seed)
    return [
        random.integers(0, 5, (2, *each.shape[1:])).astype(np.int32)
        if "int" in str(each.dtype)
        else random.normal(0, 1, (2, *each.shape[1:])).astype(np.float32)
        for each in model.inputs
    ]


def answers(model: Any, given: list[Any]) -> list[Any]:
    """Return the results of Keras."""
    found: Any = model.predict_on_batch(given if len(given) > 1 else given[0])
    listed: list[Any] = [*found] if isinstance(found, list | tuple) else [found]
    return [np.asarray(each) for each in listed]


def write(folder: Path) -> None:
    """Write the small models, their inputs and Keras's answers."""
    for name, make in SMALL.items():
        model = make()
        randomise(model)
        given = inputs_of(model)
        model.save(folder / f"{name}.keras")
        found = {f"output_{i}": each for i, each in enumerate(answers(model, given))}
        named = {f"input_{i}": each for i, each in enumerate(given)}
        np.savez_compressed(folder / f"{name}.npz", allow_pickle=False, **named, **found)


def compare(names: list[str]) -> Iterator[float]:
    """Compare architectures, each from a file, a line for each; yield their differences."""
    for name in names or [*ARCHITECTURES]:
        size = ARCHITECTURES[name]
        model = getattr(keras.applications, name)(
            weights=None, input_shape=(size, size, 3), include_top=False, pooling="avg"
        )
        randomise(model)
        given = inputs_of(model)[0] * (64 if "include_preprocessing" in str(model.layers[1]) else 1)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "model.keras"
            model.save(path)
            begin = perf_counter()
            module = relay.load(path, shapes={model.layers[0].name: given.shape})
            seconds = perf_counter() - begin
        (wanted,) = answers(model, [given])
        found = np.asarray(relay.compile(module)(given))
        error = np.abs(found - wanted).max() / np.abs(wanted).max()
        print(f"{name:<20}{error:10.1e}{seconds:8.2f} s to load", flush=True)
        yield float(error)


def main(arguments: list[str]) -> int:
    """Run the command line; return the exit status."""
    match arguments:
        case ["write", folder]:
            write(Path(folder))
        case ["compare", *names]:
            errors = list(compare(names))
            worst = float(np.max(errors))  # NaN if one of them is
            print(f"{len(errors)} networks, the greatest relative difference is {worst:.1e}")
            return int(not worst <= NEAR)
        case _:
            raise SystemExit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
