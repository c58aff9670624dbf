"""What newcomers are told, whole: where it is, what is wrong, what to write instead."""

from pathlib import Path

import pytest

from relay.frontend.python import PythonFunction
from relay.support.errors import RelayError
from tests.frontend.python import newcomers

PROGRAMS = [
    each
    for each in vars(newcomers).values()
    if isinstance(each, PythonFunction) and each.original.__name__ != "scaled"
]


def told(program) -> str:
    """Return the error of a program, with the name of the file alone."""
    with pytest.raises(RelayError) as caught:
        _ = program.module
    assert caught.value.help, f"{program.original.__name__}: says not what to do"
    assert caught.value.span is not None
    return str(caught.value).replace(newcomers.__file__, "newcomers.py")


def test_every_message(golden):
    assert len(PROGRAMS) >= 30
    golden(Path(__file__).with_name("newcomers.txt"), "\n\n".join(map(told, PROGRAMS)) + "\n")
