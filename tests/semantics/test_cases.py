"""Programs with mistakes: each line that has one says so, `// error[T020]: part of the message`."""

import re
from pathlib import Path

import pytest

import relay
from relay.support.errors import RelayError

FILES = sorted(Path(__file__).parent.joinpath("cases").glob("*.rly"))
EXPECTED = re.compile(r"// error\[(\w+)\]: (.*)$")


def expected(text: str) -> list[tuple[int, str, str]]:
    lines = enumerate(text.splitlines(), 1)
    return [(n, match[1], match[2]) for n, line in lines if (match := EXPECTED.search(line))]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_mistake_is_reported_where_it_is(path: Path):
    text = path.read_text(encoding="utf-8")
    with pytest.raises(RelayError) as caught:
        relay.parse(text, path.name)
    errors = [caught.value, *caught.value.others]
    found = [(e.span.line if e.span else 0, e.code, e.message) for e in errors]
    wanted = expected(text)
    assert [f[:2] for f in sorted(found)] == [w[:2] for w in wanted], str(caught.value)
    for (_, _, message), (_, _, part) in zip(sorted(found), wanted, strict=True):
        assert part in message


def test_the_message_shows_both_sides():
    with pytest.raises(RelayError) as caught:
        relay.parse('#[version = "0.0.5"]\ndef @f(%x: int32) -> float32 { %x }', "f.rly")
    assert str(caught.value).splitlines() == [
        "error[T020]: the result of the function: expected float32, found int32",
        "  --> f.rly:2:8",
        "   |   def @f(%x: int32) -> float32 { %x }",
        "   |          ^^",
        "   = note: the element types float32 and int32 differ",
    ]
