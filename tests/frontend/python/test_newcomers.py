"""What newcomers are told, whole: where it is, what is wrong, what to write instead."""

from pathlib import Path

import pytest

from relay.frontend.python import PythonFunction
from relay.support.errors import RelayError
from tests.frontend.python import newcomers, newcomers_elsewhere


def programs(home) -> list[PythonFunction]:
    found = [each for each in vars(home).values() if isinstance(each, PythonFunction)]
    return [each for each in found if each.original.__name__ != "scaled"]


def told(program, file: Path) -> str:
    """Return the error of a program, with the name of the file alone."""
    with pytest.raises(RelayError) as caught:
        _ = program.module
    assert caught.value.help, f"{program.original.__name__}: says not what to do"
    assert caught.value.span is not None
    return str(caught.value).replace(str(file), file.name)


@pytest.mark.parametrize("home", [newcomers, newcomers_elsewhere])
def test_every_message(golden, home):
    file = Path(home.__file__)
    assert len(programs(home)) >= 20
    golden(file.with_suffix(".txt"), "\n\n".join(told(f, file) for f in programs(home)) + "\n")
