"""Flip bits in files: loading a damaged file must report an error or work, but never crash.

`python tools/flip_bits.py artefacts --count 10000` flips one to three bits in compiled models of
each kind, or in their headers with a corrected checksum, and loads and calls the models; the result
must be that of the undamaged file, unless the damaged header describes another model. `python
tools/flip_bits.py models --count 2000` does so in model files of each format, and compiles and runs
those that load: if ONNX Runtime also accepts the damaged model, it must return the same result. The
flips are determined by the case's number. A process that crashes, or runs longer than a minute, is
a failure. A damaged header may describe an endless program, which a signal must be able to stop.
"""

import argparse
import contextlib
import functools
import hashlib
import random
import resource
import signal
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout

import relay
from relay.cli.compare_engines import relative_error
from relay.cli.engine_process import load_onnxruntime
from relay.runtime import Data
from relay.runtime.aligned_memory import ALIGNMENT
from relay.runtime.executable import Executable
from relay.semantics.infer import infer
from relay.support.errors import RelayError
from relay.transform.bind_parameters import bind_parameters
from tools.fuzzing.cases import add_options, run

ROOT = Path(__file__).parents[1]
SECONDS = 60  # of a case
ENDLESS = 10  # seconds of processor time after which a program is interrupted
MEMORY = 8 << 30  # bytes of address space of a process, so that it gets no memory instead of all
TOLERANCE = 1e-3
LARGEST_FILE = 200_000
SIZE_AT = 16  # of the header, in an artefact

LIST = """#[version = "0.0.5"]
import "prelude.rly"
def @main(%x: Tensor[(4), float32], %n: int32) -> (Tensor[(4), float32], List[int32]) {
  (@scaled(%x, %n), @counted(%n))
}
def @scaled(%x: Tensor[(4), float32], %n: int32) -> Tensor[(4), float32] {
  if (%n <= 0) { %x } else { @scaled(%x * 0.5f, %n - 1) }
}
def @counted(%n: int32) -> List[int32] {
  if (%n <= 0) { Nil } else { Cons(%n, @counted(%n - 1)) }
}
"""
DENSE = """#[version = "0.0.5"]
def @main(%x: Tensor[(n, 8), float32], %w: Tensor[(16, 8), float32]) {
  nn.relu(nn.dense(%x, %w))
}
"""
TREE = """#[version = "0.0.5"]
type Tree { Leaf(Tensor[(1, 4), float32]), Node(Tree, Tree) }
def @main(%t: Tree, %w: Tensor[(4, 4), float32]) -> Tensor[(1, 4), float32] {
  match (%t) {
    Leaf(%x) => tanh(nn.dense(%x, %w)), Node(%l, %r) => tanh(@main(%l, %w) + @main(%r, %w))
  }
}
"""


# ---- compiled models ----


@functools.cache
def artefacts() -> Sequence[tuple[bytes, Sequence[Any], Any]]:
    """Return compiled models, each with the arguments and the result of a call."""
    rng = np.random.default_rng(0)
    lists = rng.random(4, np.float32), np.int32(3)
    dense = rng.random((3, 8), np.float32), rng.random((16, 8), np.float32)
    leaf = Data("Leaf", (rng.random((1, 4), np.float32),))
    tree = Data("Node", (leaf, Data("Node", (leaf, leaf)))), rng.random((4, 4), np.float32)
    weighted = bind_parameters(infer(relay.parse(DENSE)), {"w": dense[1]})
    made = [
        (relay.compile(relay.parse(LIST)), lists),
        (relay.vm.compile(relay.parse(LIST)), lists),
        (relay.compile(relay.parse(DENSE)), dense),
        (relay.compile(weighted, shapes={"x": (3, 8)}), dense[:1]),
        (relay.compile(weighted, specialise=True), dense[:1]),
        (relay.vm.compile(weighted), dense[:1]),
        (relay.compile(relay.parse(TREE), batch=True), tree),
    ]
    answers = [model(*given) for model, given in made]  # before, as one has a program for each call
    pairs = zip(made, answers, strict=True)
    return [(model.to_bytes(), given, answer) for (model, given), answer in pairs]


