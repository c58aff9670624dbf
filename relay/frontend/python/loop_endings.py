"""The `else` of a loop that breaks or continues the loop around it: a choice behind the loop.

Written out, the loop becomes one that has a variable more:

    for j in range(i):           ended = True
        if x[j] > 2.0:           for j in range(i):
            break                    if x[j] > 2.0:
    else:                                ended = False
        continue                         break
                                 if ended:
                                     continue
"""

import ast
from collections.abc import Sequence
from copy import copy

from relay.frontend.python.analysis import breaks


def without_else(at: ast.For | ast.While) -> list[ast.stmt]:
    """Return a loop without `else`, and behind it what does the same; `at` stays as it is."""
    ended, loop = f"{at.lineno}:{at.col_offset}:ended", copy(at)
    loop.body, loop.orelse = _noted(at.body, ended), []
    if not breaks(at.body):
        return [loop, *at.orelse]
    test = ast.copy_location(ast.Name(ended, ast.Load()), at)
    choice = ast.copy_location(ast.If(test, at.orelse, []), at)
    return [_note(ended, True, at), loop, choice]


def _noted(statements: Sequence[ast.stmt], ended: str) -> list[ast.stmt]:
    """Return statements that note before each `break` of their loop that it did not end.

    Recursion follows their nesting; of a loop inside, only the `else` belongs to the one around.
    """
    found: list[ast.stmt] = []
    for at in statements:
        made = copy(at)
        match made:
            case ast.Break():
                found.append(_note(ended, False, at))
            case ast.If(body=body, orelse=orelse):
                made.body, made.orelse = _noted(body, ended), _noted(orelse, ended)
            case ast.Match(cases=cases):
                rows = ((each, _noted(each.body, ended)) for each in cases)
                made.cases = [ast.match_case(each.pattern, each.guard, body) for each, body in rows]
            case ast.While(orelse=orelse) | ast.For(orelse=orelse):
                made.orelse = _noted(orelse, ended)
            case _:
                pass
        found.append(made)
    return found


def _note(name: str, value: bool, at: ast.stmt) -> ast.stmt:
    target, content = ast.Name(name, ast.Store()), ast.Constant(value)
    for made in (target, content):
        ast.copy_location(made, at)
    return ast.copy_location(ast.Assign([target], content), at)
