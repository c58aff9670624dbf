"""Networks of Keras as SavedModels: write small ones for the tests, or compare large ones.

    python tools/tensorflow_networks.py write tests/frontend/tensorflow/folders.zip
    python tools/tensorflow_networks.py compare [NAME …]

Needs the packages tensorflow and keras. The large ones are those of `keras.applications`, a
transformer as large as BERT-base, and recurrent layers, with random weights: a line for each has
the largest difference from TensorFlow, divided by the largest element, and the seconds that Relay
takes to import it.
"""

# What TensorFlow gives has no types.
# pyright: reportUnknownLambdaType=none, reportUnknownArgumentType=none
# pyright: reportUnknownVariableType=none

import io
import os
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
import relay

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
tf: Any = import_module("tensorflow")
keras: Any = import_module("keras")
layers: Any = keras.layers
RANDOM = np.random.default_rng(0)


def convolutions() -> Any:
    """Return a network of convolutions."""
    x = image = keras.Input((12, 12, 3), name="image")
    x = layers.Conv2D(8, 3, strides=2, padding="same", activation="relu")(x)
    x = layers.BatchNormalization()(x)
    x = layers.DepthwiseConv2D(3)(layers.ZeroPadding2D(1)(x))
    x = layers.Conv2DTranspose(4, 3, strides=2, padding="same")(x)
    x = layers.UpSampling2D(2, interpolation="bilinear")(layers.MaxPooling2D()(x))
    return keras.Model(image, layers.Dense(5, activation="softmax")(layers.Flatten()(x)))


def recurrent() -> Any:
    """Return recurrent layers in both directions, with states."""
    x = tokens = keras.Input((7,), dtype="int32", name="tokens")
    x = layers.Embedding(11, 6)(x)
    x = layers.Bidirectional(layers.LSTM(5, return_sequences=True))(x)
    x, state = layers.GRU(4, return_state=True)(x)
    return keras.Model(tokens, [layers.Dense(3)(x), layers.SimpleRNN(2)(state[:, None])])


class Attention(layers.Layer):
    """Self-attention over a text, except for masked words."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.width, self.heads = width, heads
        self.parts = [layers.Dense(width) for _ in range(4)]

    def build(self, shape: Any) -> None:
        """Create the weights."""
        for each in self.parts:
            each.build(shape)

    def call(self, x: Any, mask: Any) -> Any:
        """Return the mixed values of all words."""
        batch, length = tf.shape(x)[0], tf.shape(x)[1]
        split = (batch, length, self.heads, self.width // self.heads)
        *parts, last = self.parts
        q, k, v = (tf.transpose(tf.reshape(e(x), split), (0, 2, 1, 3)) for e in parts)
        hidden = (1.0 - tf.cast(mask[:, None, None, :], tf.float32)) * 1e4
        scores = tf.matmul(q, k, transpose_b=True) / (self.width // self.heads) ** 0.5
        mixed = tf.transpose(tf.matmul(tf.nn.softmax(scores - hidden), v), (0, 2, 1, 3))
        return last(tf.reshape(mixed, (batch, length, self.width)))


class Places(layers.Layer):
    """Positional embedding."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.table = self.add_weight(shape=(512, width), name="places")

    def call(self, x: Any) -> Any:
        """Add the vectors of the first positions."""
        return x + tf.slice(self.table, (0, 0), (tf.shape(x)[1], self.table.shape[1]))


def transformer(width: int = 8, heads: int = 2, depth: int = 1, words: int = 9) -> Any:
    """Return an encoder of text with a mask."""
    ids = keras.Input((None,), dtype="int32", name="ids")
    mask = keras.Input((None,), dtype="int32", name="mask")
    x = Places(width)(layers.Embedding(words, width)(ids))
    for _ in range(depth):
        x = layers.LayerNormalization()(x + Attention(width, heads)(x, mask))
        hidden = layers.Dense(4 * width, activation="gelu")(x)
        x = layers.LayerNormalization()(x + layers.Dense(width)(hidden))
    return keras.Model([ids, mask], x)


SMALL = (convolutions, recurrent, transformer)
"""Models that are written as SavedModels."""

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
            variable.assign(random.normal(0, 1 / np.sqrt(np.prod(shape[:-1])), shape))
        elif variable.path.endswith(("gamma", "scale")):
            variable.assign(random.uniform(0.8, 1.2, shape))
        else:
            variable.assign(random.normal(0, 0.1, shape))


