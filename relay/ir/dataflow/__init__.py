"""Dataflow patterns: shapes of expressions that programs are searched for."""
