"""Questions about sound: pitch of tones, notes of a recording, speech, spoken words."""

import io
import pickle
import wave
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.answers.question import Run, Verdict
from benchmarks.material import material

Samples = NDArray[np.float32]


def read_wave(content: bytes) -> tuple[Samples, int]:
    """Return the first channel of a 16-bit recording in [-1, 1), and its rate."""
    with wave.open(io.BytesIO(content)) as recording:
        channels, rate = recording.getnchannels(), recording.getframerate()
        raw = recording.readframes(recording.getnframes())
    return np.frombuffer(raw, "<i2")[::channels].astype(np.float32) / np.float32(32768), rate


def pitch_of_tones(run: Run) -> Verdict:
    """Check the pitch of harmonic tones of 110, 220, 440 and 880 Hz within one percent.

    The tones have a noise floor of -60 dB, as recordings do: the model takes the logarithm of a
    spectrum, and where that is zero up to rounding, only rounding errors would be compared.
    """
    wanted, found = (110.0, 220.0, 440.0, 880.0), list[float]()
    time = np.arange(16000) / 16000
    for hertz in wanted:
        tone = sum(np.sin(2 * np.pi * hertz * k * time) / k for k in range(1, 5))
        noise = 0.0003 * np.random.default_rng(int(hertz)).standard_normal(len(time))
        audio = (0.3 * np.asarray(tone) + noise).astype(np.float32)[None]
        limits = {"fmin": np.float32(46.875), "fmax": np.float32(2093.75)}
        pitch, _ = run({"audio": audio, **{k: np.asarray(v) for k, v in limits.items()}})
        found.append(float(np.median(pitch)))
    right = all(abs(f / w - 1) < 0.01 for f, w in zip(found, wanted, strict=True))
    return Verdict(right, ", ".join(f"{value:.1f}" for value in found) + " Hz")


WINDOW, OVERLAP = 43844, 30 * 256  # samples of one window, and of two windows in common


def notes_of_a_recording(run: Run) -> Verdict:
    """Check that notes, onsets and contours of a voice match the stored ones within 1e-3."""
    import soxr  # noqa: PLC0415 - only this question resamples, so only it needs the package

    samples, rate = read_wave(material("voice.wav").read_bytes())
    audio = soxr.resample(samples, rate, 22050, quality="HQ")
    padded = np.concatenate([np.zeros(OVERLAP // 2, np.float32), audio])
    hop = WINDOW - OVERLAP
    starts = range(0, len(padded), hop)
    windows = [np.pad(w := padded[i : i + WINDOW], (0, WINDOW - len(w))) for i in starts]
    parts = [run({"serving_default_input_2:0": w[None, :, None]}) for w in windows]
    golden = _read_golden(material("voice-golden.npz").read_bytes())
    apart: list[float] = []
    for index, name in enumerate(("onset", "note", "contour")):
        joined = np.concatenate([part[index][0, 15:-15] for part in parts])
        length = len(golden[name])
        apart.append(float(np.abs(joined[:length] - golden[name]).max()))
    worst = float(np.max(apart))  # NaN if one of them is
    return Verdict(worst < 1e-3, f"differs from the golden output by {worst:.1e}")


class _ArraysOnly(pickle.Unpickler):
    """Reads a pickled dict of arrays, and refuses every name but NumPy's own constructors."""

    def find_class(self, module: str, name: str) -> Any:
        """Allow what an array is made of."""
        allowed = {"_reconstruct", "ndarray", "dtype"}
        if module.partition(".")[0] == "numpy" and name in allowed:
            return super().find_class(module.replace("numpy.core", "numpy._core"), name)
        raise pickle.UnpicklingError(f"{module}.{name} is not part of an array")


def _read_golden(content: bytes) -> dict[str, NDArray[np.float32]]:
    with np.load(io.BytesIO(content)) as archive:
        stream = io.BytesIO(archive.zip.read("arr_0.npy"))
    major, _ = np.lib.format.read_magic(stream)
    assert major == 1, "the file was written in version 1"
    np.lib.format.read_array_header_1_0(stream)
    boxed: NDArray[Any] = _ArraysOnly(stream).load()
    return boxed.item()


CONTEXT, STEP = 64, 512  # samples of the past that every step sees again, and new ones
SPEECH_STEPS = 300


def speech_step_by_step(step: Run, sequence: Run) -> Verdict:
    """Check that speech is found in a recording, equally step by step and as one sequence."""
    samples, rate = read_wave(material("silero-test.wav").read_bytes())
    assert rate == 16000, "the recording has the rate of the model"
    padded = np.concatenate([np.zeros(CONTEXT, np.float32), samples])
    frames = [padded[i * STEP : (i + 1) * STEP + CONTEXT] for i in range(SPEECH_STEPS)]
    state, single = np.zeros((2, 1, 128), np.float32), list[float]()
    for frame in frames:
        share, state = step({"input": frame[None], "state": state})
        single.append(float(share.ravel()[0]))
    empty = np.zeros((1, 1, 128), np.float32)
    joint, *_ = sequence({"input": np.stack(frames), "h": empty, "c": empty})
    gap = float(np.abs(joint.ravel() - single).max())
    speech = float(np.mean(np.array(single) > 0.5))
    return Verdict(gap < 1e-3 and speech > 0.3, f"{speech:.0%} speech, variants differ {gap:.1e}")


def words_alike(full: Run, pairs: Run, fused: Run) -> Verdict:
    """Check that both int8 forms of the keyword spotter recognise the same words.

    The models come without recordings, so the inputs are random blocks in the range in which the
    int8 forms distinguish words. There they leave the range of their calibration, and the float
    form differs from them; it must also distinguish words, and its values are compared with ONNX
    Runtime's in the table.
    """
    random = np.random.default_rng(3)
    heard: list[tuple[int, ...]] = []
    for _ in range(40):
        blocks = random.uniform(0, 10, (7, 8)).repeat(7, 0).repeat(5, 1)
        feeds = {"serving_default_input:0": blocks.astype(np.float32).reshape(1, 1960)}
        heard.append(tuple(int(np.argmax(run(feeds)[0])) for run in (full, pairs, fused)))
    alike = sum(two == three for _, two, three in heard)
    words = min(len({answer[form] for answer in heard}) for form in range(3))
    found = f"int8 forms agree on {alike} of {len(heard)}, at least {words} words told apart"
    return Verdict(alike >= 0.95 * len(heard) and words >= 4, found)
