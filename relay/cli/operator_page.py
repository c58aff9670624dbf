"""Write the documentation page of an operator, from its class and derived facts."""

import inspect
from collections.abc import Iterator, Sequence

from relay.cli.names_elsewhere import names_elsewhere
from relay.ir.expr import Expr, Function, Operator, Var
from relay.kernels.passes.printer import text as loops_text
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.support.errors import RelayError
from relay.testing.compile_operator import plain_kernel
from relay.testing.derivative_laws import first_derivatives
from relay.testing.element_types import accepted_types, in_words
from relay.testing.operator_laws import instance, result_type
from relay.text.printer import text_of

_EXAMPLES = 4
_LONGEST = 40  # lines of a program on a page


def page(name: str, cls: type[Operator], signature: str, facts: Sequence[tuple[str, str]]) -> str:
    """Return the page of an operator in Markdown.

    It has the signature, what the operator does, the accepted element types, other `facts`, the
    names in ONNX, examples with the types of their results, the formula as loops or as
    smaller operators, and the derivative.
    """
    parts = [f"# {name}", _code(f"{name}({signature})"), inspect.getdoc(cls) or ""]
    rows = [*_types(cls), *facts, *_names(name)]
    parts.append("\n".join(f"- {title}: {content}" for title, content in rows))
    if issubclass(cls, OperatorDef) and cls.examples:
        parts += ["## Examples", _code("\n".join(_calls(name, cls)))]
        parts += _formula(cls)
        parts += _derivative(cls)
    return "\n\n".join(parts) + "\n"


def _code(lines: str) -> str:
    return f"```\n{lines.rstrip()}\n```"


def _types(cls: type[Operator]) -> Iterator[tuple[str, str]]:
    """Yield the accepted element types of the arguments."""
    if issubclass(cls, OperatorDef):
        for names, accepted in accepted_types(cls).items():
            yield f"element types of {', '.join(names)}", in_words(accepted)


def _names(name: str) -> Iterator[tuple[str, str]]:
    """Yield the operators of other frameworks that are translated to this one."""
    for framework, found in names_elsewhere(name):
        yield f"in {framework}", ", ".join(found)


def _calls(name: str, cls: type[OperatorDef]) -> Iterator[str]:
    """Yield the operator's examples as calls, with the types of their results."""
    for example in cls.examples[:_EXAMPLES]:
        given = [text_of(ty) for ty in example.types]
        given += [f"{key}={value!r}" for key, value in example.attributes.items()]
        result = result_type(instance(cls, example), example.types)
        yield f"{name}({', '.join(given)}) -> {text_of(result)}"


def _formula(cls: type[OperatorDef]) -> Iterator[str]:
    """Yield the definition of the operator for its first example: smaller operators, or loops."""
    example = cls.examples[0]
    op = instance(cls, example)
    if cls.has("decompose"):
        args = _variables(cls, example)
        yield "## Parts"
        yield _program(args, op.decompose(*args))
    elif cls.has("compute"):
        yield "## Formula"
        yield _shortened(loops_text(plain_kernel(op, example.types)))


def _derivative(cls: type[OperatorDef]) -> Iterator[str]:
    """Yield the derivatives for the first example that has any, or why there are none."""
    yield "## Derivative"
    if cls.undifferentiable:
        yield f"There is none, because {cls.undifferentiable}."
        return
    for example in cls.examples:
        op = instance(cls, example)
        result = result_type(op, example.types)
        args = [*_variables(cls, example), Var("d_out", result)]
        try:
            found = first_derivatives(op, args[:-1], args[-1])
        except RelayError:
            continue
        parts = [(arg, each) for arg, each in zip(args, found, strict=False) if each is not None]
        if parts:
            for arg, each in parts:
                yield f"By `{arg.name}`:"
                yield _program(args, each)
            return
    yield "It is zero."


def _variables(cls: type[OperatorDef], example: Example) -> list[Var]:
    return [Var(name, ty) for name, ty in zip(cls.arguments(), example.types, strict=True)]


def _program(params: Sequence[Var], body: Expr) -> str:
    return _shortened(text_of(Function(tuple(params), body), metadata=False))


def _shortened(lines: str) -> str:
    kept = lines.splitlines()
    rest = len(kept) - _LONGEST
    return _code("\n".join([*kept[:_LONGEST], *([f"… {rest} more lines"] if rest > 0 else [])]))
