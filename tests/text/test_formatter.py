from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import modules

import relay
from relay.ir.equality import structural_equal
from relay.ir.module import Module
from relay.support.errors import RelayError
from relay.support.span import Source
from relay.text.formatter import format_text
from relay.text.lexer import Text
from relay.text.printer import text_of

PROGRAMS = sorted(Path(__file__).parent.joinpath("programs").glob("*.rly"))

COMMENTED = """#[version = "0.0.5"] // the version
// before @f


// and more
def @f(%x:int32 /* a number */,   // the first
  %y:int32)->int32{ // the body
  /* of its
     own */
  let %z=add(%x,/* second */ %y);   // a sum

  // the result
  %z*-1 // last
}
// the end
"""

LAID_OUT = """#[version = "0.0.5"] // the version
// before @f

// and more
def @f(
  %x: int32 /* a number */, // the first
  %y: int32
) -> int32 { // the body
  /* of its
     own */
  let %z = add(%x, /* second */ %y); // a sum

  // the result
  %z * -1 // last
}
// the end
"""


def test_comments_stay_where_they_are():
    assert format_text(COMMENTED) == LAID_OUT
    assert format_text(LAID_OUT) == LAID_OUT


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_keeps_its_meaning(path: Path):
    text = path.read_text(encoding="utf-8")
    once = format_text(text)
    assert format_text(once) == once
    assert structural_equal(relay.parse(once), relay.parse(text))


@given(modules(), st.integers(20, 120))
def test_what_is_printed_can_be_laid_out(module: Module, width: int):
    once = format_text(text_of(module), width=width)
    assert format_text(once, width=width) == once
    assert structural_equal(relay.parse(once), module)


COMMENTS = ["// c\n", "/* d */", "/* e\n */"]
WORDS = ["\n", "\n\n", " ", "%x", ".0", "@f", "1", "def", "fn", "let", "if", "->", *"{}(),;=-+[]:"]


@given(st.lists(st.sampled_from(COMMENTS + WORDS)).map("".join))
def test_any_words_and_comments_stay(text: str):
    try:
        once = format_text(text)
    except RelayError:  # brackets that do not match
        return
    before, after = Text(Source("a", text)), Text(Source("b", once))
    assert after.tokens == before.tokens
    assert len(after.comments) == len(before.comments)
    assert format_text(once) == once


def test_a_bracket_that_does_not_match():
    for text, what in (("def @f( { }", "never closed"), ("def @f) { }", "has no opening bracket")):
        with pytest.raises(RelayError, match=what):
            format_text(text)


def test_a_text_that_would_change_is_refused():
    with pytest.raises(RelayError, match="P006"):
        format_text("/* \ue001 */ 1")  # the sign that line breaks in comments are kept by


def test_deep_brackets():
    text = "(" * 5_000 + "1" + ")" * 5_000
    assert format_text(text).replace("\n", "").replace(" ", "") == text
