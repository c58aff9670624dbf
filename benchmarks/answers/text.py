"""Questions about text: pronunciation, romanisation, types of files."""

import json

import numpy as np

from benchmarks.answers.question import Run, Verdict
from benchmarks.material import Member

_WORDS = Member("g2p-id==0.0.4", "g2p_id/data/dict.json")
_LETTERS = " ?aèiênrstoklmgpudbfhcjvwy-z.xq"  # by index; the first is padding, the second unknown
_HIDDEN = 31  # the token of a letter that is to be guessed
EVERY, BATCH = 10, 256


def pronunciation(run: Run) -> Verdict:
    """Guess which e is è and which ê; about 86 % of the dictionary's words come out right."""
    words = {w: s for w, s in json.loads(_WORDS.read()).items() if _known(w, s)}
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


_ROMAN = Member("pythainlp==5.4.0", "pythainlp/corpus/thai2rom_loader_onnx.json")
ROMANISED = {"แมว": "maeo"}
LONGEST = 40


def romanisation(encoder: Run, decoder: Run) -> Verdict:
    """Write Thai words in Latin letters."""
    alphabet = json.loads(_ROMAN.read())
    found = {word: _romanise(word, alphabet, encoder, decoder) for word in ROMANISED}
    return Verdict(found == ROMANISED, ", ".join(f"{k} → {v}" for k, v in found.items()))


def _romanise(
    word: str, alphabet: dict[str, dict[str, int]], encoder: Run, decoder: Run
) -> str:
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


_MAGIKA = "magika==1.0.3"
_LABELS = Member(_MAGIKA, "magika/models/standard_v3_3/config.min.json")
_KNOWN_FILES = {
    "png": Member("scikit-image==0.26.0", "skimage/data/astronaut.png"),
    "json": _WORDS,
    "python": Member(_MAGIKA, "magika/magika.py"),
    "wav": Member("basic-pitch==0.4.0", "tests/resources/vocadito_10.wav", source=True),
    "onnx": Member("swift-f0==0.3.0", "swift_f0/model.onnx"),
    "npz": Member("basic-pitch==0.4.0", "tests/resources/vocadito_10/model_output.npz", True),
}


def types_of_files(run: Run) -> Verdict:
    """Tell the type of files whose type is known."""
    labels = json.loads(_LABELS.read())["target_labels_space"]
    found = {
        kind: labels[int(run({"bytes": _both_ends(member.read())})[0].argmax())]
        for kind, member in _KNOWN_FILES.items()
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
