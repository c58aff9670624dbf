"""Newton's iteration for cube roots: a loop whose condition depends on the values."""
