"""Measure how long Relay takes to import large models: BERT-base of each format, and ResNet-50.

    python tools/import_times.py FOLDER [FORMAT …] [--write]

Makes each model in the folder, unless it is there, with the framework of its format; those whose
framework is not installed are omitted. MXNet's ResNet-50 is made by `tools/mxnet_models.py FOLDER
zoo`. A process of its own imports the framework and lets it open the file, as far as the format
needs it, and measures what Relay does then, with the import of Relay's own modules. With `--write`
the results, added to those of earlier runs, become `benchmarks/results/import_times.md`.
"""

# What the frameworks give has no types.
# pyright: reportUnknownLambdaType=none, reportUnknownArgumentType=none
# pyright: reportUnknownVariableType=none

import json
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout

PAGE = Path("benchmarks/results/import_times.md")
DATA = PAGE.with_suffix(".json")

WIDTH, HEADS, DEPTH, WORDS, PLACES = 768, 12, 12, 30522, 512
"""The sizes of BERT-base."""

LENGTH = 32


@dataclass(frozen=True)
class Format:
    """A format: its framework, how a file is made, opened by the framework, and imported."""

    file: str
    framework: str
    make: Callable[[Path], None]
    load: Callable[[Path], Callable[[], Any]]
    """Opens the file with the framework, and returns the import by Relay as a function."""


@dataclass(frozen=True)
class Time:
    """A measurement: megabytes, seconds of the framework and of Relay, and processor time."""

    version: str
    size: float
    opened: float
    imported: float
    busy: float


def texts() -> tuple[Any, Any]:
    """Return token ids and a mask."""
    random = np.random.default_rng(0)
    return random.integers(0, WORDS, (1, LENGTH)), np.ones((1, LENGTH), np.int64)


def torch_bert() -> tuple[Any, Any]:
    """Return BERT-base of transformers, and its inputs."""
    torch, transformers = import_module("torch"), import_module("transformers")
    model = transformers.BertModel(transformers.BertConfig(), add_pooling_layer=False).eval()

    class First(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, ids: Any, mask: Any) -> Any:
            """Return the hidden state of each word."""
            return self.model(ids, mask)[0]

    return First().eval(), tuple(map(torch.from_numpy, texts()))


def make_exported(path: Path) -> None:
    """Write a program of `torch.export`."""
    torch = import_module("torch")
    model, inputs = torch_bert()
    torch.export.save(torch.export.export(model, inputs, strict=False), path)


def load_exported(path: Path) -> Callable[[], Any]:
    """Open a program of `torch.export`."""
    program = import_module("torch").export.load(path)
    return lambda: import_module("relay").load(program)


def make_script(path: Path) -> None:
    """Write a trace."""
    torch = import_module("torch")
    model, inputs = torch_bert()
    torch.jit.trace(model, inputs, check_trace=False).save(path)


def load_script(path: Path) -> Callable[[], Any]:
    """Open a trace."""
    script = import_module("torch").jit.load(path)
    infos = [(name, ((1, LENGTH), "int64")) for name in ("ids", "mask")]
    return lambda: import_module("relay").frontend.from_pytorch(script, infos)


