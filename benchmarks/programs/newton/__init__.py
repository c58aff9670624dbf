"""Newton's iteration for cube roots: a loop that ends when the values say so."""
