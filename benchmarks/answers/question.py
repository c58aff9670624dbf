"""Data classes of a question: the models that it needs, and the judge of their outputs."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contenders.case import Feeds, Outputs

Run = Callable[[Feeds], Outputs]
"""Runs one model on inputs by name, and returns its outputs in order."""


@dataclass(frozen=True)
class Verdict:
    """Whether the answer is right, with a short description of the result."""

    right: bool
    found: str


@dataclass(frozen=True)
class Question:
    """A question for one or more models; `judge` takes a `Run` for each, in order."""

    name: str
    models: Callable[[], tuple[Path, ...]]
    judge: Callable[..., Verdict]
