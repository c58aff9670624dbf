"""Elementary functions as inlined polynomials, for scalars and vectors."""
