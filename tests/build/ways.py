"""Every way to run a program."""

from collections.abc import Callable
from typing import Any, TypeAlias

import relay
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer

Run: TypeAlias = Callable[..., Any]


def _evaluated(module: relay.Module) -> Run:
    typed = infer(module)
    return lambda *args: evaluate(typed, *args)


WAYS: dict[str, Callable[[relay.Module], Run]] = {
    "evaluator": _evaluated,
    "machine": lambda module: relay.vm.compile(module, "llvm"),
    "level 0": lambda module: relay.compile(module, opt_level=0),
    "level 3": relay.compile,
    "batches": lambda module: relay.compile(module, batch=True),
}


def ways(module: relay.Module) -> dict[str, Run]:
    """Return the program in every way, the evaluator first."""
    return {name: way(module) for name, way in WAYS.items()}
