"""Compare Relay and the kernels of LiteRT, each pair, on quantised TensorFlow Lite models.

    python tools/tflite_resolvers.py --out benchmarks/results/tflite_resolvers.md [model.tflite …]

Without paths, the models are those of MLPerf Tiny in `examples/pretrained_models.toml`. Each model
runs on random inputs of two kinds: *noise*, independent numbers over the whole range that the
model's first quantised tensor can represent, and *smooth*, fields whose neighbouring numbers are
close, as those of images and spectrograms are. Differences of outputs are counted in quanta, which
are the steps between neighbouring values of the output's quantised type. The tool needs the
packages tflite and ai-edge-litert. The page also has a summary of the models of one operator that
the tests read. It exits with 1 if Relay differs from the reference kernels.
"""

# What LiteRT gives has no types.
# pyright: reportUnknownArgumentType=none, reportUnknownVariableType=none
# pyright: reportUnknownMemberType=none, reportUnknownLambdaType=none

import argparse
import sys
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
import relay
from benchmarks.page import Page
from examples.pretrained_models import fetch

litert: Any = import_module("ai_edge_litert.interpreter")
TINY = ("tiny-resnet8", "tiny-dscnn", "tiny-mobilenet", "tiny-autoencoder")
SEED = 0
KINDS = ("noise", "smooth")
RESOLVERS = {
    "reference": "BUILTIN_REF",
    "optimised": "BUILTIN_WITHOUT_DEFAULT_DELEGATES",
    "default": "AUTO",
}
PAIRS = (
    ("Relay", "reference"), ("Relay", "optimised"), ("Relay", "default"),
    ("reference", "optimised"), ("reference", "default"), ("optimised", "default"),
)  # fmt: skip

Array = np.ndarray[Any, Any]
Pair = tuple[str, str]


# ---- models -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Engine:
    """An interpreter of LiteRT with one thread."""

    interpreter: Any

    @classmethod
    def open(cls, model: bytes, resolver: str) -> "Engine":
        """Return the interpreter of a file, with the kernels that `resolver` chooses."""
        kind = getattr(litert.OpResolverType, resolver)
        interpreter = litert.Interpreter(
            model_content=model, experimental_op_resolver_type=kind, num_threads=1
        )
        interpreter.allocate_tensors()
        return cls(interpreter)

    def __call__(self, inputs: Sequence[Array]) -> list[Array]:
        """Return the outputs for inputs in order."""
        for detail, x in zip(self.interpreter.get_input_details(), inputs, strict=True):
            self.interpreter.set_tensor(detail["index"], x)
        self.interpreter.invoke()
        details = self.interpreter.get_output_details()
        return [np.array(self.interpreter.get_tensor(each["index"])) for each in details]

    def quantised(self, detail: Any) -> Any:
        """Return the details of an input or output, or of the quantised tensor next to it.

        Inputs and outputs of type float32 are converted by a node `QUANTIZE` or `DEQUANTIZE`.
        """
        index = detail["index"]
        for each in self.interpreter._get_ops_details():  # noqa: SLF001 - no public way
            if each["op_name"] == "QUANTIZE" and index in each["inputs"]:
                index = each["outputs"][0]
            elif each["op_name"] == "DEQUANTIZE" and index in each["outputs"]:
                index = each["inputs"][0]
        details = self.interpreter.get_tensor_details()
        return next(each for each in details if each["index"] == index)

    def in_quanta(self, outputs: Sequence[Array]) -> Array:
        """Return all numbers of the outputs, divided by the steps of their quantised types."""
        details = self.interpreter.get_output_details()
        steps = [self.quantised(each)["quantization"][0] for each in details]
        return np.concatenate([
            x.ravel() / (step if step and x.dtype == np.float32 else 1.0)
            for x, step in zip(outputs, steps, strict=True)
        ])  # fmt: skip


def inputs(engine: Engine, kind: str, count: int) -> Iterator[list[Array]]:
    """Yield random inputs that cover the ranges of the model's first quantised tensors."""
    random = np.random.default_rng([SEED, KINDS.index(kind)])
    details = engine.interpreter.get_input_details()
    pairs = [(each, engine.quantised(each)) for each in details]
    for _ in range(count):
        yield [sample(random, kind, *pair) for pair in pairs]


