"""Elementary functions as inlined polynomials, on scalars and vectors alike."""
