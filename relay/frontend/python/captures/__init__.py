"""Values that functions read from outside: arrays, which are inputs or constants, and modules."""
