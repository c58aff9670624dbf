"""The classic `save_json` and `load_json`: modules and functions as JSON.

The classic format listed the objects of the library that wrote it. This one contains the program as
text, with its constants, so that a person can read it.
"""

import json
from typing import cast

from relay.classic.ir_module import IRModule
from relay.frontend.text import parse
from relay.ir.expr import Function
from relay.ir.module import ModuleLike
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError


def save_json(node: ModuleLike | Function) -> str:
    """Return a module, or a function, as JSON that `load_json` reads; `U003` for anything else.

    >>> load_json(save_json(IRModule())).module.functions
    mappingproxy({})
    """
    if not isinstance(node, ModuleLike | Function):  # pyright: ignore[reportUnnecessaryIsInstance] - as callers may
        help_ = "put an expression into one: relay.IRModule.from_expr(expr)"
        message = f"save_json takes a module or a function, not {type(node).__name__}"
        raise UsageError(ErrorCode.U003, message, help=help_)
    is_function = isinstance(node, Function)
    module = IRModule.from_expr(node) if is_function else node
    kind = "function" if is_function else "module"
    return json.dumps({"relay": kind, "text": module.astext()}, ensure_ascii=False, indent=1)


def load_json(json_str: str) -> IRModule | Function:
    """Return the module or function that `save_json` wrote.

    Raises `U074` for other texts, and the errors of `relay.parse`.
    """
    try:
        found: object = json.loads(json_str)
    except (ValueError, TypeError) as error:
        raise _refused(f"this is no JSON: {error}") from None
    except RecursionError:
        raise _refused("this is nested too deeply for a program") from None
    fields = cast("dict[str, object]", found) if isinstance(found, dict) else {}
    text = fields.get("text")
    if not isinstance(text, str) or fields.get("relay") not in ("module", "function"):
        whose = "the classic library's own form" if "nodes" in fields else "another JSON"
        raise _refused(f"this is {whose}, not a program that relay.save_json wrote")
    module = IRModule(parse(text, "json"))
    return module.main if fields["relay"] == "function" else module


def _refused(message: str) -> UsageError:
    help_ = "write the program as text, mod.astext(), and read it with relay.fromtext"
    return UsageError(ErrorCode.U074, message, help=help_)
