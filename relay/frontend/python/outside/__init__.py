"""What is outside of a function: arrays that are inputs or constants, and other modules."""
