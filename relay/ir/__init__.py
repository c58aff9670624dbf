"""Programs as data: dimensions, types, expressions, patterns, modules, and the ways to walk them."""
