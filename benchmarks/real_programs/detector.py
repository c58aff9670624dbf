"""A voice detector that carries its state over a recording, in each of its published forms."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import relay
from benchmarks.answers.audio import CONTEXT, STEP, read_wave
from benchmarks.material import material
from benchmarks.real_programs.sessions import session

Arrays = dict[str, NDArray[Any]]
Step = Callable[[Arrays], Sequence[NDArray[Any]]]
"""One call of a model: a function from inputs by name to all outputs."""

HEADINGS = (
    "form", "frames", "speech", "largest difference", "other decisions",
    "ONNX Runtime µs a frame", "Relay µs a frame", "Relay is", "compile s",
)  # fmt: skip
RATE, THRESHOLD = 16000, 0.5


@dataclass(frozen=True)
class Form:
    """One form of the detector: its file, and the names of its states; one call takes `frames`."""

    name: str
    file: str
    states: tuple[str, ...] = ("state",)
    state_shape: tuple[int, ...] = (2, 1, 128)
    tells_rate: bool = False
    is_whole: bool = False

    def first_state(self) -> Arrays:
        """Return the initial state of the detector."""
        rate: Arrays = {"sr": np.array(RATE)} if self.tells_rate else {}
        return rate | {name: np.zeros(self.state_shape, np.float32) for name in self.states}

    def shapes(self, frames: int) -> dict[str, tuple[int, ...]]:
        """Return the shapes of all inputs."""
        sizes = {name: array.shape for name, array in self.first_state().items()}
        return {"input": (frames if self.is_whole else 1, CONTEXT + STEP), **sizes}


FORMS = (
    Form("static LSTM", "silero-static.onnx"),
    Form("sequence, a frame a call", "silero-sequence.onnx", ("h", "c"), (1, 1, 128)),
    Form("sequence, all at once", "silero-sequence.onnx", ("h", "c"), (1, 1, 128), is_whole=True),
    Form("LSTM inside If", "silero-op15.onnx", tells_rate=True),
    Form("nested Ifs", "silero.onnx", tells_rate=True),
)


def frames_of_recording() -> NDArray[np.float32]:
    """Return the windows of the recording, each with the end of the previous one."""
    samples, rate = read_wave(material("silero-test.wav").read_bytes())
    assert rate == RATE, "the recording has the rate of the model"
    padded = np.concatenate([np.zeros(CONTEXT, np.float32), samples])
    windows = np.lib.stride_tricks.sliding_window_view(padded, CONTEXT + STEP)
    return np.ascontiguousarray(windows[::STEP])


def listen(form: Form, step: Step, frames: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the probability of speech in every frame; the state is passed from call to call."""
    feeds = form.first_state()
    if form.is_whole:
        return step({"input": frames, **feeds})[0].ravel()
    heard: list[float] = []
    for frame in frames:
        feeds["input"] = frame[None]
        share, *states = step(feeds)
        feeds.update(zip(form.states, states, strict=True))
        heard.append(share.item())
    return np.array(heard, np.float32)


def with_onnx_runtime(form: Form) -> Step:
    """Return the form as a session of ONNX Runtime."""
    opened = session(form.file)
    return lambda feeds: opened.run(None, feeds)  # pyright: ignore[reportReturnType] - arrays


def with_relay(form: Form, frames: int) -> Step:
    """Return the form compiled by Relay."""
    module = relay.load(material(form.file), shapes=form.shapes(frames))
    run = relay.compile(module, threads=1)
    return lambda feeds: tuple(run.run(**feeds).values())


@dataclass(frozen=True)
class Hearing:
    """The probabilities of both engines, and the median time per frame of each."""

    form: Form
    expected: NDArray[np.float32]
    found: NDArray[np.float32]
    seconds: tuple[float, float]
    compile_seconds: float

    @property
    def worst(self) -> float:
        """Return the largest difference of the probabilities."""
        return float(np.abs(self.expected - self.found).max())

    @property
    def other_decisions(self) -> int:
        """Return the number of frames in which only one engine detects speech."""
        return int(((self.expected > THRESHOLD) != (self.found > THRESHOLD)).sum())

    def row(self) -> tuple[str, ...]:
        """Return the row of the table."""
        theirs, ours = (each * 1e6 for each in self.seconds)
        speech = float(np.mean(self.expected > THRESHOLD))
        heard = (self.form.name, str(len(self.expected)), f"{speech:.0%}")
        differ = (f"{self.worst:.1e}", str(self.other_decisions))
        times = (f"{theirs:.1f}", f"{ours:.1f}", f"{theirs / ours:.2f}×")
        return (*heard, *differ, *times, f"{self.compile_seconds:.2f}")


def hear(form: Form, frames: NDArray[np.float32], rounds: int) -> Hearing:
    """Run both engines on the recording, in alternation."""
    start = time.process_time()
    ours = with_relay(form, len(frames))
    compiled = time.process_time() - start
    steps = (with_onnx_runtime(form), ours)
    expected, found = (listen(form, step, frames) for step in steps)
    passes: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for step, times in zip(steps, passes, strict=True):
            start = time.process_time()
            listen(form, step, frames)
            times.append((time.process_time() - start) / len(frames))
    theirs, own = (statistics.median(each or [float("nan")]) for each in passes)
    return Hearing(form, expected, found, (theirs, own), compiled)
