"""Source locations of the fields of data classes."""

import ast
import inspect
import linecache

from relay.frontend.python.rewriting.source_locations import Code
from relay.support.span import Source, Span


def field_span(cls: type, field: str) -> Span | None:
    """Return the location of a field's annotation; None if the source is not available."""
    owner = next(each for each in cls.__mro__ if field in vars(each).get("__annotations__", {}))
    try:
        name = inspect.getsourcefile(owner) or ""
        first, text = inspect.getsourcelines(owner)[1], "".join(linecache.getlines(name))
    except (OSError, TypeError):
        return None
    for definition in ast.walk(ast.parse(text, name)):
        if isinstance(definition, ast.ClassDef) and definition.name == owner.__name__:
            lines = [definition.lineno, *(each.lineno for each in definition.decorator_list)]
            if min(lines) == first:
                return _declared(definition, field, Code(Source(name, text)))
    return None


def _declared(definition: ast.ClassDef, field: str, code: Code) -> Span | None:
    for each in definition.body:
        match each:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation) if name == field:
                return code.span(annotation)
            case _:
                pass
    return None
