"""Every function that builds a call, with arguments of wrong kinds: an error with help."""

from collections.abc import Callable, Iterator
from dataclasses import fields
from inspect import signature
from typing import Any

import numpy as np
import pytest

from relay.ir.expr import Call, Var
from relay.opdef.attribute_types import fits
from relay.opdef.definition import OperatorDef
from relay.opdef.table import OPERATORS
from relay.ops.functions import core, image, nn, qnn, random, vision
from relay.support.errors import RelayError

STRANGE: list[Any] = [
    None, 1.5, -1, 2**70, "ab", np.float32(1.5), np.int64(0), np.ones(3), [[1, 2], [3]], (1.5,),
    {"a": 1}, object(), len, True, b"a", float("nan"), float("inf"), [None], -99, 99, (), (0, -1),
]  # fmt: skip


def _builders() -> Iterator[Any]:
    spaces = {
        "": core,
        "nn.": nn,
        "image.": image,
        "qnn.": qnn,
        "random.": random,
        "vision.": vision,
    }
    for prefix, module in spaces.items():
        for name in dir(module):
            cls: Any = OPERATORS.get(prefix + name)
            if cls is not None and cls.examples and issubclass(cls, OperatorDef):
                yield pytest.param(getattr(module, name), cls, id=prefix + name)


@pytest.mark.parametrize(("build", "cls"), [*_builders()])
@pytest.mark.filterwarnings("error")
def test_a_strange_argument_is_an_error_with_help(build: Callable[..., Call], cls: Any):
    example, attributes = cls.examples[0], {each.name for each in fields(cls)}
    names = list(signature(build).parameters)
    tensors = [name for name in names if name not in attributes]
    good: dict[str, Any] = {
        name: Var(name, ty) for name, ty in zip(tensors, example.types, strict=False)
    }
    good |= {name: given for name, given in example.attributes.items() if name in names}
    for name in names:
        for given in STRANGE:
            made = _made_or_refused(build, {**good, name: given})
            assert not isinstance(made, RelayError) or made.help, (name, given, made)
            if isinstance(made, Call):
                _is_well_made(made)


def _made_or_refused(build: Callable[..., Call], given: dict[str, Any]) -> object:
    """Return the call, or why it is refused; None where Python itself says what is missing."""
    try:
        return build(**given)
    except RelayError as error:
        return error
    except TypeError as error:
        if "missing" not in str(error):
            raise
        return None


def _is_well_made(call: Call) -> None:
    op: Any = call.op
    for each in fields(op):
        assert fits(getattr(op, each.name), each.type), (op, each.name)
