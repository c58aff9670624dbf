"""Tables of algebraic rewrite rules, grouped by topic."""
