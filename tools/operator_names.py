"""Write the table of ONNX names of Relay's operators: `python tools/operator_names.py`.

An ONNX operator corresponds to a Relay operator if some case of it in the standard's suite is
imported as a program of that operator alone. The table is
`relay/cli/onnx_operator_names.toml`; `relay ops NAME` prints it.
"""

import json
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
import relay
from relay.ir.expr import Call, Operator
from relay.ir.walk import post_order
from relay.support.errors import RelayError
from relay.testing.onnx_suite import case, case_names

TABLE = Path("relay/cli/onnx_operator_names.toml")


def only_operator(module: relay.Module) -> str | None:
    """Return the operator of a program that has only one; None for other programs."""
    calls = [expr for expr in post_order(module.main) if isinstance(expr, Call)]
    names = {call.op.name for call in calls if isinstance(call.op, Operator)}
    return names.pop() if len(calls) == 1 and len(names) == 1 else None


def onnx_names() -> Iterator[tuple[str, str]]:
    """Yield pairs of a Relay operator and an ONNX operator, from cases with one node."""
    for name in case_names():
        if "/" in name or name.endswith("_expanded"):
            continue
        model: Any = case(name).model
        if len(model.graph.node) != 1:
            continue
        try:
            found = only_operator(relay.load(model))
        except RelayError:
            continue
        if found is not None:
            node = model.graph.node[0]
            yield found, f"{node.domain}.{node.op_type}" if node.domain else node.op_type


def main() -> None:
    """Write the table."""
    warnings.simplefilter("ignore")
    table: dict[str, set[str]] = defaultdict(set)
    for here, there in onnx_names():
        table[here].add(there)
    rows = [f'"{here}" = {json.dumps(sorted(names))}' for here, names in sorted(table.items())]
    TABLE.write_text("\n".join(["# Written by tools/operator_names.py.", *rows, ""]), "utf-8")
    print(f"{len(table)} operators have names in ONNX")


if __name__ == "__main__":
    main()
