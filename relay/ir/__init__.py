"""The IR: dimensions, types, expressions, patterns, modules, and traversals over them."""
