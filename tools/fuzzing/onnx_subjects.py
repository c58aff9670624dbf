"""Random ONNX nodes as programs, with what ONNX Runtime computes at several shapes."""

import warnings
from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np
import onnx

import relay
from relay.semantics.infer import infer
from relay.support.errors import RelayError
from tools.fuzz_onnx import session_of
from tools.fuzzing.joined.subject import NO_VALUE, Results, Round, Subject
from tools.fuzzing.onnx_nodes import Array, RandomNode, random_node
from tools.fuzzing.programs.outcomes import Trapped

NODES = 32
"""How many nodes a program of fixed sizes has."""

OPEN_NODES, ROUNDS = 10, 40
"""How many nodes a program of open sizes has, and at how many shapes it is called."""

_TOLERANCE = 1e-6
_MOST_REFUSED = 8  # rounds of a node that ONNX Runtime refuses


def random_nodes(number: int) -> list[RandomNode]:
    """Return the nodes of a program; in every other program sizes are open."""
    random = Random(number)  # noqa: S311 - a case, not a secret
    is_open = number % 2 == 1
    count = OPEN_NODES if is_open else NODES
    return [random_node(random, f"c{place}_", is_open=is_open) for place in range(count)]


def subject_of(node: RandomNode, random: Random, words: Counter[str]) -> Subject | None:
    """Return a node as a program; None if Relay refuses it, which is counted in `words`."""
    rounds = _rounds(node, random)
    try:
        with warnings.catch_warnings(action="ignore"):
            module = infer(relay.load(node.model).module)
    except RelayError as error:
        both = not any(each.has_value for each in rounds)
        words["refused by both" if both else f"refused with {error.code}"] += 1
        return None
    shown = onnx.printer.to_text(node.model.graph.node[0])
    text = f"{node.name}: {shown}"
    return Subject(node.name, text, module, tuple(rounds), _TOLERANCE, has_shapes_only=True)


def _rounds(node: RandomNode, random: Random) -> list[Round]:
    """Return the first inputs, and others if sizes are open."""
    inputs = [node.inputs, *(node.other_inputs(random) for _ in range(ROUNDS * node.is_open))]
    run = _session(node)
    values, refused = list[Round](), list[Round]()
    seen = set[Any]()
    for each in inputs:
        shapes = None if each is None else tuple(array.shape for array in each.values())
        if each is None or shapes in seen:
            continue
        seen.add(shapes)
        made = Round(tuple(each.values()), _expected(run, each))
        (values if made.has_value else refused).append(made)
    return values + refused[:_MOST_REFUSED]


def _session(node: RandomNode) -> Any:
    """Return ONNX Runtime's session; None if it refuses the model."""
    try:
        return session_of(node.model)
    except Exception:  # noqa: BLE001 - ONNX Runtime's errors have no common class
        return None


def _expected(session: Any, inputs: Mapping[str, Array]) -> Results:
    refused = Trapped(NO_VALUE, "ONNX Runtime refuses it")
    if session is None:
        return refused
    try:
        with warnings.catch_warnings(action="ignore"):
            return tuple(map(np.asarray, session.run(None, dict(inputs))))
    except Exception:  # noqa: BLE001 - ONNX Runtime's errors have no common class
        return refused
