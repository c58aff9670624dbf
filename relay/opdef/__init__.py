"""Operator definitions: the rules that an operator may have, and the table of operators."""
