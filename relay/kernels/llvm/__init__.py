"""LLVM code generation: lowering of loops to LLVM IR, and compilation of this IR to objects."""
