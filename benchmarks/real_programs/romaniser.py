"""Romanisation of Thai words: encoder, decoder and the decoding loop as one Relay program.

The original package runs the decoder step by step from Python, takes the most probable letter of
each step, and stops at an end marker, at a cycle that has repeated three times, or after a hundred
letters. Here all of it is one Relay program that calls the two models.
"""

# Modules are called, tensors have methods: the type checker sees Python only.
# pyright: reportCallIssue=false, reportArgumentType=false, reportAttributeAccessIssue=false

import json
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import relay
from benchmarks.material import material
from benchmarks.real_programs.sessions import session
from relay.frontend.python import PythonFunction, Tensor, float32, function, int32, int64

Romanise = Callable[[str], str]

HEADINGS = (
    "words", "letters", "other romanisations",
    "pythainlp µs a word", "Relay µs a word", "Relay is", "compile s",
)  # fmt: skip
START, END, LONGEST = 1, 2, 100
CYCLE, COPIES = 12, 3  # letters of a cycle, at most, and how often it comes before it counts


@function
def is_cycle(written: Tensor[LONGEST, int32], count: int32, period: int32) -> bool:
    """Return whether the last letters repeat with a period."""
    at, left = count - 1, (COPIES - 1) * period
    while left > 0 and written[at] == written[at - period]:
        at, left = at - 1, left - 1
    return left == 0


@function
def cycle(written: Tensor[LONGEST, int32], count: int32) -> int32:
    """Return the shortest period of the last letters, 0 if they have none."""
    period, found = 1, 0
    while found == 0 and period <= CYCLE and COPIES * period <= count:
        if is_cycle(written, count, period):
            found = period
        period = period + 1
    return found


def program() -> PythonFunction[..., Any]:
    """Return the program: from the numbers of Thai letters to those of Latin ones, and how many."""
    encoder = relay.load(material("thai2rom-encoder.onnx"))
    decoder = relay.load(material("thai2rom-decoder.onnx"))

    @function
    def romanise(
        letters: Tensor[1, "n", int64],
        length: Tensor[1, int32],
    ) -> tuple[Tensor[LONGEST, int32], int32]:
        encoded = encoder(letters, length)
        states, last = encoded[0], encoded[1]
        hidden = np.reshape(last, (1, 1, 256))
        mask = (letters != 0).astype(float32)
        token, count, period = START, 0, 0
        written = np.zeros(LONGEST, np.int32)
        while token != END and count < LONGEST and period == 0:
            decoded = decoder(np.reshape(token, (1, 1)), hidden, states, mask)
            scores, hidden = decoded[0], decoded[1]
            token = np.argmax(scores[0]).astype(int32)
            if token != END:
                written = relay.scatter_nd(written, np.reshape(count, (1,)), token)
                count = count + 1
                period = cycle(written, count)
        return written, count - (COPIES - 1) * period

    return romanise


class Letters:
    """The alphabets of both models."""

    def __init__(self) -> None:
        """Read the file that comes with the models."""
        known = json.loads(material("thai2rom.json").read_bytes())
        self._thai: dict[str, int] = known["char_to_ix"]
        self._latin = {int(k): str(v) for k, v in known["ix_to_target_char"].items()}

    def numbers(self, word: str) -> Any:
        """Return a word in the form that the encoder accepts."""
        unknown, end = self._thai["<UNK>"], self._thai["<end>"]
        return np.array([[*(self._thai.get(c, unknown) for c in word), end]], np.int64)

    def word(self, numbers: Sequence[int]) -> str:
        """Return the letters of a romanisation; missing letters are `<PAD>`."""
        return "".join(self._latin[int(number)] for number in numbers) or "<PAD>"


def with_relay(words: Sequence[str]) -> Romanise:
    """Return the program compiled for the lengths of these words."""
    module, letters = program().module, Letters()
    lengths = sorted({letters.numbers(word).shape[1] for word in words})
    runs = {n: relay.compile(module, threads=1, shapes={"letters": (1, n)}) for n in lengths}

    def romanise(word: str) -> str:
        numbers = letters.numbers(word)
        length = numbers.shape[1]
        written, count = runs[length](numbers, np.array([length], np.int32))
        return letters.word(written[: int(count)])

    return romanise


def with_pythainlp() -> Romanise:
    """Return the original package's loop over ONNX Runtime, on one thread."""
    from pythainlp.transliterate.thai2rom_onnx import (  # noqa: PLC0415 - needs the package
        Seq2Seq_ONNX,
    )

    models = session("thai2rom-encoder.onnx"), session("thai2rom-decoder.onnx")
    letters, latin = Letters(), 40
    network = Seq2Seq_ONNX(*models, START, END, LONGEST, target_vocab_size=latin)

    def romanise(word: str) -> str:
        numbers = letters.numbers(word)
        scores = network.run(numbers, [numbers.shape[1]])
        return letters.word(scores.reshape(-1, latin).argmax(1).tolist())

    return romanise


def words() -> list[str]:
    """Return the names of the provinces of Thailand."""
    from pythainlp.corpus import provinces  # noqa: PLC0415 - needs the package

    return sorted(str(name) for name in provinces())


@dataclass(frozen=True)
class Romanised:
    """The results of both loops, and the median time per word of each."""

    expected: list[str]
    found: list[str]
    seconds: tuple[float, float]
    compile_seconds: float

    @property
    def others(self) -> list[tuple[str, str]]:
        """Return the romanisations that differ."""
        return [(a, b) for a, b in zip(self.expected, self.found, strict=True) if a != b]

    def row(self) -> tuple[str, ...]:
        """Return the row of the table."""
        theirs, ours = (each * 1e6 for each in self.seconds)
        counts = str(len(self.expected)), str(len("".join(self.expected))), str(len(self.others))
        times = (f"{theirs:.0f}", f"{ours:.0f}", f"{theirs / ours:.2f}×")
        return (*counts, *times, f"{self.compile_seconds:.2f}")


def compare(chosen: Sequence[str], rounds: int) -> Romanised:
    """Romanise the words with both loops, in alternation."""
    start = time.process_time()
    ours = with_relay(chosen)
    compiled = time.process_time() - start
    theirs = with_pythainlp()
    expected, found = [theirs(word) for word in chosen], [ours(word) for word in chosen]
    passes: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for romanise, times in zip((theirs, ours), passes, strict=True):
            start = time.process_time()
            for word in chosen:
                romanise(word)
            times.append((time.process_time() - start) / len(chosen))
    medians = [statistics.median(each or [float("nan")]) for each in passes]
    return Romanised(expected, found, (medians[0], medians[1]), compiled)
