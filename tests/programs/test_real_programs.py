"""Pretrained programs decide and write what their own Python does with ONNX Runtime."""

import os

import pytest

from benchmarks.real_programs.detector import FORMS, Form, frames_of_recording, hear
from benchmarks.real_programs.romaniser import compare, words

FRAMES = 300  # nine seconds: speech begins and ends in them


@pytest.mark.onnx
@pytest.mark.network
@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS, ids=[form.name for form in FORMS])
def test_all_forms_of_the_detector_decide_alike(form: Form) -> None:
    try:
        frames = frames_of_recording()[:FRAMES]
    except ConnectionError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))
    heard = hear(form, frames, rounds=0)
    assert 0.1 < (heard.expected > 0.5).mean() < 0.9
    assert heard.other_decisions == 0
    assert heard.worst < 1e-4


@pytest.mark.onnx
@pytest.mark.network
@pytest.mark.slow
def test_a_decoding_loop_as_a_program_writes_the_same_words() -> None:
    pytest.importorskip("pythainlp")
    chosen = [word for word in words() if len(word) in (6, 9)]
    written = compare(chosen, rounds=0)
    assert len(set(written.expected)) > 10
    assert written.others == []
