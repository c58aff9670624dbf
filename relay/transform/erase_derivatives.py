"""The pass that removes custom derivatives, which compiled programs do not need."""

from typing import cast

from relay.ir.analysis.call_graph import reached
from relay.ir.custom_derivatives import has_custom_derivative, without_derivatives
from relay.ir.expr import Expr, Function
from relay.ir.module import Module
from relay.ir.walk import children, rewrite
from relay.opdef.definition import OperatorDef
from relay.support.node import value
from relay.transform.pipeline import Pass


@value
class EraseDerivatives(Pass):
    """Remove the functions and attributes that only differentiation needs.

    1. Custom derivatives, and the functions that only these call, are removed. A function with a
       custom derivative becomes an ordinary one; until then, passes keep calls of it.
    2. Attributes of operators that choose a derivative, such as `strict` of `nn.relu`, are removed.

    >>> import relay
    >>> square = relay.parse('''#[version = "0.0.5"]
    ... def @main(%x: float32, VjpBackward="back") -> float32 { %x * %x }
    ... def @back(%r: (float32,), %d: float32) -> (float32,) { (2f * %r.0 * %d,) }''')
    >>> list(EraseDerivatives()(square).functions)
    ['main']
    """

    entry: str = "main"

    def transform(self, module: Module) -> Module:
        """Return the module without what only derivatives need."""
        functions = {name: _with_plain_operators(each) for name, each in module.functions.items()}
        module = module.with_functions(functions)
        if not any(map(has_custom_derivative, module.functions.values())):
            return module
        plain = {name: without_derivatives(each) for name, each in module.functions.items()}
        return reached(module.with_functions(plain), self.entry)


def _with_plain_operators(function: Function) -> Function:
    """Return a function whose operators have no attributes that choose a derivative."""
    return cast("Function", rewrite(function, _plain, edges=children))


def _plain(expr: Expr) -> Expr:
    return expr.without_derivative_attributes() if isinstance(expr, OperatorDef) else expr
