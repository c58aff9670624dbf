"""The operators of ONNX and PyTorch that correspond to a Relay operator, from a generated table."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

_TABLE = Path(__file__).with_suffix(".toml")


@cache
def _table() -> Mapping[str, Mapping[str, Sequence[str]]]:
    return tomllib.loads(_TABLE.read_text(encoding="utf-8"))


def names_elsewhere(operator: str) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the names of the operators that are translated to this one, for each framework.

    >>> dict(names_elsewhere("nn.softsign"))["ONNX"]
    ['Softsign']
    """
    for framework, table in _table().items():
        if operator in table:
            yield framework, table[operator]
