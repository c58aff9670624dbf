"""The pass that removes custom derivatives, which compiled programs do not need."""

from relay.ir.analysis.call_graph import reached
from relay.ir.custom_derivatives import has_custom_derivative, without_derivatives
from relay.ir.module import Module
from relay.support.node import value
from relay.transform.pipeline import Pass


@value
class EraseDerivatives(Pass):
    """Remove the custom derivatives of functions, and the functions that only they need.

    Other passes keep calls of a function that has a custom derivative; this pass makes it an
    ordinary one.

    >>> import relay
    >>> square = relay.parse('''#[version = "0.0.5"]
    ... def @main(%x: float32, VjpBackward="back") -> float32 { %x * %x }
    ... def @back(%r: (float32,), %d: float32) -> (float32,) { (2f * %r.0 * %d,) }''')
    >>> list(EraseDerivatives()(square).functions)
    ['main']
    """

    entry: str = "main"

    def transform(self, module: Module) -> Module:
        """Return the module without custom derivatives."""
        if not any(map(has_custom_derivative, module.functions.values())):
            return module
        plain = {name: without_derivatives(each) for name, each in module.functions.items()}
        return reached(module.with_functions(plain), self.entry)
