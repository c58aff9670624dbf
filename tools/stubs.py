"""Write the stubs of generated functions: relay/ops/functions/{core,nn,image,qnn,…}.pyi.

`relay.nn.conv2d` and its like are built from the operators' classes when they are first used, where
neither an editor nor a type checker sees them. `python tools/stubs.py` writes what they are; with
`--check` it only compares.
"""

import ast
import inspect
import re
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
from relay.opdef.table import OPERATORS
from relay.ops.functions import core, image, nn, qnn, random, vision

FOLDER = Path("relay/ops/functions")
MODULES = {"": core, "nn.": nn, "image.": image, "qnn.": qnn, "random.": random, "vision.": vision}
HEADER = """# Written by tools/stubs.py. ruff: noqa
import builtins
from collections.abc import Sequence
"""
HOMES = {
    "Callable": "collections.abc",
    "Array": "relay.ir.expr",
    "Dim": "relay.ir.dims",
    "Call": "relay.ir.expr",
    "Constant": "relay.ir.expr",
    "Expr": "relay.ir.expr",
    "Tuple": "relay.ir.expr",
    "TupleGetItem": "relay.ir.expr",
    "DType": "relay.support.dtype",
    "Device": "relay.runtime.device",
}
ALIASES = """
Axes = int | Sequence[int] | None
Operand = Expr | builtins.complex | Sequence[Expr | builtins.complex]
"""
PLAIN = (bool, int, float, str)


def stub(prefix: str, module: ModuleType) -> str:
    """Return the stub of one module."""
    body = "\n".join(_function(prefix, name, getattr(module, name)) for name in dir(module))
    used = set(re.findall(r"\w+", body + ALIASES))
    imports = [f"from {home} import {name}\n" for name, home in HOMES.items() if name in used]
    return f"{HEADER}{''.join(imports)}{ALIASES}\n{body}\n"


def _function(prefix: str, name: str, function: Callable[..., Any]) -> str:
    if "__signature__" not in vars(function):
        return _written(function)
    cls: Any = next(c for c in OPERATORS.values() if c.__doc__ == function.__doc__)
    types = {each.name: each.type for each in fields(cls)}
    dynamic = f"dyn.{prefix}{name}" in OPERATORS
    parameters = inspect.signature(function).parameters.values()
    written = [_parameter(each, types, dynamic=dynamic) for each in parameters]
    if any(each.kind is each.KEYWORD_ONLY for each in parameters):
        first = next(at for at, each in enumerate(parameters) if each.kind is each.KEYWORD_ONLY)
        written.insert(first, "*")
    return f"def {name}({', '.join(written)}) -> Call: ..."


def _parameter(parameter: inspect.Parameter, types: dict[str, Any], *, dynamic: bool) -> str:
    kind = types.get(parameter.name)
    plain = kind.__name__ + (" | Expr" if dynamic else "") if kind in PLAIN else "object"
    annotation = plain if parameter.name in types else "Operand"
    if parameter.default is inspect.Parameter.empty:
        return f"{parameter.name}: {annotation}"
    default = parameter.default
    return (
        f"{parameter.name}: {annotation} = {default!r}"
        if _is_simple(default)
        else (f"{parameter.name}: {annotation} = ...")
    )


def _is_simple(default: object) -> bool:
    return default is None or isinstance(default, (*PLAIN, tuple))


def _written(function: Callable[..., Any]) -> str:
    """Return the signature of a handwritten function as it is in its source."""
    tree = ast.parse(dedent(inspect.getsource(function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    tree.body = [ast.parse("...").body[0]]
    text = re.sub(r":\n\s+", ": ", ast.unparse(tree))
    return text.replace("'DType | str'", "DType | str")


def main() -> int:
    """Write or compare; returns 1 when a stub is out of date."""
    stale: list[str] = []
    for prefix, module in MODULES.items():
        path = FOLDER / f"{module.__name__.rpartition('.')[2]}.pyi"
        text = stub(prefix, module)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(str(path))
            if "--check" not in sys.argv:
                path.write_text(text, encoding="utf-8")
    if stale and "--check" in sys.argv:
        print("out of date, run tools/stubs.py:", *stale)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
