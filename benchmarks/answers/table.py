"""The list of all questions."""

from collections.abc import Callable
from pathlib import Path

from benchmarks.answers import audio, classic, image, text
from benchmarks.answers.question import Question
from benchmarks.material import material


def _files(*names: str) -> Callable[[], tuple[Path, ...]]:
    return lambda: tuple(material(f"{name}.onnx") for name in names)


_PRETRAINED = [
    Question("mnist", _files("mnist-conv"), image.digits),
    Question("kws", _files("kws-fp32", "kws-qdq", "kws-qlinear"), audio.words_alike),
    Question("yunet", _files("yunet"), image.one_face),
    Question("swift-f0", _files("swift-f0"), audio.pitch_of_tones),
    Question("basic-pitch", _files("basic-pitch"), audio.notes_of_a_recording),
    Question("g2p", _files("g2p-bert"), text.pronunciation),
    Question("silero", _files("silero-static", "silero-sequence"), audio.speech_step_by_step),
    Question("tinyocr", _files("ocr-recognizer"), image.a_line_of_text),
    Question("magika", _files("magika"), text.types_of_files),
    Question("minilm", lambda: (text.exported_encoder(),), text.meaning),
    Question("thai2rom", _files("thai2rom-encoder", "thai2rom-decoder"), text.romanisation),
]


def _classic(stored: Path) -> Question:
    return Question(stored.stem, lambda: (stored, classic.varied(stored)), classic.judge_of(stored))


_CLASSIC = [_classic(stored) for stored in classic.classic_networks()]

QUESTIONS: dict[str, Question] = {q.name: q for q in [*_PRETRAINED, *_CLASSIC]}
