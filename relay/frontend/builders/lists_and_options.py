"""Represent sequences as lists, and optional values as options, of the standard library.

A sequence literal is a chain of `Cons` that translations inspect, so that operations on it cost
nothing at run time. An empty sequence has no type before the first insertion: it is a `Nil` without
type arguments, and an option without a type is `None`.
"""

from collections.abc import Callable, Sequence

from relay.ir.expr import (
    Call,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    Var,
)
from relay.ir.match_patterns import (
    Clause,
    Match,
    PatternConstructor,
    PatternVar,
)
from relay.ir.type_comparison import join
from relay.ir.types import GlobalTypeVar, Type, TypeCall
from relay.prelude.standard_library import library

LIST, OPTION = GlobalTypeVar("List"), GlobalTypeVar("Option")


def constructor(name: str) -> Constructor:
    """Return a constructor of the standard library: `Cons`, `Nil`, `Some` or `None`."""
    return library("prelude.rly").constructors()[name]


def library_call(name: str, args: Sequence[Expr], *types: Type) -> Expr:
    """Return a call of the generic function `name` of the standard library.

    `types` are its type arguments.
    """
    function = GlobalVar(name, ty=library("prelude.rly")[name].ty)
    return Call(function, tuple(args), types)


def list_of(items: Sequence[Expr]) -> Expr:
    """Return a list literal of `items`; sizes in which the items differ become `Any`.

    Raises `ValueError` if the items have no common type.
    """
    if not items:
        return Call(constructor("Nil"), ())
    element: Type | None = items[0].type
    for item in items[1:]:
        element = None if element is None else join(element, item.type)
    if element is None:
        raise ValueError(
            "the elements of a sequence must have one type, but have the types "
            f"{', '.join(repr(item.type) for item in items)}"
        )
    return _chain(items, element)


def prepended(item: Expr, items: Expr, element: Type) -> Expr:
    """Return the list `items`, of `element` type, with `item` prepended."""
    return Call(constructor("Cons"), (item, items), (element,))


def known_items(sequence: Expr) -> list[Expr] | None:
    """Return the elements of a list literal, or None for a list computed at run time."""
    items: list[Expr] = []
    while True:
        match sequence:
            case Call(Constructor("Cons"), (head, rest)):
                items.append(head)
                sequence = rest
            case Call(Constructor("Nil")):
                return items
            case _:
                return None


def element_of(sequence: Expr) -> Type:
    """Return the element type of a list; raises `ValueError` if it is unknown."""
    match sequence.ty:
        case TypeCall(head, (element,)) if head is LIST:
            return element
        case ty:
            raise ValueError(f"expected a sequence whose element type is known, not {ty!r}")


def option_of(value: Expr) -> Expr:
    """Return an option that contains `value`: `Some(value)`."""
    return Call(constructor("Some"), (value,), (value.type,))


def no_option(content: Type | None) -> Expr:
    """Return an empty option, `None`, for contents of type `content` (None: without a type)."""
    return Call(constructor("None"), (), () if content is None else (content,))


def is_option(expr: Expr) -> bool:
    """Whether an expression has an option type."""
    match expr.ty:
        case TypeCall(head):
            return head is OPTION
        case ty:
            return ty is None


def opened(option: Expr, with_value: Callable[[Expr], Expr], without: Expr | None) -> Expr:
    """Return `with_value` applied to an option's content; `without` if the option is empty.

    If `without` is None, an empty option traps.
    """
    match option:
        case Call(Constructor("Some"), (known,)):
            return with_value(known)
        case Call(Constructor("None")) if without is not None:
            return without
        case _:
            pass
    assert isinstance(option.type, TypeCall)
    x = Var("x", option.type.args[0])
    some = Clause(PatternConstructor(constructor("Some"), (PatternVar(x),)), with_value(x))
    none = [] if without is None else [Clause(PatternConstructor(constructor("None")), without)]
    return Match(option, (some, *none), complete=without is not None, span=option.span)


def common_type(a: Type | None, b: Type | None) -> Type | None:
    """Return the most specific type that both `a` and `b` convert to; None counts as any type."""
    if a is None or b is None:
        return a or b
    return join(a, b)


def as_type(expr: Expr, wanted: Type) -> Expr:
    """Return a list or an option converted to the more general type `wanted`.

    Tensors are returned unchanged.
    """
    if expr.ty is wanted or not isinstance(wanted, TypeCall):
        return expr
    (content,) = wanted.args
    items = known_items(expr)
    match expr:
        case _ if items is not None:
            return _chain([as_type(item, content) for item in items], content)
        case Call(Constructor("None")):
            return no_option(content)
        case _ if wanted.head is OPTION:
            some = constructor("Some")
            return opened(
                expr, lambda x: Call(some, (as_type(x, content),), (content,)), no_option(content)
            )
        case _:
            x = Var("x", element_of(expr))
            wider = Function((x,), as_type(x, content), content)
            return library_call("map", (wider, expr), element_of(expr), content)


def _chain(items: Sequence[Expr], element: Type) -> Expr:
    result: Expr = Call(constructor("Nil"), (), (element,))
    for item in reversed(items):
        result = prepended(item, result, element)
    return result
