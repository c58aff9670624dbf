"""Whatever a file holds: a program, or a `RelayError` that says where; never anything else."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import relay
from relay.frontend.text import read_text
from relay.support.errors import RelayError
from tools.fuzz_text import mutants, seeds, verdict

HEADER = '#[version = "0.0.5"]\n'
BODY = HEADER + "def @main() { "
MANY = 250_000  # more brackets than may be open
SOME = 25_000


def sized(shape: str) -> str:
    return f"{HEADER}def @f(%x: Tensor[({shape}), int8]) {{ 1 }}"


HOSTILE = {
    "parentheses": ("P003", BODY + "(" * MANY),
    "parentheses that the parser takes": ("P010", BODY + "(" * 10_000),
    "closing brackets": ("P010", BODY + ")" * SOME),
    "brackets of two kinds": ("P010", BODY + "({" * 5_000),
    "definitions in definitions": ("P010", BODY + "let %x = " + "def @main() { let %x = " * 5_000),
    "comments that do not end": ("P002", HEADER + "/*" * SOME),
    "quotes": ("P010", HEADER + '"' * SOME),
    "types of functions": ("P003", f"{HEADER}def @f(%x: {'fn () -> ' * 20_000}int32) {{ 1 }}"),
    "a long size": ("P003", sized(" + ".join(f"n{i}" for i in range(10_000)))),
    "a size of products": (
        "P003",
        sized(" * ".join(f"floordiv(2 * a{i} + 2 * b{i}, 2)" for i in range(60))),
    ),
    "a size of one name": ("P003", sized(" * ".join(["n"] * 10_000))),
    "a size of long numbers": ("P003", sized(" * ".join(["9" * 400] * 11))),
    "a size of many numbers": ("P003", sized(" * ".join(["2"] * 20_000))),
    "sizes of long numbers": ("T003", sized(", ".join(["9" * 400] * 11))),
    "a division by zero": ("T015", sized("floordiv(4, 0)")),
    "more sections than memory holds": (
        "T104",
        BODY + "split(zeros(shape=[1000000000]), indices_or_sections=1000000000) }",
    ),
    "more axes than memory holds": (
        "T104",
        BODY + "expand_dims(1f, axis=0, num_newaxis=1000000000) }",
    ),
    "an absurd shape": ("T003", sized("9999999999, 9999999999")),
    "a negative shape": ("T002", sized("-1")),
    "a size that is a float": ("P010", sized("1.5f")),
    "minus signs": ("P010", BODY + "-" * SOME + " }"),
    "no text": ("P001", "\0" * SOME),
    "letters of other alphabets": ("P001", HEADER + "é" * SOME),
    "one name many times": ("P031", HEADER + "def @main() { 1 }\n" * 5_000),
    "one data type many times": ("P031", HEADER + "type T { C }\n" * 5_000),
    "functions in functions": ("T040", BODY + "fn () { " * 5_000 + "1" + " }" * 5_001),
    "data types in a circle": (
        "T037",
        HEADER + "".join(f"type T{i} {{ C{i}(T{(i + 1) % 3_000}) }}\n" for i in range(3_000)),
    ),
    "branches without end": ("P010", BODY + "if (True) { " * 5_000),
    "an index of many digits": ("P003", BODY + "(1,)." + "9" * 300 + " }"),
}  # fmt: skip


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_texts_are_refused_where_they_go_wrong(what: str):
    code, text = HOSTILE[what]
    with pytest.raises(RelayError) as caught:
        relay.parse(text)
    errors = [caught.value, *caught.value.others]
    assert code in {error.code for error in errors}
    assert all(error.span is not None for error in errors)
    assert len(str(caught.value)) < 20_000


def doubled(step: str, statement: str, count: int) -> str:
    steps = ((i + 1, step.format(i, i)) for i in range(count))
    return "".join(statement.format(number, value) for number, value in steps)


@pytest.mark.parametrize(
    "text",
    [
        BODY + "%0 = 1; " + doubled("(%{}, %{})", "%{} = {}; ", 99) + "%99 }",
        BODY
        + "let %f0 = fn [A](%x: A) { (%x, %x) }; "
        + doubled("fn [A](%x: A) {{ %f{}(%f{}(%x)) }}", "let %f{} = {}; ", 6)
        + "%f6(1) }",
        BODY + "(" * 20_000 + "1" + ")" * 20_000 + " }",
        HEADER + "/*" * 100_000 + "*/" * 100_000 + "def @main() { 1 }",
        HEADER + "def @main(%x: int32) { %x" + " + %x" * 10_000 + " }",
        BODY + "1; " * 5_000 + "2 }",
        BODY + "{ " * 10_000 + "1" + " }" * 10_000 + " }",
    ],
    ids=["tuples", "functions", "parentheses", "comments", "sum", "statements", "blocks"],
)
def test_long_and_deep_programs_are_read(text: str):
    relay.parse(text)


def test_bytes_that_are_no_text(tmp_path: Path):
    path = tmp_path / "broken.rly"
    path.write_bytes(b'#[version = "0.0.5"]\ndef @main() { \xff\xfe }')
    with pytest.raises(RelayError, match="byte 35"):
        read_text(path)


@pytest.mark.parametrize("seed", range(4))
def test_damaged_programs(seed: int):
    """A sample; `python tools/fuzz_text.py --count 100000` takes minutes."""
    for text in mutants(seeds(), 100, seed):
        found = verdict(text)
        assert not found.startswith("broken"), f"{found}\n{text}"


@given(st.text(max_size=60), st.booleans())
def test_any_text(text: str, with_body: bool):
    found = verdict(BODY + text + " }" if with_body else HEADER + text)
    assert not found.startswith("broken"), found


def test_wide_programs_are_read():
    """What grows with the square of its width takes much longer here."""
    names = [f"C{i}" for i in range(5_000)]
    clauses = ", ".join(f"{name} => {i}" for i, name in enumerate(names))
    relay.parse(
        f"{HEADER}type T {{ {', '.join(names)} }} def @f(%t: T) {{ match (%t) {{ {clauses} }} }}"
    )
    params = ", ".join(f"%x{i}: int32" for i in range(10_000))
    relay.parse(f"{HEADER}def @f({params}) {{ 1 }}")
