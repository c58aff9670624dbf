"""Relay, compiled for x86-64-v3."""

import tempfile
from pathlib import Path

import relay
from benchmarks.contenders.case import Binding, Case, Feeds
from benchmarks.contenders.relay import COMPILES, Run, version

__all__ = ["COMPILES", "load", "version"]
TARGET = "x86-64-v3"


def load(case: Case) -> Binding:
    """Compile the model of `case` for a machine with AVX2, and load the result here."""
    executable = relay.compile(relay.load(str(case.model)), target=TARGET, threads=case.threads)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.relay"
        executable.save(path)
        here = relay.Executable.load(path)

    def bind(feeds: Feeds) -> Run:
        return Run(here, feeds)

    return bind
