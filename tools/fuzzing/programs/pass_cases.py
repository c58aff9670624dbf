"""Golden cases of passes: programs, and the passes that their first lines name.

A first line names passes as `relay opt -p` does, `// passes: fold-scale, inline`, or is a call of
a classic pass, `// pass: LambdaLift()`. A program follows, a line of dashes, and the expected
program.
"""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from relay.frontend.text import parse
from relay.ir.module import Module
from relay.kernels.cpu_model import CpuModel
from relay.support.dtype import int8, uint8
from relay.targets.cpu import cpu_target
from relay.transform import tvm_passes
from relay.transform.fuse_operators import FuseOperators
from relay.transform.legalize_quantised import LegalizeQuantised
from relay.transform.parse_passes import passes_of
from relay.transform.pipeline import Pass

RULER = "// " + "-" * 77

TARGET = cpu_target(CpuModel("x86_64-linux-gnu", vector_bytes=32, vector_registers=16))
"""A machine with vectors of 8 floats, so that results do not depend on this machine."""

_UNSIGNED = ((uint8, int8), (int8, uint8))
"""The products of bytes for which most x86 processors have an instruction."""

_FOR_TARGET: dict[str, Pass] = {
    "convert-layout": TARGET.layouts,
    "fuse-operators": FuseOperators(TARGET.accepts),
    "legalize-quantised": LegalizeQuantised(_UNSIGNED),
}


@dataclass(frozen=True)
class PassCase:
    """A case: the text of the program with its first line, its typed module, and the passes."""

    name: str
    source: str
    module: Module
    passes: Sequence[Pass]


def read_case(path: Path) -> PassCase:
    """Return the case in a file."""
    text, _, _ = path.read_text(encoding="utf-8").partition(RULER)
    source = text.rstrip() + "\n"
    passes = passes_of_line(source.splitlines()[0])
    return PassCase(path.stem, source, parse(source, path.name), passes)


def passes_of_line(line: str) -> Sequence[Pass]:
    """Return the passes that a first line names.

    >>> [each.title() for each in passes_of_line("// passes: fold-scale, inline")]
    ['fold-scale', 'inline']
    """
    if line.startswith("// pass:"):
        return [_classic(line.removeprefix("// pass:").strip())]
    names = re.split(r",(?![^{]*\})", line.removeprefix("// passes:"))
    known = ([_FOR_TARGET[n]] if n in _FOR_TARGET else passes_of(n) for n in map(str.strip, names))
    return [each for several in known for each in several]


def _classic(text: str) -> Pass:
    """Return the classic pass that a call of its name makes; arguments are literals."""
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call), "a first line calls a classic pass"
    args = map(ast.literal_eval, call.args)
    options = {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}
    made = tvm_passes.PASSES[ast.unparse(call.func)](*args, **options)
    assert isinstance(made, Pass), "a first line names a pass"
    return made
