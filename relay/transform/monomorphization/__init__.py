"""Helpers of `Monomorphize`, which copies generic functions and types for their type arguments."""
