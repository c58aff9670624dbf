"""Names of sizes that nothing tells are open sizes."""

from relay.ir.attributes import symbolic_attributes
from relay.ir.dims import ANY, variables
from relay.ir.expr import Function, Var
from relay.ir.told_names import tensor_dims, told_names
from relay.ir.types import TupleType, dim_variables
from relay.ir.walk import outside_kernels, post_order
from relay.opdef.definition import OperatorDef
from relay.transform.specialize import Specialize


def without_strays(root: Function, *, is_entry: bool) -> Function:
    """Return a function with `?` for names that nobody can know: no tensor tells them, no caller.

    They stand in `k + n` alone, or in the result of a local function. Callers may tell those that
    stand in data and functions which a global function takes; the door asks for those of an entry.
    Those that an operator needs stay: it says that it does not know them.
    """
    exprs = post_order(root, edges=outside_kernels)
    types = [expr.ty for expr in exprs if isinstance(expr, Var) and expr.ty is not None]
    results = [e.result for e in exprs if isinstance(e, Function) and e is not root and e.result]
    taken = [param.type for param in root.params]
    asked = [ty for ty in taken if is_entry or not tensor_dims(ty)]
    dims = [dim for ty in types for dim in tensor_dims(ty)]
    said = dim_variables(TupleType(tuple(results))).union(*map(variables, dims))
    needed = (dim for e in exprs if isinstance(e, OperatorDef) for dim in symbolic_attributes(e))
    kept = dim_variables(TupleType(tuple(asked))).union(*map(variables, needed))
    strays = said - kept - told_names(dims, frozenset())
    return Specialize(tuple((name.name, ANY) for name in strays)).run(root) if strays else root
