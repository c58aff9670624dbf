"""Each mistake that is written down is reported with its code, line, column, width and message."""

import re
from pathlib import Path

import pytest

from relay.frontend.python import PythonFunction
from relay.support.errors import RelayError
from tests.frontend.python import mistakes, mistakes_of_functions

# A line of one of these files that ends in `# F…` says what its function is told.
HOMES = [mistakes, mistakes_of_functions]
PROGRAMS = [
    each
    for home in HOMES
    for each in vars(home).values()
    if isinstance(each, PythonFunction) and each is not mistakes_of_functions.one
]
EXPECTED = re.compile(r".*  # ([FT]\d{3}) (\d+) (\d+) (.*)")


def expected(program):
    code = program.original.__code__
    lines = Path(code.co_filename).read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines[code.co_firstlineno - 1 :], code.co_firstlineno):
        if found := EXPECTED.fullmatch(line):
            return number, *found.groups()
    raise AssertionError("every function says where its mistake is")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_a_mistake(program):
    line, code, column, width, message = expected(program)
    with pytest.raises(RelayError) as caught:
        _ = program.module
    error, span = caught.value, caught.value.span
    assert span is not None, error
    found = (error.code, span.line, span.column, span.end_column - span.column)
    assert (*found, error.message) == (code, line, int(column), int(width), message), str(error)
    assert error.help or code.startswith("T")
    assert span.source.name == program.original.__code__.co_filename


def test_there_are_many_kinds():
    assert len({expected(program)[1] for program in PROGRAMS}) >= 25


def test_what_changes_its_size_is_declared():
    with pytest.raises(RelayError) as caught:
        _ = mistakes.changes_a_size.module
    assert caught.value.help is not None
    assert caught.value.help.endswith(' y: Tensor["?", 3, int32] = …')