def inputs_of(model: Any, length: int = 5) -> dict[str, Any]:
    """Return inputs by name: indices for integers, numbers around 0 for others."""
    found: dict[str, Any] = {}
    for each in model.inputs:
        shape = [2, *(length if size is None else size for size in each.shape[1:])]
        if "int" not in str(each.dtype):
            found[each.name] = RANDOM.normal(0, 1, shape).astype(np.float32)
        else:
            found[each.name] = RANDOM.integers(0, 9, shape).astype(np.int32)
        if each.name == "mask":
            found[each.name] = np.asarray(found[each.name] > 2, np.int32)
    return found


class Counters(tf.Module):
    """A module of two signatures that share a variable and return dictionaries."""

    def __init__(self) -> None:
        super().__init__()
        self.factor = tf.Variable([1.5, -2.0, 0.5], name="factor")

    @tf.function(input_signature=[tf.TensorSpec((None, 3), tf.float32, name="x")])
    def scaled(self, x: Any) -> Any:
        """Return the rows multiplied by the factor, and their sums."""
        return {"rows": x * self.factor, "sums": tf.reduce_sum(x * self.factor, 1)}

    @tf.function(input_signature=[tf.TensorSpec((), tf.float32, name="x")])
    def power(self, x: Any) -> Any:
        """Return the factor raised to the power `x`."""
        return {"power": self.factor**x}


class Defaults(tf.Module):
    """A module of operators whose attributes all have their default values."""

    @tf.function(input_signature=[tf.TensorSpec((2, 4), tf.float32, name="x")])
    def results(self, x: Any) -> Any:
        """Return positions, counts and random numbers."""
        rows = tf.sort(x)
        found = (
            tf.argmax(x, 1), tf.argmin(x), tf.searchsorted(rows, x),
            tf.searchsorted(rows, x, side="right"), tf.histogram_fixed_width(x, [-1.0, 1.0], 4),
            tf.random.stateless_uniform((3,), [1, 2]), tf.random.stateless_normal((3,), [1, 2]),
            tf.random.stateless_truncated_normal((3,), [1, 2]), tf.linalg.lu(x[:, :2])[1],
        )  # fmt: skip
        return {f"y{index}": each for index, each in enumerate(found)}


class Layers(tf.Module):
    """A module with a network of Keras, whose variables are saved as copies."""

    def __init__(self) -> None:
        super().__init__()
        dense = layers.Dense(3, name="d"), layers.Dense(2, name="e")
        self.network = keras.Sequential([keras.Input((4,)), *dense])
        randomise(self.network)

    @tf.function(input_signature=[tf.TensorSpec((None, 4), tf.float32, name="x")])
    def results(self, x: Any) -> Any:
        """Return the result of the network."""
        return {"y": self.network(x)}


class Tables(tf.Module):
    """A module that looks up numbers in tables: one of constants, one of a text file."""

    def __init__(self, folder: str) -> None:
        super().__init__()
        path, lookup = Path(folder) / "ids.txt", tf.lookup
        path.write_text("0:5\n-1:7\n1:9\n2:3\n")
        pairs = lookup.KeyValueTensorInitializer(
            tf.constant([2, -1, 0], tf.int64), tf.constant([0.5, 2.5, 1.5])
        )
        self.numbers = lookup.StaticHashTable(pairs, -1.0)
        lines = lookup.TextFileInitializer(
            str(path), tf.int64, 0, tf.int64, 1, vocab_size=4, delimiter=":"
        )
        self.ids = lookup.StaticHashTable(lines, -1)

    @tf.function(input_signature=[tf.TensorSpec((None, 4), tf.float32, name="x")])
    def results(self, x: Any) -> Any:
        """Return the values of rounded numbers, and the size of a table."""
        keys = tf.cast(tf.round(x), tf.int64)
        return {"a": self.numbers.lookup(keys), "b": self.ids.lookup(keys), "c": self.ids.size()}


