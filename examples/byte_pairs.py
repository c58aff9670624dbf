"""Text to tokens and back, by the byte pair encoding of the vocabulary in a GGUF file."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

PIECES = re.compile(
    r"'(?:s|t|re|ve|m|ll|d)| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+"
)  # what pairs are merged within: words, numbers, signs, and spaces
SPLITS = {"gpt-2": re.compile(r"(.+)", re.DOTALL), "smollm": re.compile(r"(\d)")}
"""How the models split text before that: SmolLM's reads digits one by one."""

CONTROL = 3
"""The type of tokens that stand for no text, such as the end of it."""


def _letters() -> Iterator[str]:
    """Yield the letter that stands for each byte: itself, or one from 256 on if it is not shown."""
    spare = iter(range(256, 512))
    for byte in range(256):
        shown = byte in range(33, 127) or byte in range(161, 173) or byte in range(174, 256)
        yield chr(byte if shown else next(spare))


LETTERS = [*_letters()]
BYTES = {letter: byte for byte, letter in enumerate(LETTERS)}


@dataclass(frozen=True)
class Vocabulary:
    """The tokens of a model, and the pairs that are merged to form them, the first ones first."""

    tokens: Sequence[str]
    numbers: Mapping[str, int]
    ranks: Mapping[tuple[str, str], int]
    control: re.Pattern[str]
    split: re.Pattern[str]

    @staticmethod
    def of(metadata: Mapping[str, Any]) -> "Vocabulary":
        """Return the vocabulary in the metadata of a GGUF file."""
        facts = {key.removeprefix("tokenizer.ggml."): each for key, each in metadata.items()}
        name = facts["pre"]
        if facts["model"] != "gpt2" or name not in SPLITS:
            raise SystemExit(f"this example does not know how the model '{name}' splits text")
        tokens = facts["tokens"]
        pairs = [tuple(line.split(" ")) for line in facts["merges"]]
        types = zip(tokens, facts["token_type"], strict=True)
        control = "|".join(re.escape(token) for token, kind in types if kind == CONTROL)
        return Vocabulary(
            tokens,
            {token: number for number, token in enumerate(tokens)},
            {(one, other): rank for rank, (one, other) in enumerate(pairs)},
            re.compile(f"({control})"),
            SPLITS[name],
        )

    def encode(self, text: str) -> list[int]:
        """Return the numbers of the tokens of a text."""
        found: list[int] = []
        for k, part in enumerate(self.control.split(text)):
            if k % 2:  # a control token, by which the text was split
                found.append(self.numbers[part])
                continue
            for piece in self.split.split(part):
                for word in PIECES.findall(piece):
                    found += (self.numbers[token] for token in self._merged(word))
        return found

    def _merged(self, word: str) -> list[str]:
        parts = [LETTERS[byte] for byte in word.encode()]
        while len(parts) > 1:
            pair = min(pairwise(parts), key=lambda pair: self.ranks.get(pair, len(self.ranks)))
            if pair not in self.ranks:
                break
            parts = [*_joined(parts, pair)]
        return parts

    def decode(self, numbers: Iterable[int]) -> str:
        """Return the text of tokens; an incomplete character becomes a replacement character."""
        letters = "".join(self.tokens[number] for number in numbers)
        return bytes(BYTES[letter] for letter in letters).decode(errors="replace")


def _joined(parts: Sequence[str], pair: tuple[str, str]) -> Iterator[str]:
    """Yield parts with each occurrence of a pair of neighbours joined."""
    place = 0
    while place < len(parts):
        both = tuple(parts[place : place + 2]) == pair
        yield "".join(pair) if both else parts[place]
        place += 2 if both else 1
