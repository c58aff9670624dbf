"""What programs mean: type inference, exhaustiveness, well-formedness, and the reference evaluator."""
