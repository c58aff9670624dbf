"""The pass by which functions take the index of a table row instead of the row itself."""

from typing import cast

import numpy as np

from relay.ir.alpha_rename import with_fresh_variables
from relay.ir.expr import Call, Constant, Expr, Function, GlobalVar, Var
from relay.ir.module import Module
from relay.ir.types import FuncType, TensorType
from relay.ir.walk import outside_kernels, post_order, rewrite
from relay.ops.tensor.gather import Take
from relay.support.dtype import int32
from relay.support.node import replace, value
from relay.transform.call_specializer import ConstantSpecializer, Passed
from relay.transform.pipeline import Pass

_NUMBER = TensorType((), int32)

_ROW = Take(axis=0, mode="fast")
"""The operator that gathers a row whose index has already been checked."""


@value
class PassRows(Pass):
    """Pass an index in place of a row of a constant table, so that unread rows are not copied.

    1. A call of a global function with `take(table, i)`, where `i` is a scalar, calls a copy of the
       function that gathers the row where it is needed. Calls in the copy are treated likewise.
    2. The index is still computed, and its bounds are checked, where the row was gathered before.
    3. A function that calls itself passes the parameter to itself unchanged.
    4. A function has at most `limit` copies. Functions used as values stay as they are.
    """

    entry: str = "main"
    limit: int = 64

    def transform(self, module: Module) -> Module:
        """Return the module in which calls pass row indices to specialised copies of functions."""
        return _Copies(module, self.entry, self.limit).run()


class _Copies(ConstantSpecializer):
    def passed(self, call: Call, callee: GlobalVar) -> Passed:
        """Return the arguments that are rows of constant tables: their indices and tables."""
        found = ((place, _table(arg)) for place, arg in enumerate(call.args))
        return tuple(
            (place, table)
            for place, table in found
            if table is not None and self._passes_on(callee.name, place)
        )

    def copy(self, function: Function, passed: Passed) -> Function:
        """Return a copy of a function that takes indices and gathers the rows itself."""
        return _taking(function, dict(passed))

    def arguments(
        self, call: Call, callee: FuncType, passed: Passed
    ) -> tuple[list[Expr], FuncType]:
        """Return the arguments with indices in place of rows, and the type of the copy."""
        rows = dict(passed)
        params = [_NUMBER if place in rows else param for place, param in enumerate(callee.params)]
        args = [_number(arg) if place in rows else arg for place, arg in enumerate(call.args)]
        return args, replace(callee, params=tuple(params))

    def _passes_on(self, name: str, place: int) -> bool:
        """Whether a recursive function passes its parameter at index `place` on unchanged."""
        function = self.module[name]
        own = (
            expr.args[place]
            for expr in post_order(function, edges=outside_kernels)
            if isinstance(expr, Call) and isinstance(expr.op, GlobalVar) and expr.op.name == name
        )
        return all(arg is function.params[place] for arg in own)


def _table(arg: Expr) -> Constant | None:
    """Return the constant table of which an argument is one row; None for other arguments."""
    match arg:
        case Call(Take(axis=0, batch_dims=0), (Constant(data) as table, index)):
            return table if data.ndim > 1 and index.tensor_type.rank == 0 else None
        case _:
            return None


def _number(row: Expr) -> Expr:
    """Return the scalar index with which a row is gathered from a table."""
    assert isinstance(row, Call), "a row is taken"
    table, index = row.args
    if row.op is _ROW and index.type is _NUMBER:
        return index
    size = cast("Constant", table).array.shape[0]
    return Call(row.op, (Constant(np.arange(size, dtype=np.int32)), index), span=row.span)


def _taking(function: Function, tables: dict[int, Constant]) -> Function:
    copy = with_fresh_variables(function)
    params = [
        Var(param.name, _NUMBER, span=param.span, ty=_NUMBER) if place in tables else param
        for place, param in enumerate(copy.params)
    ]
    rows: dict[Var, Expr] = {
        copy.params[place]: Call(_ROW, (table, params[place])) for place, table in tables.items()
    }

    def rule(expr: Expr) -> Expr:
        return rows.get(expr, expr) if isinstance(expr, Var) else expr

    return replace(copy, params=tuple(params), body=rewrite(copy.body, rule), ty=None)
