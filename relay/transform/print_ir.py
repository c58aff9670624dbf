"""The pass that prints a program between other passes."""

from relay.ir.module import Module
from relay.support.node import value
from relay.transform.instruments import print_module
from relay.transform.pipeline import Pass


@value
class PrintIR(Pass):
    """Print the module to the standard output, after the comment `header`; leave it unchanged."""

    header: str = "PrintIR"
    show_meta_data: bool = False

    def transform(self, module: Module) -> Module:
        """Print the module, and return it unchanged."""
        print_module(module, self.header, show_meta_data=self.show_meta_data)
        return module
