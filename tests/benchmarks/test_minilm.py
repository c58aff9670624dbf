from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnxruntime as ort
import pytest

from benchmarks.answers.wordpiece import WordPiece

torch = pytest.importorskip("torch")
pytestmark = [pytest.mark.torch, pytest.mark.network]

SENTENCES = ("This is an example sentence", "Each sentence is converted")


@pytest.fixture
def tokens(real_model: Callable[[str], Path]) -> WordPiece:
    return WordPiece(real_model("minilm-vocab.txt"))


def test_the_sentences_of_the_model_card(tokens: WordPiece) -> None:
    from benchmarks.answers.minilm import sentence_encoder

    ids, mask = tokens.batch(SENTENCES, 16)
    with torch.no_grad():
        actual = sentence_encoder()(torch.from_numpy(ids), torch.from_numpy(mask)).numpy()
    published = [[0.0676569, 0.0634959, 0.0487131], [0.0864386, 0.1027626, 0.0053946]]
    np.testing.assert_allclose(actual[:, :3], published, atol=1e-6)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
def test_the_exported_model_gives_the_same(tokens: WordPiece, tmp_path: Path) -> None:
    from benchmarks.answers.minilm import export, sentence_encoder

    ids, mask = tokens.batch(SENTENCES, 16)
    path = export(tmp_path / "minilm.onnx", *ids.shape)
    actual = np.asarray(ort.InferenceSession(str(path)).run(None, {"ids": ids, "mask": mask})[0])
    with torch.no_grad():
        expected = sentence_encoder()(torch.from_numpy(ids), torch.from_numpy(mask)).numpy()
    np.testing.assert_allclose(actual, expected, atol=1e-5)
