"""Elementary functions as inlined polynomials in LLVM text, for scalars and vectors."""