def sample(random: np.random.Generator, kind: str, given: Any, inner: Any) -> Array:
    """Return random numbers for an input, whose quantised tensor is `inner`.

    Inputs that are not quantised are indices below 3, or numbers around 0.
    """
    (scale, zero), shape, of = inner["quantization"], given["shape"], given["dtype"]
    if not scale:
        is_real = of == np.float32
        return (random.normal(0, 1, shape) if is_real else random.integers(0, 3, shape)).astype(of)
    limits = np.iinfo(inner["dtype"])
    unit = random.random(shape) if kind == "noise" else smooth(random, shape)
    steps = unit * (int(limits.max) - int(limits.min)) + limits.min
    return np.rint(steps).astype(of) if of != np.float32 else ((steps - zero) * scale).astype(of)


def smooth(random: np.random.Generator, shape: Sequence[int]) -> Array:
    """Return numbers from 0 to 1 that are interpolated between those of a random coarse grid."""
    coarse = random.random([min(size, 5) for size in shape])
    for axis, size in enumerate(shape):
        if size > coarse.shape[axis]:
            coarse = stretched(coarse, axis, size)
    low, high = coarse.min(), coarse.max()
    return (coarse - low) / (high - low)


def stretched(values: Array, axis: int, size: int) -> Array:
    """Return values that are linearly interpolated to a larger size along an axis."""
    places = np.linspace(0, values.shape[axis] - 1, size)
    low = np.minimum(places.astype(np.intp), values.shape[axis] - 2)
    share = (places - low).reshape([-1 if each == axis else 1 for each in range(values.ndim)])
    return values.take(low, axis) * (1 - share) + values.take(low + 1, axis) * share


# ---- differences ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """How results of two programs differ: shares of numbers, and of inputs, and the greatest."""

    exact: float
    within: float
    greatest: int
    unequal: int

    @classmethod
    def of(cls, left: Array, right: Array) -> "Difference":
        """Return the differences of stacked results, in quanta."""
        steps = np.abs(np.rint(left - right)).astype(int)
        different = (left != right).reshape(len(left), -1)
        return cls(
            1 - float(different.mean()), float(np.mean(steps <= 1)), int(steps.max()),
            int(different.any(1).sum()),
        )  # fmt: skip

    def joined(self, other: "Difference | None") -> "Difference":
        """Return the worse of each number of both."""
        if other is None:
            return self
        least, most = min(self.exact, other.exact), max(self.greatest, other.greatest)
        within, unequal = min(self.within, other.within), self.unequal + other.unequal
        return Difference(least, within, most, unequal)

    @property
    def cells(self) -> list[str]:
        """Return the cells of a table."""
        return [share(self.exact), share(self.within), str(self.greatest), str(self.unequal)]


def share(number: float) -> str:
    """Return a percentage that is 100 % only for all numbers."""
    return "100 %" if number == 1 else f"{min(number, 0.9999):.2%}".replace("%", " %")


def compared(
    model: bytes, kind: str, count: int, pairs: Sequence[Pair] = PAIRS
) -> dict[Pair, Difference]:
    """Return the differences of pairs of programs."""
    engines = {name: Engine.open(model, RESOLVERS[name])
               for name in RESOLVERS if any(name in pair for pair in pairs)}  # fmt: skip
    compiled: Any = relay.compile(relay.load(model), threads=1)

    def ours(given: Sequence[Array]) -> list[Array]:
        found = compiled(*given)
        return [np.asarray(each) for each in (found if isinstance(found, tuple) else (found,))]

    reference = engines["reference"]
    given = list(inputs(reference, kind, count))
    found = {
        name: np.stack([reference.in_quanta(run(x)) for x in given])
        for name, run in {"Relay": ours, **engines}.items()
    }
    return {(a, b): Difference.of(found[a], found[b]) for a, b in pairs}


