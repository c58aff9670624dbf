"""TVM's `tvm.runtime.executor`: the runner of a library that is one native function.

>>> from relay.runtime.executor import AotModule
>>> model = AotModule(library["default"](relay.cpu()))  # doctest: +SKIP
"""

from relay.runtime.graph_executor import GraphModule

AotModule = GraphModule
"""The same class, because the graph executor also runs one native function."""
