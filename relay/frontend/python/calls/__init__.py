"""What rewritten code calls: control flow, matches, functions, methods and members."""
