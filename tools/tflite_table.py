"""Write docs/tflite-operators.md: all operators of TensorFlow Lite's schema, and Relay's support.

`python tools/tflite_table.py` writes the page; `--check` only compares. It needs the package tflite
of the version that the page names. `REASONS` must have each operator without a translation, and no
other.
"""

import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay and tools are those of this checkout
from relay.frontend.tensorflow_lite import translated_lite_operators
from relay.frontend.tflite.schema import OPERATORS
from tools.pages import write_or_check

PAGE = Path("docs/tflite-operators.md")
SCHEMA = "2.18.0"
"""The version of the package tflite from which the page is written."""

INTRODUCTION = """\
<!-- Written by tools/tflite_table.py. -->

# Operators of TensorFlow Lite

The schema of TensorFlow Lite (package tflite {version}) names {count} builtin operators. Relay
translates {translated} of them; for each of the others, the table gives the reason. If Relay does
not support an attribute or an element type of an operator that it translates, an error names the
node (`F030`, `F052`). Quantised tensors are not supported by operators whose
reference kernels do not take them, such as `ADD_N`, `POW`, `CUMSUM`, `CONV_3D` and `L2_POOL_2D`
(also not `L2_NORMALIZATION` of int16 and `REDUCE_PROD` of uint8), nor by those whose reference
kernels ignore the scales: `NEG`, `FLOOR_DIV`, `FLOOR_MOD`, and operators on bits. `DIV` takes 8-bit
numbers. `LESS` and other comparisons of 16-bit numbers compare the real numbers; the reference
kernels compare the integers, which differs if the scales do.

An operator without a kernel in LiteRT (ai-edge-litert 2.3) occurs only in intermediate files of the
converter: LiteRT itself cannot run a model that has it.

| number | operator | translation, or the reason why there is none |
|---|---|---|
{rows}
"""

NO_KERNEL = "no: LiteRT has no kernel for it"
RANDOM = "no: random numbers are not drawn in the program: make them an input of the model"
STRINGS = "no: it computes with strings, which Relay does not have"

REASONS: Mapping[str, str] = {
    "CALL": NO_KERNEL,
    "CONCAT_EMBEDDINGS": NO_KERNEL,
    "CUSTOM": "by its own name: `TFLite_Detection_PostProcess`, and those in `op_converter`",
    "DELEGATE": "no: LiteRT inserts it at run time; files do not contain it",
    "EMBEDDING_LOOKUP_SPARSE": "no: TensorFlow's converter does not write it any more",
    "HASHTABLE": STRINGS,
    "HASHTABLE_FIND": STRINGS,
    "HASHTABLE_IMPORT": STRINGS,
    "HASHTABLE_SIZE": STRINGS,
    "LSH_PROJECTION": "no: it hashes bytes of tensors, for models of text that are no longer made",
    "MULTINOMIAL": RANDOM,
    "PLACEHOLDER_FOR_GREATER_OP_CODES": "no: it is not an operator, but a mark in old files",
    "RANDOM_STANDARD_NORMAL": RANDOM,
    "RANDOM_UNIFORM": RANDOM,
    "SKIP_GRAM": STRINGS,
    "STABLEHLO_RNG_BIT_GENERATOR": RANDOM,
    **{f"STABLEHLO_{name}": NO_KERNEL for name in (
        "CBRT", "CONVOLUTION", "CUSTOM_CALL", "DOT_GENERAL", "REDUCE", "SORT", "WHILE",
    )},
}  # fmt: skip
"""Why an operator has no translation."""


def rows() -> Mapping[str, str]:
    """Map each operator of the schema to the module of its translation, or to the reason."""
    translated = translated_lite_operators()
    wrong = REASONS.keys() ^ (set(OPERATORS.values()) - translated.keys())
    assert not wrong, f"operators with a translation and a reason, or with neither: {sorted(wrong)}"
    return {
        name: REASONS.get(name) or f"`{translated[name].rpartition('.')[0]}`"
        for name in (OPERATORS[number] for number in sorted(OPERATORS))
    }


def page() -> str:
    """Return the text of the page."""
    found = rows()
    numbers = {name: number for number, name in OPERATORS.items()}
    lines = [f"| {numbers[name]} | `{name}` | {text} |" for name, text in found.items()]
    translated = len(found) - len(REASONS)
    return INTRODUCTION.format(
        version=SCHEMA, count=len(found), translated=translated, rows="\n".join(lines)
    )


def main(args: Sequence[str]) -> int:
    """Write the page, or return 1 if `--check` finds another one."""
    if version("tflite") != SCHEMA:
        sys.exit(f"the page is written from tflite {SCHEMA}, not {version('tflite')}")
    return write_or_check(PAGE, page, args)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