def check_artefact(number: int) -> str:
    """Flip bits of a compiled model, load it and call it."""
    choose = random.Random(number)  # noqa: S311 - nothing here is secret
    content, given, expected = choose.choice(artefacts())
    damage = choose.choice((flipped, sealed))
    try:
        with interrupted_after(ENDLESS):
            found = Executable.from_bytes(damage(content, choose))(*given)
    except RelayError as error:
        return error.code
    except _InterruptedError:
        assert damage is sealed, "an endless program"
        return "interrupted"
    same = repr(found) == repr(expected)
    assert same or damage is sealed, "another answer"
    return "answered" if same else "answered otherwise"


class _InterruptedError(Exception):
    """The exception of the signal that interrupts an endless program."""


@contextlib.contextmanager
def interrupted_after(seconds: float) -> Generator[None]:
    """Raise `_InterruptedError` in a `with` block after so much processor time."""

    def interrupt(*_: object) -> None:
        raise _InterruptedError

    signal.signal(signal.SIGVTALRM, interrupt)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def sealed(content: bytes, choose: random.Random) -> bytes:
    """Return a compiled model with flipped bits in its header and a corrected checksum."""
    size = int.from_bytes(content[SIZE_AT : SIZE_AT + 8], "little")
    header = flipped(content[ALIGNMENT : ALIGNMENT + size], choose)
    digest = hashlib.sha256(header).digest()
    return content[: SIZE_AT + 8] + digest + bytes(8) + header + content[ALIGNMENT + size :]


# ---- models ----


