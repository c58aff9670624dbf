"""Random programs that may trap, because clauses of matches are missing."""

from relay.ir.expr import Expr, Function
from relay.ir.match_patterns import Match
from relay.ir.walk import post_order, rewrite
from relay.prelude import library
from relay.semantics.infer import infer
from relay.support.node import replace
from relay.text.parser import parse_module
from relay.text.printer import text_of
from tools.fuzzing.programs.choices import Choices
from tools.fuzzing.programs.program import Program


def without_clauses(program: Program, choices: Choices) -> Program:
    """Return the program without one clause in some matches.

    A match with a single clause is unchanged. The program is parsed from its text, so that
    every match has a source location.
    """
    module = infer(parse_module(text_of(program.module), library=library))

    def rule(expr: Expr) -> Expr:
        if not isinstance(expr, Match) or len(expr.clauses) < 2 or not choices.chance(2):
            return expr
        gone = choices.below(len(expr.clauses))
        kept = expr.clauses[:gone] + expr.clauses[gone + 1 :]
        return replace(expr, clauses=kept, complete=False)

    functions: dict[str, Function] = {}
    for name, function in module.functions.items():
        other = rewrite(function, rule)
        assert isinstance(other, Function), "a function stays one"
        functions[name] = other
    return Program(infer(module.with_functions(functions)), program.inputs)


def can_stop(program: Program) -> bool:
    """Whether a match of the program may fail, so that the program traps."""
    nodes = post_order(*program.module.functions.values())
    return any(isinstance(each, Match) and not each.complete for each in nodes)
