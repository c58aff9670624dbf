"""The TextMate grammar colours what the lexer reads: both cut texts into the same words."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from relay.support.span import Source
from relay.text.lexer import KEYWORDS, SYMBOLS, Text

EDITORS = Path(__file__).parents[2] / "editors"
GRAMMAR: dict[str, Any] = json.loads((EDITORS / "relay.tmLanguage.json").read_text("utf-8"))
PROGRAMS = sorted(Path(__file__).parent.joinpath("programs").glob("*.rly"))


def rules() -> list[tuple[re.Pattern[str], dict[str, Any]]]:
    """Return the patterns in their order; none of them needs more than Python's expressions."""
    found: list[dict[str, Any]] = []
    stack: list[dict[str, Any]] = list(reversed(GRAMMAR["patterns"]))
    while stack:
        rule = stack.pop()
        name = rule.get("include", "")[1:]
        if name and "begin" in GRAMMAR["repository"][name]:
            found.append(GRAMMAR["repository"][name])
        elif name:
            stack.extend(reversed(GRAMMAR["repository"][name]["patterns"]))
        else:
            found.append(rule)
    return [(re.compile(rule.get("match") or rule["begin"], re.ASCII), rule) for rule in found]


RULES = rules()


def words(line: str) -> list[tuple[str, str]]:
    """Cut a line into words with their scopes, as an editor does: the earliest match, then on."""
    found: list[tuple[str, str]] = []
    position = 0
    while position < len(line):
        matches = [(m, rule) for pattern, rule in RULES if (m := pattern.search(line, position))]
        match, rule = min(matches, key=lambda pair: pair[0].start(), default=(None, {}))
        if match is None:
            break
        if "captures" in rule:
            found += [(match[int(n)], scope["name"]) for n, scope in rule["captures"].items()]
        else:
            found.append((match[0], rule.get("name", "")))
        position = match.end()
    return found


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_words_are_those_of_the_lexer(path: Path):
    text = path.read_text(encoding="utf-8").partition("#[metadata]")[0]
    source = Text(Source(path.name, text))
    for start, end in source.comments:  # the editor's engine nests them, this test does not
        text = text[:start] + " " * (end - start) + text[end:]
    code = [word for line in text.splitlines() for word, _ in words(line)]
    assert code == [token for token in source.tokens if token]


def test_every_keyword_and_sign_has_a_colour():
    for keyword in KEYWORDS:
        [(word, scope)] = words(keyword)
        assert word == keyword
        assert scope.startswith(("keyword.", "constant.language.")), keyword
    for sign in SYMBOLS:
        assert [word for word, _ in words(sign)] == [sign]


def test_the_extension_points_at_its_files():
    package = json.loads((EDITORS / "package.json").read_text("utf-8"))["contributes"]
    paths = [package["grammars"][0]["path"], package["languages"][0]["configuration"]]
    assert all(EDITORS.joinpath(path).is_file() for path in paths)
    assert package["grammars"][0]["scopeName"] == GRAMMAR["scopeName"]
