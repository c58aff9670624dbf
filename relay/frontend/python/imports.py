"""Imports inside of a function: Python itself carries them out, when the function is translated."""

import ast

from relay.frontend.python.operations import outside
from relay.frontend.python.scope import Scope
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode


def bring_in(at: ast.Import | ast.ImportFrom, scope: Scope) -> None:
    """Add what an import names to a scope; raises `F108` for what cannot be imported."""
    span, home = scope.span(at), dict(scope.outside)
    names = [each.asname or each.name.partition(".")[0] for each in at.names]
    module = ast.Module([at], type_ignores=[])
    try:
        exec(compile(module, span.source.name, "exec"), home)  # noqa: S102 - the user's own import
    except (ImportError, AttributeError) as error:
        raise mistake(
            ErrorCode.F108, str(error), span, "check the spelling, or install it"
        ) from None
    for name in names:
        scope.names[name] = scope.memory.lent(outside(home[name], span))