def operators(path: Path, count: int) -> str:
    """Return sentences about the quantised models of one operator in an archive."""
    pairs = [("Relay", "reference"), ("Relay", "default")]
    unequal: list[str] = []
    missing: list[str] = []
    far: list[str] = []
    archive = zipfile.ZipFile(path)
    quantised = (each for each in archive.namelist() if each.endswith(ENDS) and "lstm" not in each)
    names = [each.removesuffix(".tflite") for each in quantised]
    for name in names:
        model = archive.read(f"{name}.tflite")
        try:
            Engine.open(model, RESOLVERS["reference"])
        except ValueError:  # LiteRT lacks the kernel
            missing.append(name)
            continue
        reference, default = compared(model, "noise", count, pairs).values()
        unequal += [name] * (reference.exact < 1)
        far += [name] * (default.greatest > 1 and reference.exact == 1)
    return OPERATORS.format(
        count=count, files=len(names) - len(missing), unequal=listed(unequal), far=listed(far),
        missing=listed(missing),
    )  # fmt: skip


def listed(names: Sequence[str]) -> str:
    """Return the number of names, and the names."""
    return f"{len(names)} ({', '.join(f'`{each}`' for each in names)})" if names else "none"


# ---- the page ---------------------------------------------------------------------------------


TEXT = """
LiteRT has three sets of kernels: *reference* (`OpResolverType.BUILTIN_REF`), *optimised*
(`BUILTIN_WITHOUT_DEFAULT_DELEGATES`) and *default* (`AUTO`, the delegate XNNPACK). Each pair of
programs computes {count} random inputs of each kind, drawn with the seed {seed}, with one thread:
*noise* covers the range of the model's first quantised tensor with independent numbers, *smooth*
with fields whose neighbouring numbers are close. A quantum is the step between neighbouring values
of the output's quantised type.

Command: `python tools/tflite_resolvers.py --count {count}`, with {versions}.

| model | inputs | programs | equal numbers | within 1 quantum | greatest, quanta | unequal inputs |
|---|---|---|---|---|---|---|
"""
END = """
Relay equals the reference kernels in {equal} of {files} files; LiteRT's own reference and default
kernels differ from each other by more than one quantum in {apart} of {files}, where no program can
both equal the first and be within one quantum of the second: layers that round otherwise by one
quantum change the inputs of all later layers.
"""
OPERATORS = """
Of the {files} quantised models of one operator in `tests/frontend/tflite/operators.zip`, with
{count} inputs of noise each,

- more than one quantum from the default kernels, and equal to the reference kernels: {far};
- not equal to the reference kernels, whose sums overflow there: {unequal};
- without a reference kernel, and not counted: {missing}.

The models of LSTMs, which keep a state, are not among them.
"""
ENDS = ("_int8.tflite", "_int16.tflite")
ARCHIVE = Path(__file__).parents[1] / "tests/frontend/tflite/operators.zip"
RESULT = Path(__file__).parents[1] / "benchmarks/results/tflite_resolvers.md"
PACKAGES = ("ai-edge-litert", "tflite", "numpy", "llvmlite")


def main() -> int:
    """Compare models, and write the page; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--out", type=Path, default=RESULT)
    parser.add_argument("--note", default="")
    options = parser.parse_args()
    page = Page(options.out, "Quantised models: Relay and the kernels of LiteRT", options.note)
    versions = ", ".join(f"{each} {version(each)}" for each in PACKAGES)
    page.add(TEXT.format(count=options.count, seed=SEED, versions=versions))
    paths = options.models or [fetch(f"{each}.tflite") for each in TINY]
    found: list[dict[Pair, Difference]] = []
    for path in paths:
        found.append({})
        for kind in KINDS:
            for pair, difference in compared(path.read_bytes(), kind, options.count).items():
                page.add_row([path.stem, kind, " – ".join(pair), *difference.cells])
                found[-1][pair] = difference.joined(found[-1].get(pair))
    equal = sum(each["Relay", "reference"].exact == 1 for each in found)
    apart = sum(each["reference", "default"].greatest > 1 for each in found)
    page.add(END.format(equal=equal, files=len(paths), apart=apart))
    page.add(operators(ARCHIVE, options.count // 5))
    page.save()
    return int(equal < len(paths))


if __name__ == "__main__":
    sys.exit(main())
