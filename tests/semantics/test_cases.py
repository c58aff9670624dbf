"""Programs with mistakes, and all that Relay says of them.

Each line of `cases/**/*.rly` that has a mistake says so, `// error[T020]: part of the message`. The
full text of what is said, with columns, stands in the comment at the end; `--update-golden` writes
that comment anew.
"""

import re
from pathlib import Path

import pytest
from conftest import Golden

import relay
from relay.support.errors import RelayError

CASES = Path(__file__).parent / "cases"
FILES = sorted(CASES.rglob("*.rly"))
EXPECTED = re.compile(r"// error\[(\w+)\]: (.*)$")
SAID = "\n/* Relay says:\n\n"


def expected(text: str) -> list[tuple[int, str, str]]:
    lines = enumerate(text.splitlines(), 1)
    return [(n, match[1], match[2]) for n, line in lines if (match := EXPECTED.search(line))]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CASES)))
def test_every_mistake_is_reported_where_it_is(path: Path, golden: Golden):
    text = path.read_text(encoding="utf-8").partition(SAID)[0]
    with pytest.raises(RelayError) as caught:
        relay.parse(text, path.name)
    errors = [caught.value, *caught.value.others]
    found = [(e.span.line if e.span else 0, e.code, e.message) for e in errors]
    wanted = expected(text)
    assert [f[:2] for f in sorted(found)] == [w[:2] for w in wanted], str(caught.value)
    for (_, _, message), (_, _, part) in zip(sorted(found), wanted, strict=True):
        assert part in message
    golden(path, f"{text}{SAID}{caught.value}\n\n*/\n")


def test_there_are_enough_of_them():
    """The mistakes of newcomers say what to do."""
    assert len(FILES) >= 60
    newcomers = [path for path in FILES if path.parent.name == "newcomer"]
    assert len(newcomers) >= 20
    for path in newcomers:
        said = path.read_text(encoding="utf-8").partition(SAID)[2]
        assert "= help:" in said, path
