"""The intermediate representation: types, expressions, patterns, modules, and their traversals."""
