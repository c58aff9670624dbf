"""Helper functions of TVM's tests, such as `run_infer_type`."""

from collections.abc import Sequence

import numpy as np

from relay.classic.ir_module import IRModule
from relay.ir.expr import Array, Expr, Function
from relay.semantics.analysis import list_op_freqs
from relay.semantics.infer import infer
from relay.support.dtype import DType
from relay.support.dtype import dtype as to_dtype
from relay.transform.pipeline import Pass


def run_infer_type(expr: Expr) -> Expr:
    """Return an expression with inferred types; it may have free variables.

    >>> from relay.ops.functions import core, var
    >>> run_infer_type(core.exp(var("x", shape=(2,)))).checked_type
    Tensor[(2,), float32]
    """
    main = infer(IRModule.from_expr(expr).module).main
    return main if isinstance(expr, Function) else main.body


def run_opt_pass(expr: Expr, opt_pass: Pass | Sequence[Pass], import_prelude: bool = False) -> Expr:
    """Return the result of running one pass, or several in sequence, on an expression."""
    module = IRModule.from_expr(expr)
    if import_prelude:
        module.import_from_std("prelude.rly")
    for each in (opt_pass,) if isinstance(opt_pass, Pass) else opt_pass:
        module = each(module)
    main = module.main
    return main if isinstance(expr, Function) else main.body


def count_ops(expr: Expr) -> dict[str, int]:
    """Return the number of calls of each operator, by name."""
    return list_op_freqs(expr)


def rand(dtype: "DType | str", *shape: int) -> Array:
    """Return an array of random numbers of an element type and shape."""
    element = to_dtype(dtype)
    random = np.random.default_rng()
    if element.is_float:
        return random.random(shape).astype(element.numpy)
    return random.integers(0, 2 if element == "bool" else 100, shape).astype(element.numpy)
