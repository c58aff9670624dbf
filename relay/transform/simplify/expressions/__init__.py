"""Tables of algebraic rules, by what they are about."""
