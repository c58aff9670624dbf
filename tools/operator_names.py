"""Write the table of the names of Relay's operators in ONNX and PyTorch.

    python tools/operator_names.py [ONNX] [PyTorch]

An operator of a framework corresponds to a Relay operator if some case of it is imported as a
program of that operator, besides operators that arrange its operands: the cases of the ONNX
standard's suite, and PyTorch's own sample inputs (`tools/torch_operators.py`). The table is
`relay/cli/names_elsewhere.toml`; `relay ops NAME` prints it.
"""

import json
import sys
import tomllib
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
import relay
from relay.ir.expr import Call
from relay.ir.walk import post_order
from relay.opdef.definition import Fusion, OperatorDef
from relay.support.errors import RelayError
from tools.onnx_cases import Case, case, case_names

TABLE = Path("relay/cli/names_elsewhere.toml")

SAMPLES = 2
"""How many samples of an operator of PyTorch are imported."""

MOST_BESIDE = 12
"""How many operators an anchor and those beside it may be."""

ARRANGING = {
    "broadcast_to", "cast", "concatenate", "expand_dims", "full", "ones_like", "reshape", "squeeze",
    "strided_slice", "transpose", "zeros_like",
}  # fmt: skip


def main_operator(module: relay.Module) -> str | None:
    """Return the operator that a program consists of; None if there are several.

    Operators that arrange operands do not count beside others, nor does what is computed with the
    result of one anchor, such as the bias of `nn.dense`.
    """
    calls = [expr for expr in post_order(module.main) if isinstance(expr, Call)]
    found = [call.op for call in calls if isinstance(call.op, OperatorDef)]
    if len(found) > 1:
        found = [op for op in found if op.name not in ARRANGING]
    anchors = [op for op in found if op.fusion is Fusion.ANCHOR]
    if len(anchors) == 1 and len(found) <= MOST_BESIDE:
        found = anchors
    return found[0].name if len({op.name for op in found}) == 1 else None


def onnx_names() -> Iterator[tuple[str, str]]:
    """Yield pairs of a Relay operator and an ONNX operator, from cases with one node."""
    for name in case_names():
        if "/" in name or name.endswith("_expanded"):
            continue
        one = case(name)
        if len(one.model.graph.node) != 1:
            continue
        node = one.model.graph.node[0]
        for model in (one.model, with_fixed_sizes(one)):
            if found := _imported(lambda m=model: relay.load(m)):
                yield found, f"{node.domain}.{node.op_type}" if node.domain else node.op_type


def with_fixed_sizes(one: Case) -> onnx.ModelProto:
    """Return the model of a case with its lists of integers, such as sizes, as constants."""
    model = onnx.ModelProto.FromString(one.model.SerializeToString())
    given: Any = one.data[0][0]
    for value, array in zip(one.model.graph.input, given, strict=False):
        if getattr(array, "dtype", None) == np.int64 and array.ndim <= 1:
            model.graph.input.remove(value)
            model.graph.initializer.append(numpy_helper.from_array(array, value.name))
    return model


def torch_names() -> Iterator[tuple[str, str]]:
    """Yield pairs of a Relay operator and a function of PyTorch, from PyTorch's sample inputs."""
    tools: Any = import_module("torch_operators")
    for info in tools.op_db:
        for sample, tensors, _ in islice(tools.samples(info, SAMPLES), SAMPLES):
            found = _imported(lambda s=sample, t=tensors: relay.load(s, example_inputs=tuple(t)))
            if found:
                yield found, info.name


def _imported(load: Callable[[], relay.Module]) -> str | None:
    try:
        return main_operator(load())
    except RelayError:
        return None


def main() -> None:
    """Write the table; the sections of frameworks that are not named stay as they are."""
    warnings.simplefilter("ignore")
    sources = {"ONNX": onnx_names, "PyTorch": torch_names}
    table: dict[str, dict[str, Any]] = tomllib.loads(TABLE.read_text("utf-8"))
    for framework in sys.argv[1:] or sources:
        names: dict[str, set[str]] = defaultdict(set)
        for here, there in sources[framework]():
            names[here].add(there)
        table[framework] = {here: sorted(found) for here, found in sorted(names.items())}
        print(f"{len(names)} operators have names in {framework}")
    lines = ["# Written by tools/operator_names.py."]
    for framework in sources:
        rows = table.get(framework, {}).items()
        lines += [
            "",
            f"[{framework}]",
            *(f'"{here}" = {json.dumps(there)}' for here, there in rows),
        ]
    TABLE.write_text("\n".join([*lines, ""]), "utf-8")


if __name__ == "__main__":
    main()
