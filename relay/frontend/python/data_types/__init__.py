"""Types: annotations, data classes as algebraic data types, and patterns of them."""
