"""Tables of algebraic rules, grouped by topic."""
