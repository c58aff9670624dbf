"""The ONNX operators that correspond to one Relay operator, from a generated table."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

_TABLE = Path(__file__).with_name("onnx_operator_names.toml")


@cache
def _table() -> Mapping[str, Sequence[str]]:
    return tomllib.loads(_TABLE.read_text(encoding="utf-8"))


def onnx_names(operator: str) -> Sequence[str]:
    """Return the ONNX operators that are translated to this single operator.

    >>> onnx_names("nn.softmax")
    ['Softmax']
    """
    return _table().get(operator, ())
