"""Programs before and after passes, as text.

The first line of a file names passes as `relay opt -p` does, `// passes: fold-scale, inline`, or is
a classic one as Python, `// pass: LambdaLift()`. A program follows, a line of dashes, and the
program that is expected. `pytest --update-golden` writes the latter; read what it wrote.
"""

import re
from pathlib import Path

import pytest

import relay
from relay.build.verify import Verifier
from relay.kernels.machine import CpuModel
from relay.support.dtype import int8, uint8
from relay.targets.cpu import cpu_target
from relay.text.printer import text_of
from relay.transform.convert_layout import ConvertLayout
from relay.transform.fuse_operators import FuseOperators
from relay.transform.legalize_quantised import LegalizeQuantised
from relay.transform.pass_text import passes_of
from relay.transform.pipeline import Pass, run_passes

FILES = sorted(Path(__file__).parent.joinpath("golden").glob("*.rly"))
RULER = "// " + "-" * 77


TARGET = cpu_target(CpuModel("x86_64-linux-gnu", vector_bytes=32, vector_registers=16))
"""A machine with vectors of 8 floats, so that the texts are the same wherever the tests run."""

UNSIGNED = ((uint8, int8), (int8, uint8))
"""The products of bytes for which most x86 processors have an instruction."""

FOR_TARGET = {
    "convert-layout": ConvertLayout(TARGET.layouts),
    "fuse-operators": FuseOperators(TARGET.accepts),
    "legalize-quantised": LegalizeQuantised(UNSIGNED),
}
CLASSIC = {name: getattr(relay.transform, name) for name in dir(relay.transform)}


def pipeline(first_line: str) -> list[Pass]:
    if first_line.startswith("// pass:"):
        return [eval(first_line.removeprefix("// pass:"), {**CLASSIC, "relay": relay})]
    names = re.split(r",(?![^{]*\})", first_line.removeprefix("// passes:"))
    known = ([FOR_TARGET[n]] if n in FOR_TARGET else passes_of(n) for n in map(str.strip, names))
    return [each for several in known for each in several]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_golden(path: Path, golden):
    source, _, _ = path.read_text(encoding="utf-8").partition(RULER)
    source = source.rstrip() + "\n"
    module = relay.parse(source, path.name)
    after, _ = run_passes(module, pipeline(source.splitlines()[0]), check=Verifier(values=True))
    golden(path, f"{source}\n{RULER}\n\n{text_of(after)}")