@functools.cache
def models() -> Sequence[Sequence[tuple[str, bytes]]]:
    """Return names and contents of the model files of each format."""
    written = {f"{name}.onnx": model.SerializeToString() for name, model in onnx_models()}
    tests = ROOT / "tests" / "frontend"
    stored = [
        *tests.glob("keras/*.keras"), *tests.glob("parameters/*.gguf"),
        *tests.glob("parameters/*.safetensors"), *tests.glob("mxnet/*-symbol.json"),
        *tests.glob("classic_json/*.json"),
    ]  # fmt: skip
    files = {path.name: path.read_bytes() for path in stored}
    for archive in sorted(tests.glob("t*/*.zip")):
        files |= _unpacked(archive, (".tflite", ".pb"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "module.relay"
        relay.save(relay.parse(LIST), path)
        files[path.name] = path.read_bytes()
    formats: dict[str, list[tuple[str, bytes]]] = {}
    for name, content in (*written.items(), *sorted(files.items())):
        if len(content) <= LARGEST_FILE:
            formats.setdefault(Path(name).suffix, []).append((name, content))
    return list(formats.values())


def _unpacked(archive: Path, suffixes: tuple[str, ...]) -> Mapping[str, bytes]:
    with zipfile.ZipFile(archive) as opened:
        return {
            name.replace("/", "-"): opened.read(name)
            for name in opened.namelist()
            if name.endswith(suffixes)
        }


def onnx_models() -> Iterator[tuple[str, onnx.ModelProto]]:
    """Yield small models: a convolutional one, a recurrent one, and one with control flow."""
    rng = np.random.default_rng(0)

    def weight(name: str, *shape: int) -> TensorProto:
        return numpy_helper.from_array(rng.normal(0, 0.3, shape).astype(np.float32), name)

    def tensor(name: str, *shape: int) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

    def model(
        nodes: Sequence[onnx.NodeProto],
        given: Sequence[onnx.ValueInfoProto],
        result: onnx.ValueInfoProto,
        weights: Sequence[TensorProto],
    ) -> onnx.ModelProto:
        graph = helper.make_graph(nodes, "graph", given, [result], weights)
        opset = [helper.make_opsetid("", 17)]
        return helper.make_model(graph, opset_imports=opset, ir_version=9)

    node = helper.make_node
    layers = [
        node("Conv", ["x", "w", "b"], ["c"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        node("Relu", ["c"], ["r"]),
        node("MaxPool", ["r"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
        node("Flatten", ["p"], ["f"]),
        node("Gemm", ["f", "v"], ["g"], transB=1),
        node("Softmax", ["g"], ["y"]),
    ]
    weights = [weight("w", 4, 3, 3, 3), weight("b", 4), weight("v", 5, 64)]
    yield "convolutions", model(layers, [tensor("x", 1, 3, 8, 8)], tensor("y", 1, 5), weights)
    weights = [weight("w", 1, 12, 5), weight("r", 1, 12, 3)]
    lstm = [node("LSTM", ["x", "w", "r"], ["all", "y"], hidden_size=3)]
    yield "lstm", model(lstm, [tensor("x", 6, 1, 5)], tensor("y", 1, 1, 3), weights)
    shape = numpy_helper.from_array(np.array([2, -1], np.int64), "shape")
    branches = [
        helper.make_graph([node(op, ["t"], [op])], op, [], [tensor(op, 2, 6)])
        for op in ("Exp", "Neg")
    ]
    chosen = [
        node("Reshape", ["x", "shape"], ["t"]),
        node("ReduceMax", ["x"], ["top"], keepdims=0),
        node("Greater", ["top", "half"], ["large"]),
        node("If", ["large"], ["y"], then_branch=branches[0], else_branch=branches[1]),
    ]
    half = numpy_helper.from_array(np.array(0.5, np.float32), "half")
    yield "choice", model(chosen, [tensor("x", 3, 4)], tensor("y", 2, 6), [shape, half])


def check_model(number: int) -> str:
    """Flip bits of a model file; compile and run what loads."""
    choose = random.Random(number)  # noqa: S311 - nothing here is secret
    name, content = choose.choice(choose.choice(models()))
    damaged = flipped(content, choose)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(damaged)
        try:
            answer = _answer(path)
        except RelayError as error:
            return error.code[0]
        if answer is None or path.suffix != ".onnx":
            return "ran"
        return _compared(path, *answer)


Answer = tuple[dict[str, np.ndarray], list[np.ndarray]]
"""The inputs and the outputs of a model."""


def _answer(path: Path) -> Answer | None:
    """Return random inputs of a model and its outputs; None for a file of weights."""
    if path.suffix in {".gguf", ".safetensors"}:
        relay.load(path)
        return None
    compiled = relay.compile(relay.load(path))
    samples = compiled.samples()
    named = dict(zip(compiled.input_names, samples, strict=True))
    return named, list(compiled.run(*samples).values())


def _compared(path: Path, inputs: dict[str, np.ndarray], found: list[np.ndarray]) -> str:
    """Compare the outputs with ONNX Runtime's if it accepts the model."""
    try:
        run_alone, _ = load_onnxruntime(path, inputs, 1)
        expected = run_alone()
    except Exception:  # noqa: BLE001 - whatever it raises, it has no answer
        return "ran alone"
    error = relative_error(found, expected)
    assert error < TOLERANCE, f"another answer than that of ONNX Runtime: {error:.1e}"
    return "same answer"


# ---- both ----


def flipped(content: bytes, choose: random.Random) -> bytes:
    """Return the content with one to three bits flipped."""
    damaged = bytearray(content)
    for _ in range(choose.randrange(1, 4)):
        damaged[choose.randrange(len(damaged))] ^= 1 << choose.randrange(8)
    return bytes(damaged)


def limited(check: Callable[[int], str], number: int) -> str:
    """Run a check with limits on its time and memory."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.alarm(SECONDS)
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        found = check(number)
    signal.alarm(0)
    return found


CHECKS: Mapping[str, Callable[[int], str]] = {"artefacts": check_artefact, "models": check_model}


def main() -> int:
    """Check the flips in parallel and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=CHECKS)
    add_options(parser)
    options = parser.parse_args()
    return run(functools.partial(limited, CHECKS[options.what]), options)


if __name__ == "__main__":
    sys.exit(main())
