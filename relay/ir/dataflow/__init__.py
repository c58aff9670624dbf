"""Dataflow patterns, and searching programs for the expressions that match them."""

from relay.ir.dataflow.expression_patterns import TupleGetItemPattern, is_constant
from relay.ir.dataflow.matching import Found
from relay.ir.dataflow.patterns import DFPattern, operators, wildcard

__all__ = ["DFPattern", "Found", "TupleGetItemPattern", "is_constant", "operators", "wildcard"]
