"""The operators of ONNX that are one operator here, from a table that a tool writes."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

_TABLE = Path(__file__).with_name("operator_names.toml")


@cache
def _table() -> Mapping[str, Sequence[str]]:
    return tomllib.loads(_TABLE.read_text(encoding="utf-8"))


def onnx_names(operator: str) -> Sequence[str]:
    """Return the operators of ONNX that are translated to this operator alone.

    >>> onnx_names("nn.softmax")
    ['Softmax']
    """
    return _table().get(operator, ())
