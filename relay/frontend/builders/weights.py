"""Weights as parameters of `main`, instead of constants."""

from collections.abc import Mapping
from typing import TypeAlias, cast

import numpy as np

from relay.ir.expr import Array, Constant, Expr, Function, Var
from relay.ir.module import ENTRY, Module
from relay.ir.walk import rewrite
from relay.support.node import replace

_Content: TypeAlias = tuple[tuple[int, ...], str, bytes]


def with_parameters(
    module: Module, weights: Mapping[str, Array]
) -> tuple[Module, dict[str, Array]]:
    """Return the module with those constants of `main` that are weights as its last parameters.

    Weights that the import changed, for example because it computed with them, stay constants; the
    others are returned by name.
    """
    names = {_content(array): name for name, array in weights.items()}
    found: dict[str, Var] = {}

    def rule(expr: Expr) -> Expr:
        name = names.get(_content(expr.data)) if isinstance(expr, Constant) else None
        return expr if name is None else found.setdefault(name, Var(name, expr.type))

    main = cast("Function", rewrite(module.main, rule))
    params = [found[name] for name in weights if name in found]
    if not params:
        return module, {}
    open_main = replace(main, params=(*main.params, *params), ty=None)
    return module.with_function(ENTRY, open_main), {var.name: weights[var.name] for var in params}


def _content(array: Array) -> _Content:
    return array.shape, str(array.dtype), np.ascontiguousarray(array).tobytes()
