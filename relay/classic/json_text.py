"""TVM's functions `save_json` and `load_json`: programs as JSON.

TVM's own format is a dump of the objects of the library that wrote it. The format that is written
here contains the program as readable text, with its constants. Both formats can be read.
"""

import json

from relay.classic.ir_module import IRModule
from relay.frontend.json_programs import EXPRESSION, FUNCTION, MODULE, read_json
from relay.ir.expr import Expr, Function
from relay.ir.module import Module, ModuleLike
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError


def save_json(node: ModuleLike | Expr) -> str:
    """Return a module or an expression as JSON, which `load_json` reads.

    Free variables of an expression become new variables when it is loaded.

    >>> load_json(save_json(IRModule())).module.functions
    mappingproxy({})
    """
    if not isinstance(node, ModuleLike | Expr):  # pyright: ignore[reportUnnecessaryIsInstance] - as callers may
        message = (
            "save_json takes a module or an expression, not an object of the class "
            f"{type(node).__name__}"
        )
        help_ = "save arrays with relay.save_param_dict"
        raise UsageError(ErrorCode.U003, message, help=help_)
    kind, module = MODULE, node
    if isinstance(node, Expr):
        kind = FUNCTION if isinstance(node, Function) else EXPRESSION
        module = IRModule.from_expr(node)
    return json.dumps(
        {"relay": kind, "text": module.astext(show_types=False)}, ensure_ascii=False, indent=1
    )


def load_json(json_str: str) -> object:
    """Return the module, expression, pattern or type in JSON that `save_json` or TVM wrote.

    A module is an `IRModule`, with all types inferred. Raises `U074` for other texts, `F010` for
    node kinds and operators of TVM that do not exist here, and the errors of `relay.parse`.
    """
    found = read_json(json_str)
    return IRModule(found) if isinstance(found, Module) else found
