"""Turn the weights of an imported model from constants into parameters of `main`."""

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
    """Return the module with the constants that are `weights` as last parameters of `main`.

    Also return these weights by name. Weights that the import changed, for example because it
    computed with them, stay constants.
    """
    names = {_content(array): name for name, array in weights.items()}
    found: dict[str, Var] = {}

    def rule(expr: Expr) -> Expr:
        name = names.get(_content(expr.array)) if isinstance(expr, Constant) else None
        return expr if name is None else found.setdefault(name, Var(name, expr.type))

    main = cast("Function", rewrite(module.main, rule))
    params = [found[name] for name in weights if name in found]
    if not params:
        return module, {}
    open_main = replace(main, params=(*main.params, *params), ty=None)
    return module.with_function(ENTRY, open_main), {var.name: weights[var.name] for var in params}


def _content(array: Array) -> _Content:
    return array.shape, str(array.dtype), np.ascontiguousarray(array).tobytes()
