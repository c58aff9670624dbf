"""The pages of the language: their programs are read and run, their grammar is the parser's."""

import re
from pathlib import Path

import numpy as np
import pytest
from ebnf import Grammar, productions

import relay
from relay.semantics.evaluate import evaluate
from relay.semantics.evaluator_values import Value
from relay.text.lexer import KEYWORDS, SYMBOLS

FOLDER = Path(__file__).parents[2] / "docs" / "language"
PROGRAMS = sorted((Path(__file__).parents[1] / "text" / "programs").glob("*.rly"))
BLOCK = re.compile(r"(?ms)^```(relay[^\n]*)\n(.*?)^```\n(?:\n```text\n(.*?)^```)?")
EBNF = re.compile(r"(?ms)^```ebnf\n(.*?)^```")
BLOCKS = [
    pytest.param(*match.groups(), id=f"{page.stem}-{number}")
    for page in [*sorted(FOLDER.glob("*.md")), FOLDER.parent / "index.md"]
    for number, match in enumerate(BLOCK.finditer(page.read_text(encoding="utf-8")))
]
STARTS = {"relay": "module", "relay expression": "block", "relay type": "type"}


def show(value: Value) -> str:
    """Return a value as the pages write it: nested lists for tensors."""
    if isinstance(value, tuple):
        return f"({', '.join(map(show, value))}{',' if len(value) == 1 else ''})"
    return str(value.tolist()) if isinstance(value, np.ndarray) else repr(value)


def as_text(kind: str, block: str) -> str:
    return f"fn (%x: {block}) {{ %x }}" if kind == "relay type" else block


@pytest.mark.parametrize(("kind", "block", "printed"), BLOCKS)
def test_a_block_is_read_and_what_it_says_comes_out(kind: str, block: str, printed: str | None):
    if kind != "relay":
        relay.parse_expr(as_text(kind, block))
        return
    module = relay.parse(block)
    if printed is not None:
        assert show(evaluate(module)) == printed.strip()


def ebnf() -> str:
    page = (FOLDER / "grammar.md").read_text(encoding="utf-8")
    return "\n".join(EBNF.findall(page))


def grammar() -> Grammar:
    return Grammar(productions(ebnf()))


def test_the_grammar_reads_every_example_and_needs_all_of_itself():
    found = grammar()
    for param in BLOCKS:
        kind, block, _ = param.values
        assert found.reads(STARTS[str(kind)], str(block)), block
    assert found.unused() == []


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_grammar_reads_what_the_parser_reads(path: Path):
    assert grammar().reads("module", path.read_text(encoding="utf-8"))


def test_the_grammar_has_all_words():
    assert set(re.findall(r'"([^"\s]+)"', ebnf())) >= KEYWORDS | set(SYMBOLS)
