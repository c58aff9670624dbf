"""Compile models of other frameworks in one step, and run Relay programs in frameworks."""
