"""What Relay uses of llvmlite 0.50, which annotates nothing itself.

Only `binding` is here: Relay writes LLVM text by its own means, and has it compiled.
"""

__version__: str
