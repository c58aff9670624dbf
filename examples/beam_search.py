"""Beam search for the words that a small language model finds most probable.

    python examples/beam_search.py [LENGTH]

The model is a table: how often a letter follows another in some common words. `search` keeps the
five most probable beginnings, lengthens each by every letter, and keeps the five best again.
"""

import sys
from itertools import pairwise

import numpy as np

import relay
from relay.frontend.python import Tensor, int32

TEXT = """
    about after again along animal answer around because before between change children close
    country different differ every father follow great house large learn letter light little
    machine mother never number other people place plant point right sentence should small
    sound spell start story study their there these thing think three through together under
    until water where which while white without world would write year young
"""
WORDS = TEXT.split()
BEAM, LONGEST = 5, 12
END = 0  # words begin and end with it; letters are 1 to 26


def table() -> np.ndarray:
    """Return the logarithms of how probable each letter is behind each other one."""
    counts = np.full((27, 27), 0.01, np.float32)
    for word in WORDS:
        letters = [END, *(ord(letter) - 96 for letter in word), END]
        for first, second in pairwise(letters):
            counts[first, second] += 1
    counts[END, END] = 0.01
    return np.log(counts / counts.sum(axis=1, keepdims=True))


LOG_PROBABLE = relay.frozen(table())


@relay.function
def search(length: int32) -> tuple[Tensor[BEAM, LONGEST, int32], Tensor[BEAM]]:
    """Return the most probable words of so many letters, and how probable they are."""
    words = np.zeros((BEAM, LONGEST), np.int32)
    scores = np.array([0, -99, -99, -99, -99], np.float32)  # only one beginning: the empty word
    for _ in range(length):
        longer = scores[:, None] + LOG_PROBABLE[words[:, -1], 1:]
        flat = longer.reshape(-1)
        best = np.argsort(-flat)[:BEAM]
        letters = (best % 26 + 1).astype(np.int32)
        words = np.concatenate([words[best // 26, 1:], letters[:, None]], axis=1)
        scores = flat[best]
    scores = scores + LOG_PROBABLE[words[:, -1], END]
    order = np.argsort(-scores)
    return words[order], scores[order]


def main(length: int) -> None:
    """Print the words that were found, and whether plain Python finds the same."""
    words, scores = search(length)
    plain, _ = search.python(length)
    for word, score in zip(words, scores, strict=True):
        text = "".join(chr(96 + letter) for letter in word if letter != END)
        print(f"{text:<{LONGEST}}  {'known' if text in WORDS else '':5}  log p = {score:6.2f}")
    print("plain Python finds", "the same" if np.array_equal(words, plain) else "OTHER words")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 6)
