"""Values that each form of data has in its own way, such as what its method gives."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from relay.frontend.python.conversion import Conversion
from relay.frontend.python.stopping import stopped
from relay.frontend.python.values import Value
from relay.ir.expr import Constructor, Expr, Let, Var
from relay.ir.patterns import Clause, Match, PatternConstructor, PatternWildcard
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.span import Span

_Found = TypeVar("_Found")


def by_form(
    convert: Conversion,
    whole: Expr,
    forms: Mapping[Constructor, _Found | None],
    value: Callable[[_Found, Expr], Value],
    name: str,
    span: Span,
) -> Value:
    """Return what data has behind a point, by its form; a form that has None stops the program.

    Raises `F132` where no form has it, and `F113` where the forms have no type in common.
    """
    known = {form: found for form, found in forms.items() if found is not None}
    if not known:
        head = next(iter(forms)).belongs_to
        raise mistake(
            ErrorCode.F132, f"{head} has no {name}", span, f"define {name} in each of its classes"
        )
    if len(forms) == 1:
        return value(next(iter(known.values())), whole)
    var = whole if isinstance(whole, Var) else Var("data", whole.ty)
    values = [value(found, var) for found in known.values()]
    exprs = dict(zip(known, convert.joined(name, values, span), strict=True))
    ty = next(iter(exprs.values())).type

    def clause(form: Constructor) -> Clause:
        why = f"AttributeError: {form.name} has no attribute {name}"
        pattern = PatternConstructor(form, tuple(PatternWildcard() for _ in form.inputs))
        return Clause(pattern, exprs[form] if form in exprs else stopped(ty, why, span))

    chosen = Match(var, tuple(map(clause, forms)), ty=ty, span=span)
    if var is whole:
        return chosen
    convert.unit.memory.note(var, whole)
    return Let(var, whole, chosen, span=span)
