"""A portable byte format for external regions, as a list of operator calls.

A package whose compiler has no format of its own can use this one
(`relay.transform.compilers.region_steps`); its loader executes the operator calls with its own
functions. The bytes are a length, that many bytes of JSON, and the elements of the constants;
reading them executes no code.
"""

import json
import math
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from relay.runtime.arguments import Array
from relay.runtime.json_fields import LARGEST, Record, malformed
from relay.support.dtype import dtype
from relay.support.errors import ArtefactError
from relay.support.node import node

_LENGTH = struct.Struct("<Q")


@node
class Step:
    """A call of an operator: its name, its attributes, and the numbers of its operands.

    Its `results` results get the next free numbers.
    """

    operator: str
    attributes: Mapping[str, Any]
    operands: Sequence[int]
    results: int = 1


@node
class Steps:
    """The operator calls of a region; inputs are numbered first, then constants, then results.

    `results` has the numbers of the region's results.
    """

    inputs: int
    constants: Sequence[Array]
    steps: Sequence[Step]
    results: Sequence[int]


def write_steps(steps: Steps) -> bytes:
    """Return steps as bytes."""
    constants = [{"shape": c.shape, "dtype": str(dtype(c.dtype))} for c in steps.constants]
    header = {
        "inputs": steps.inputs,
        "constants": constants,
        "steps": [
            {
                "operator": step.operator,
                "attributes": dict(step.attributes),
                "operands": list(step.operands),
                "results": step.results,
            }
            for step in steps.steps
        ],
        "results": list(steps.results),
    }
    text = json.dumps(header, separators=(",", ":")).encode()
    return b"".join([_LENGTH.pack(len(text)), text, *(each.tobytes() for each in steps.constants)])


def read_steps(code: bytes) -> Steps:
    """Return the steps that `write_steps` encoded; raises `A006` for other bytes."""
    try:
        (length,) = _LENGTH.unpack_from(code)
        record = Record(json.loads(code[_LENGTH.size : _LENGTH.size + length]), "steps")
    except (struct.error, ValueError, RecursionError) as error:
        raise malformed("an external part is not a list of steps") from error
    constants = _constants(record.records("constants"), code, _LENGTH.size + length)
    known = record.number("inputs") + len(constants)
    steps: list[Step] = []
    for each in record.records("steps"):
        operands = _known(each.numbers("operands"), known)
        attributes = each.record("attributes").fields
        steps.append(Step(each.text("operator"), attributes, operands, each.number("results")))
        known += steps[-1].results
    results = _known(record.numbers("results"), known)
    return Steps(record.number("inputs"), constants, steps, results)


def _constants(records: Sequence[Record], code: bytes, start: int) -> list[Array]:
    found: list[Array] = []
    for each in records:
        shape, element = each.numbers("shape"), each.element_type("dtype").numpy
        size = math.prod(shape)
        if size * element.itemsize > min(len(code) - start, LARGEST):
            raise malformed("the constants of an external part are cut off")
        found.append(np.frombuffer(code, element, size, start).reshape(shape))
        start += found[-1].nbytes
    return found


def _known(numbers: Sequence[int], known: int) -> Sequence[int]:
    if any(number >= known for number in numbers):
        raise _unknown()
    return numbers


def _unknown() -> ArtefactError:
    return malformed("a step of an external part reads a value that no step before it makes")
