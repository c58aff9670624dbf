"""Read programs as JSON, written by `relay.save_json` or by TVM."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from relay.frontend.classic_json.read_tvm_json import damaged, is_classic, read_classic
from relay.frontend.json_values import is_fields
from relay.frontend.text import parse, read_text
from relay.ir.dims import Dim
from relay.ir.expr import Expr
from relay.ir.module import Module
from relay.prelude import library
from relay.semantics.infer import infer
from relay.text.parser import parse_module
from relay.transform.shapes_of_inputs import with_shapes

MODULE, FUNCTION, EXPRESSION = "module", "function", "expression"
"""The objects that `relay.save_json` writes; the last two become `main` of a module, or part of it.
"""


def read_json(text: str, name: str = "json") -> object:
    """Return the module, expression, pattern or type in a JSON text; modules are type-checked.

    Raises `U074` if the text is not a program, `F010` for node kinds and operators of TVM that do
    not exist here, and the errors of `relay.parse`.
    """
    fields = _fields(text)
    if is_classic(fields):
        found = read_classic(fields)
        return infer(found) if isinstance(found, Module) else found
    kind, program = fields.get("relay"), fields.get("text")
    if kind not in (MODULE, FUNCTION, EXPRESSION) or not isinstance(program, str):
        raise damaged("the JSON object was written neither by relay.save_json nor by TVM")
    if kind == EXPRESSION:
        return parse_module(program, name, library).main.body
    module = parse(program, name)
    return module if kind == MODULE else module.main


def load_json_module(path: Path, shapes: Mapping[str, Sequence[Dim]] | None = None) -> Module:
    """Return the module in a JSON file, with `shapes` for sizes that it leaves unknown.

    An expression becomes its `main`.
    """
    found = read_json(read_text(path), str(path))
    module = infer(Module.of(found)) if isinstance(found, Expr) else found
    if not isinstance(module, Module):
        raise damaged(
            f"the file contains an object of the class {type(found).__name__}, not a program; "
            "read the object with relay.load_json"
        )
    return with_shapes(module, shapes or {})


def _fields(text: str) -> Mapping[str, object]:
    try:
        found: object = json.loads(text)
    except (ValueError, TypeError) as error:
        raise damaged(f"{error}") from None
    except RecursionError:
        raise damaged("the text is nested too deeply") from None
    if not is_fields(found):
        raise damaged(f"expected a JSON object, found a {type(found).__name__}")
    return found
