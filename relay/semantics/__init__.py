"""What programs mean: type inference, well-formedness, and the reference evaluator."""
