"""What Relay uses of llvmlite 0.50, which annotates nothing itself.

Two halves: `ir` builds text in pure Python, `binding` hands it to LLVM. Only public names that we
rely on are here, with the types that the library accepts and returns.
"""

__version__: str
ir_layer_typed_pointers_enabled: bool
