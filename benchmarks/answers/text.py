"""Questions about text: pronunciation, romanisation, types of files, meaning."""

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.answers.question import Run, Verdict
from benchmarks.answers.wordpiece import WordPiece
from benchmarks.cache import cache_directory
from benchmarks.material import material

_LETTERS = " ?aèiênrstoklmgpudbfhcjvwy-z.xq"  # by index; the first is padding, the second unknown
_HIDDEN = 31  # the token of a letter that is to be guessed
EVERY, BATCH = 10, 256


def pronunciation(run: Run) -> Verdict:
    """Check which words have è and which ê; about 86 % of the dictionary must be right."""
    words = {
        w: s for w, s in json.loads(material("g2p-dict.json").read_bytes()).items() if _known(w, s)
    }
    sample = list(words.items())[::EVERY]  # the dictionary is sorted by letter
    right = 0
    for start in range(0, len(sample), BATCH):
        batch = sample[start : start + BATCH]
        tokens = np.array([_tokens(word) for word, _ in batch], np.int64)
        guesses = run({"input_1": tokens})[0].argmax(axis=-1)
        spoken = np.where(tokens == _HIDDEN, guesses, tokens)
        wanted = np.array([_tokens(sound) for _, sound in batch])
        right += int((spoken == wanted).all(axis=1).sum())
    share = right / len(sample)
    return Verdict(0.83 < share < 0.89, f"{share:.1%} of {len(sample)} words")


def _known(word: str, sound: str) -> bool:
    letters = set(_LETTERS[2:]) | {"e"}
    return "e" in word and len(word) == len(sound) <= 32 and set(word + sound) <= letters


def _tokens(word: str) -> list[int]:
    row = [_HIDDEN if letter == "e" else _LETTERS.index(letter) for letter in word]
    return row + [0] * (32 - len(row))


ROMANISED = {"แมว": "maeo"}
LONGEST = 40


def romanisation(encoder: Run, decoder: Run) -> Verdict:
    """Check the romanisation of Thai words."""
    alphabet = json.loads(material("thai2rom.json").read_bytes())
    found = {word: _romanise(word, alphabet, encoder, decoder) for word in ROMANISED}
    return Verdict(found == ROMANISED, ", ".join(f"{k} → {v}" for k, v in found.items()))


def _romanise(word: str, alphabet: dict[str, dict[str, int]], encoder: Run, decoder: Run) -> str:
    letters, target = alphabet["char_to_ix"], alphabet["target_char_to_ix"]
    names = {index: letter for letter, index in target.items()}
    source = np.array([[*(letters[c] for c in word), letters["<end>"]]], np.int64)
    length = np.array([source.shape[1]], np.int32)
    states, last, _ = encoder({"input_tensor": source, "input_lengths": length})
    hidden = np.concatenate([last[0], last[1]], axis=1)[None]
    mask = np.ones((1, states.shape[1]), np.float32)
    token, spelled = target["<start>"], ""
    for _ in range(LONGEST):
        feeds = {"decoder_input": np.array([[token]], np.int32), "decoder_hidden_1": hidden}
        scores, hidden, *_ = decoder({**feeds, "encoder_outputs": states, "mask": mask})
        token = int(scores.argmax())
        if token == target["<end>"]:
            break
        spelled += names[token]
    return spelled


KNOWN_FILES = {
    "png": "astronaut.png",
    "json": "g2p-dict.json",
    "wav": "voice.wav",
    "onnx": "swift-f0.onnx",
    "npz": "voice-golden.npz",
}


def types_of_files(run: Run) -> Verdict:
    """Check the detected types of files with known types."""
    labels = json.loads(material("magika-config.json").read_bytes())["target_labels_space"]
    files = {kind: material(name) for kind, name in KNOWN_FILES.items()}
    files["python"] = Path(__file__)
    found = {
        kind: labels[int(run({"bytes": _both_ends(path.read_bytes())})[0].argmax())]
        for kind, path in files.items()
    }
    missed = [f"{kind} taken for {guess}" for kind, guess in found.items() if kind != guess]
    return Verdict(not missed, "; ".join(missed) or f"all {len(found)} files")


def _both_ends(content: bytes) -> np.ndarray:
    """Return the first and last 1,024 bytes of the stripped file, padded inwards with 256."""
    first, last = content[:4096].lstrip()[:1024], content[-4096:].rstrip()[-1024:]
    row = np.full((1, 2048), 256, np.int32)
    row[0, : len(first)] = np.frombuffer(first, np.uint8)
    row[0, 2048 - len(last) :] = np.frombuffer(last, np.uint8)
    return row


SENTENCES = (
    ("The cat sits outside in the garden.", "A kitten is playing on the lawn."),
    ("The parliament passed the budget.", "Lawmakers approved the spending plan."),
    ("He plays the guitar every evening.", "She practises an instrument at night."),
)
LENGTH = 32


def exported_encoder() -> Path:
    """Return MiniLM as ONNX, exported with PyTorch into the cache on first use."""
    from benchmarks.answers.minilm import export  # noqa: PLC0415 - only this question needs PyTorch

    path = cache_directory("networks") / f"minilm-{LENGTH}.onnx"
    return path if path.exists() else export(path, 1, LENGTH)


def meaning(run: Run) -> Verdict:
    """Check that sentences with similar meaning have the closest embeddings, by angle."""
    words = WordPiece(material("minilm-vocab.txt"))
    both = [sentence for pair in SENTENCES for sentence in pair]
    vectors = np.concatenate([_embedding(run, words, sentence) for sentence in both])
    likeness = vectors @ vectors.T - 2 * np.eye(len(both))
    right = sum(int(row.argmax()) == (i ^ 1) for i, row in enumerate(likeness))
    return Verdict(right == len(both), f"{right} of {len(both)} sentences find their pair")


def _embedding(run: Run, words: WordPiece, sentence: str) -> NDArray[np.float32]:
    ids, mask = words.batch((sentence,), LENGTH)
    return np.asarray(run({"ids": ids, "mask": mask})[0])
