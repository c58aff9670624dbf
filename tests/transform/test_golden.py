"""Programs before and after passes, as text.

The first line of a file names passes, `// passes: cse, fold_scale`, or is a classic one as Python,
`// pass: LambdaLift()`. A program follows, a line of dashes, and the program that is expected.
`pytest --update-golden` writes the latter; read what it wrote.
"""

from pathlib import Path

import pytest

import relay
from relay.build.verify import Verifier
from relay.kernels.machine import Machine
from relay.targets.cpu import CpuTarget
from relay.text.printer import text_of
from relay.transform.bind_weights import BindWeights
from relay.transform.check_sizes import CheckSizes
from relay.transform.convert_layout import ConvertLayout
from relay.transform.eliminate_common_subexpressions import EliminateCommonSubexpressions
from relay.transform.fold_constants import FoldConstants
from relay.transform.fuse_operators import FuseOperators
from relay.transform.loops.alternate import AlternateReads
from relay.transform.loops.hoist import HoistFromLoops
from relay.transform.loops.split_products import SplitProducts
from relay.transform.pipeline import Pass, run_passes
from relay.transform.repeat_reads import RepeatReads
from relay.transform.simplify.fold_gathers import FoldGathers
from relay.transform.simplify.fold_scale import FoldScale
from relay.transform.simplify.matmul_to_dense import MatmulToDense
from relay.transform.simplify.reassociate_constants import ReassociateConstants
from relay.transform.simplify.scatter_to_concat import ScatterToConcat
from relay.transform.simplify.sink_gathers import SinkGathers
from relay.transform.simplify.sink_reshapes import SinkReshapes
from relay.transform.simplify.split_to_slice import SplitToSlice
from relay.transform.simplify_inference import SimplifyInference
from relay.transform.specialize import Specialize
from relay.transform.to_graph_form import ToGraphForm

FILES = sorted(Path(__file__).parent.joinpath("golden").glob("*.rly"))
RULER = "// " + "-" * 77


TARGET = CpuTarget(Machine("x86_64-linux-gnu", vector_bytes=32, vector_registers=16))
"""A machine with vectors of 8 floats, so that the texts are the same wherever the tests run."""

PASSES = {
    "alternate_reads": AlternateReads(nearest=16, next=128),
    "bind_weights": BindWeights(),
    "check_sizes": CheckSizes(),
    "convert_layout": ConvertLayout(TARGET.prefer),
    "cse": EliminateCommonSubexpressions(),
    "fold_constants": FoldConstants(),
    "sink_gathers": SinkGathers(limit=16),
    "fold_scale": FoldScale(),
    "fuse_operators": FuseOperators(TARGET.accepts),
    "reassociate_constants": ReassociateConstants(),
    "sink_reshapes": SinkReshapes(),
    "fold_gathers": FoldGathers(),
    "hoist_from_loops": HoistFromLoops(),
    "scatter_to_concat": ScatterToConcat(),
    "split_to_slice": SplitToSlice(),
    "split_products": SplitProducts(),
    "repeat_reads": RepeatReads(),
    "matmul_to_dense": MatmulToDense(),
    "simplify_inference": SimplifyInference(),
    "specialize": Specialize((("n", 4),)),
    "to_graph_form": ToGraphForm(),
}


CLASSIC = {name: getattr(relay.transform, name) for name in dir(relay.transform)}


def pipeline(first_line: str) -> list[Pass]:
    if first_line.startswith("// pass:"):
        return [eval(first_line.removeprefix("// pass:"), {**CLASSIC, "relay": relay})]
    names = first_line.removeprefix("// passes:").split(",")
    return [PASSES[name.strip()] for name in names]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_golden(path: Path, golden):
    source, _, _ = path.read_text(encoding="utf-8").partition(RULER)
    source = source.rstrip() + "\n"
    module = relay.parse(source, path.name)
    after, _ = run_passes(module, pipeline(source.splitlines()[0]), check=Verifier(values=True))
    golden(path, f"{source}\n{RULER}\n\n{text_of(after)}")
