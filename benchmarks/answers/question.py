"""What a question is: the models that it needs, and the judge of what they say."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contenders.case import Feeds, Outputs

Run = Callable[[Feeds], Outputs]
"""Runs one model on inputs by name, and returns its outputs in order."""


@dataclass(frozen=True)
class Verdict:
    """Whether the answer is right, and what was found, in a few words."""

    right: bool
    found: str


@dataclass(frozen=True)
class Question:
    """A question to one or more models; `judge` takes a `Run` for each, in order."""

    name: str
    models: Callable[[], tuple[Path, ...]]
    judge: Callable[..., Verdict]