def classic(folder: str) -> None:
    """Save a network of version 1, whose variables are not resources."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, (None, 4), name="x")
        kernel = v1.get_variable("kernel", (4, 3), use_resource=False)
        bias = v1.get_variable(
            "bias", initializer=np.array([1, -1, 0], np.float32), use_resource=True
        )
        y = tf.nn.relu(tf.matmul(x, kernel) + bias)
        session.run(v1.global_variables_initializer())
        v1.saved_model.simple_save(session, folder, {"x": x}, {"y": y})


def stored(arrays: dict[str, Any]) -> bytes:
    """Return arrays as the content of an npz file."""
    data = io.BytesIO()
    np.savez_compressed(data, allow_pickle=False, **arrays)
    return data.getvalue()


def answers(given: dict[str, Any], found: Any) -> bytes:
    """Return inputs by name and results in order, as the content of an npz file."""
    listed = [*found.values()] if isinstance(found, dict) else found
    listed = [*listed] if isinstance(listed, list | tuple) else [listed]
    named = {f"in_{name}": each for name, each in given.items()}
    return stored(named | {f"out_{index}": np.asarray(each) for index, each in enumerate(listed)})


def small_folders() -> Iterator[tuple[str, bytes]]:
    """Return the files of the SavedModels, and their answers."""
    for make in SMALL:
        model = make()
        randomise(model)
        given = inputs_of(model)
        yield from saved(make.__name__, lambda folder, m=model: m.export(folder, verbose=False))
        found = model([given[each.name] for each in model.inputs])
        yield f"{make.__name__}.npz", answers(given, found)
    module = Counters()
    given = {"x": RANDOM.normal(0, 1, (2, 4)).astype(np.float32)}
    with TemporaryDirectory() as folder:
        path = f"{folder}/model"
        classic(path)
        found = tf.saved_model.load(path).signatures["serving_default"](**given)
        yield from saved("classic", lambda copy: copytree(path, copy, dirs_exist_ok=True))
        yield "classic.npz", answers(given, found)
    yield from signature_folder("defaults", Defaults())
    yield from signature_folder("layers", Layers())
    with TemporaryDirectory() as folder:
        yield from signature_folder("tables", Tables(folder))
    functions = {"serving_default": module.scaled, "power": module.power}
    yield from saved("counters", lambda folder: tf.saved_model.save(module, folder, functions))


def signature_folder(name: str, module: Any) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a module whose only signature is its method `results`, and answers."""
    x = RANDOM.normal(0, 1, (2, 4)).astype(np.float32)
    yield from saved(name, lambda folder: tf.saved_model.save(module, folder, module.results))
    yield f"{name}.npz", answers({"x": x}, module.results(x))


def saved(name: str, save: Callable[[str], object]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a SavedModel that Relay reads."""
    with TemporaryDirectory() as folder:
        save(folder)
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file() and path.name != "fingerprint.pb":
                yield f"{name}/{path.relative_to(folder)}", path.read_bytes()


ARCHITECTURES = {
    "ConvNeXtTiny": 32, "DenseNet121": 64, "DenseNet169": 64, "EfficientNetB0": 64,
    "EfficientNetB1": 64, "EfficientNetV2B0": 64, "EfficientNetV2S": 64,
    "InceptionResNetV2": 96, "InceptionV3": 96, "MobileNet": 64, "MobileNetV2": 64,
    "MobileNetV3Large": 64, "MobileNetV3Small": 64, "NASNetMobile": 64, "ResNet101": 64,
    "ResNet152V2": 64, "ResNet50": 64, "ResNet50V2": 64, "VGG16": 64, "VGG19": 64, "Xception": 96,
}  # fmt: skip
"""Architectures of `keras.applications`, with sizes of images."""


def large(name: str) -> Any:
    """Return an architecture, or `bert`, a transformer as large as BERT-base."""
    if name == "bert":
        return transformer(768, 12, 12, 30522)
    size = ARCHITECTURES[name]
    make = getattr(keras.applications, name)
    return make(weights=None, input_shape=(size, size, 3), include_top=False, pooling="avg")


def compare(names: Sequence[str]) -> Iterator[float]:
    """Compare large models, each from a folder, a line for each; yield their differences."""
    for name in names or [*ARCHITECTURES, "bert"]:
        model = large(name)
        randomise(model)
        given = inputs_of(model, 64)
        with TemporaryDirectory() as folder:
            model.export(folder, verbose=False)
            whole = tf.saved_model.load(folder)
            listed = [given[each.name] for each in model.inputs]
            wanted = np.asarray(whole.serve(listed if len(listed) > 1 else listed[0]))
            begin = perf_counter()
            module = relay.load(folder, {name: each.shape for name, each in given.items()})
            seconds = perf_counter() - begin
            (found,) = map(np.asarray, relay.compile(module).run(**given).values())
        error = np.abs(found - wanted).max() / np.abs(wanted).max()
        print(f"{name:<20}{error:10.1e}{seconds:8.2f} s to load", flush=True)
        yield float(error)


def main(arguments: list[str]) -> int:
    """Run the command line; return the exit status."""
    match arguments:
        case ["write", path]:
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
                for name, data in small_folders():
                    archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
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
