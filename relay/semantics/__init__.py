"""The semantics of programs: type inference, well-formedness, and the reference evaluator."""