def keras_bert() -> Any:
    """Return BERT-base of Keras' own layers."""
    keras = import_module("keras")
    layers = keras.layers
    ids, places = (keras.Input((LENGTH,), dtype="int32", name=each) for each in ("ids", "places"))
    x = layers.Embedding(WORDS, WIDTH)(ids) + layers.Embedding(PLACES, WIDTH)(places)
    x = layers.LayerNormalization()(x)
    for _ in range(DEPTH):
        mixed = layers.MultiHeadAttention(HEADS, WIDTH // HEADS)(x, x)
        x = layers.LayerNormalization()(x + mixed)
        hidden = layers.Dense(4 * WIDTH, activation="gelu")(x)
        x = layers.LayerNormalization()(x + layers.Dense(WIDTH)(hidden))
    return keras.Model([ids, places], x)


def make_saved_model(path: Path) -> None:
    """Write a SavedModel."""
    keras_bert().export(str(path), verbose=False)


def make_lite(path: Path) -> None:
    """Write a model of TensorFlow Lite."""
    converter = import_module("tensorflow").lite.TFLiteConverter.from_keras_model(keras_bert())
    path.write_bytes(converter.convert())


def make_keras(path: Path) -> None:
    """Write a model of Keras."""
    keras_bert().save(path)


def make_jax(path: Path) -> None:
    """Write a function of JAX whose weights are constants."""
    jax = import_module("jax")
    export = import_module("jax.export")
    function = partial(jax_bert, jax_weights())
    exported = export.export(jax.jit(function))(jax.ShapeDtypeStruct((1, LENGTH), np.int32))
    path.write_bytes(exported.serialize())


def jax_weights() -> Any:
    """Return random weights of BERT-base by name."""
    random = np.random.default_rng(0)

    def matrix(*shape: int) -> Any:
        return random.normal(0, 0.02, shape).astype(np.float32)

    blocks = [
        {name: matrix(WIDTH, WIDTH) for name in ("query", "key", "value", "out")}
        | {"wide": matrix(WIDTH, 4 * WIDTH), "narrow": matrix(4 * WIDTH, WIDTH)}
        for _ in range(DEPTH)
    ]
    return {"words": matrix(WORDS, WIDTH), "places": matrix(PLACES, WIDTH), "blocks": blocks}


def jax_bert(weights: Any, ids: Any) -> Any:
    """Return the hidden state of each token."""
    jax, jnp = import_module("jax"), import_module("jax.numpy")

    def normal(x: Any) -> Any:
        middle = x - x.mean(-1, keepdims=True)
        return middle * jax.lax.rsqrt((middle**2).mean(-1, keepdims=True) + 1e-12)

    def heads(x: Any) -> Any:
        return x.reshape(1, LENGTH, HEADS, WIDTH // HEADS).transpose(0, 2, 1, 3)

    x = normal(jnp.asarray(weights["words"])[ids] + weights["places"][:LENGTH])
    for each in weights["blocks"]:
        q, k, v = (heads(x @ each[name]) for name in ("query", "key", "value"))
        shares = jax.nn.softmax(q @ k.swapaxes(2, 3) / (WIDTH // HEADS) ** 0.5)
        mixed = (shares @ v).transpose(0, 2, 1, 3).reshape(1, LENGTH, WIDTH)
        x = normal(x + mixed @ each["out"])
        x = normal(x + jax.nn.gelu(x @ each["wide"]) @ each["narrow"])
    return x


def load_jax(path: Path) -> Callable[[], Any]:
    """Open a function of JAX."""
    exported = import_module("jax.export").deserialize(bytearray(path.read_bytes()))
    return lambda: import_module("relay").frontend.from_jax(exported)


def load_alone(path: Path) -> Callable[[], Any]:
    """Return the import of a file that Relay reads without its framework."""
    return lambda: import_module("relay").load(path)


def load_mxnet(path: Path) -> Callable[[], Any]:
    """Open a network of MXNet, which Relay reads itself."""
    return lambda: import_module("relay").load(path, shapes={"data": (1, 3, 224, 224)})


def make_mxnet(path: Path) -> None:
    """Raise an error that explains how to make the network, which needs an old Python."""
    raise SystemExit(f"no {path}: python3.8 tools/mxnet_models.py {path.parent} zoo")


FORMATS: Mapping[str, Format] = {
    "torch.export, .pt2": Format("bert.pt2", "torch", make_exported, load_exported),
    "TorchScript": Format("bert.pt", "torch", make_script, load_script),
    "SavedModel": Format("bert", "tensorflow", make_saved_model, load_alone),
    "TensorFlow Lite": Format("bert.tflite", "tensorflow", make_lite, load_alone),
    "Keras": Format("bert.keras", "keras", make_keras, load_alone),
    "jax.export": Format("bert.jax", "jax", make_jax, load_jax),
    "MXNet, ResNet-50": Format("resnet50_v1-symbol.json", "numpy", make_mxnet, load_mxnet),
}


def measured(name: str, path: Path) -> Time:
    """Import one file in this process."""
    framework = import_module(FORMATS[name].framework)
    begin = perf_counter()
    rest = FORMATS[name].load(path)
    middle, idle = perf_counter(), process_time()
    rest()
    end, busy = perf_counter(), process_time() - idle
    beside = path.parent.glob(path.name.replace("-symbol.json", "-*"))
    files = path.rglob("*") if path.is_dir() else beside
    size = sum(each.stat().st_size for each in files if each.is_file()) / 1e6
    seconds = (round(each, 2) for each in (middle - begin, end - middle, busy))
    return Time(framework.__version__, round(size), *seconds)


def in_a_process(name: str, path: Path) -> Time:
    """Import one file in a process of its own."""
    command = [sys.executable, __file__, str(path.parent), name, "--measure"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return Time(**json.loads(done.stdout.splitlines()[-1]))


def report(found: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the page."""
    lines = [
        "# How long imports take",
        "",
        "`python tools/import_times.py FOLDER --write`: BERT-base with random weights, in float32;",
        "of MXNet, ResNet-50. Seconds of the framework that opens the file, where Relay does not",
        "read it itself, and of Relay after that; the last column is its processor time.",
        "",
        "| format | with | MB | framework | Relay | busy |",
        "|---|---|---|---|---|---|",
    ]
    for name, row in found.items():
        each = Time(**row)
        framework = f"{FORMATS[name].framework} {each.version}"
        times = f"{each.opened} | {each.imported} | {each.busy}"
        lines.append(f"| {name} | {framework} | {each.size:.0f} | {times} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run the command line."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("formats", nargs="*", help=", ".join(FORMATS))
    parser.add_argument("--write", action="store_true", help=f"write {PAGE}")
    parser.add_argument("--measure", action="store_true", help="measure one format in this process")
    options = parser.parse_args()
    names = options.formats or [*FORMATS]
    if options.measure:
        print(json.dumps(asdict(measured(names[0], options.folder / FORMATS[names[0]].file))))
        return
    found = json.loads(DATA.read_text()) if DATA.exists() else {}
    for name in names:
        path = options.folder / FORMATS[name].file
        with suppress(ImportError):
            import_module(FORMATS[name].framework)
            if not path.exists():
                FORMATS[name].make(path)
            found[name] = asdict(in_a_process(name, path))
            print(name, found[name], flush=True)
    if options.write:
        DATA.write_text(json.dumps(found, indent=1) + "\n")
        PAGE.write_text(report(found))


if __name__ == "__main__":
    main()
