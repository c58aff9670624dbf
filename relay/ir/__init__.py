"""Programs as data: dimensions, types, expressions, patterns, modules, and ways to walk them."""
