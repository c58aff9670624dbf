"""The pass that replaces complex tensors by pairs of real ones."""

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar, cast

import numpy as np

from relay.ir.expr import Call, Constant, Expr, Function, GlobalVar, Let, Tuple, TupleGetItem, Var
from relay.ir.fresh_names import free_name
from relay.ir.module import ENTRY, Module
from relay.ir.types import (
    FuncType,
    GlobalTypeVar,
    TensorType,
    TupleType,
    Type,
    all_parts,
)
from relay.ir.types import children as type_parts
from relay.ir.walk import children, fold, post_order, rewrite, substitute, with_children
from relay.opdef.complex_rules import ComplexTensor, Operand, find_complex_rule, is_complex
from relay.opdef.definition import OperatorDef
from relay.ops.complex_numbers.operators import Complex, Imag, Real
from relay.ops.tensor.concat_and_split import Stack
from relay.ops.tensor.gather import Take
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError, RelayError
from relay.support.node import replace, value
from relay.support.span import Span
from relay.transform.pipeline import Pass
from relay.transform.rewrite_types import TypeRewriter, with_rewritten_types

INPUTS, RESULTS = "complex_inputs", "complex_results"
"""The attributes of the entry with the numbers of its inputs and results that are complex.

They are real tensors with a last axis of size 2 in the program.
"""


@value
class LowerComplex(Pass):
    """Replace every complex tensor by the tuple of its real and its imaginary part.

    1. The types of variables, functions, references, closures and data types are mapped; a constant
       becomes the tuple of its parts.
    2. A call of an operator on complex numbers becomes calls on the parts, by the operator's rule
       (`relay.opdef.complex_rules`).
    3. A complex parameter or result of the entry, alone or in tuples, becomes a real tensor with a
       last axis of size 2. The attributes `complex_inputs` and `complex_results` list them.
    4. With `keep_entry`, the entry keeps its type: only values inside of the program are replaced.
    5. A module without complex numbers is unchanged.

    Raises `C102` for an entry that takes or returns complex numbers in other types, such as lists.
    """

    keeps_results: ClassVar[bool] = False  # the entry takes and returns other tensors

    entry: str = ENTRY
    keep_entry: bool = False

    def transform(self, module: Module) -> Module:
        """Return the module without complex numbers, except at the entry if that is kept."""
        if not uses_complex(module):
            return module
        lowered = with_rewritten_types(module, _Parts())
        main = module.functions.get(self.entry)
        if main is None or lowered[self.entry].type == main.type:
            return lowered
        _require_tensors(main, module)
        return self._with_entry(lowered, main)

    def _with_entry(self, lowered: Module, main: Function) -> Module:
        """Return the module with an entry that converts its inputs and its result."""
        inner = lowered[self.entry]
        if any(_calls(each, self.entry) for each in lowered.functions.values()):
            name = free_name(f"{self.entry}_of_parts", lowered.functions)
            lowered = _renamed(lowered, self.entry, name)
            callee = GlobalVar(name, ty=inner.type)
            params = tuple(Var(param.name, param.type, ty=param.type) for param in inner.params)
            inner = replace(inner, params=params, body=Call(callee, params))
        kept = self.keep_entry
        params = [_entry_var(*pair, kept) for pair in zip(main.params, inner.params, strict=True)]
        opened = {
            old: _opened(new, given.type, kept)
            for old, new, given in zip(inner.params, params, main.params, strict=True)
            if old is not new
        }
        body = _closed(substitute(inner.body, dict[Var, Expr](opened)), main.body.type, kept)
        attrs = dict(inner.attrs) if kept else {**inner.attrs, **_numbers(main)}
        made = Function(
            tuple(params), body, body.type, inner.type_params, attrs=attrs, span=inner.span
        )
        return lowered.with_function(self.entry, made)


def uses_complex(module: Module) -> bool:
    """Whether a value or a field of a data type in the module is complex."""
    types = {expr.ty for expr in post_order(*module.functions.values()) if expr.ty is not None}
    fields = (ty for each in module.constructors().values() for ty in each.inputs)
    return any(map(is_complex, all_parts(*types, *fields)))


def on_parts(op: OperatorDef, args: Sequence[Expr]) -> Expr:
    """Return a call on complex numbers as calls on their parts, whose result is complex again."""
    opened = [_operand(_opened(x, x.type, kept=True), x.type) for x in args]
    result = op.result_type([x.type for x in args])
    assert result is not None, "the arguments are typed"
    return _joined(_expr(_on_operands(op, opened, None)), result, kept=True)


class _Parts(TypeRewriter):
    """The rewriter that replaces complex tensors by tuples of their parts."""

    def __init__(self) -> None:
        super().__init__(_mapped)

    def visit(self, expr: Expr, new: list[Expr]) -> Expr:
        """Return a node without complex numbers, given its rewritten children."""
        match expr:
            case Constant(data) if is_complex(expr.type):
                parts = (np.real(data).copy(), np.imag(data).copy())
                return Tuple(tuple(Constant(each, span=expr.span) for each in parts))
            case Call(OperatorDef() as op, args) if any(map(_has_complex, (expr, *args))):
                operands = [_operand(x, arg.type) for x, arg in zip(new[:-1], args, strict=True)]
                found = _expr(_on_operands(op, operands, expr.span))
                return _with_span(found, {*_leaves(*operands)}, expr.span)
            case Function() if expr.is_primitive and any(map(_has_complex, expr.params)):
                made = self.literal(expr, new[-1])  # a kernel takes no tuples
                rest = {k: each for k, each in made.attrs.items() if k != "Primitive"}
                return replace(made, attrs=rest)
            case _:
                made = super().visit(expr, new)
                if expr.ty is None or made.ty is not expr.ty:
                    return made
                return replace(made, ty=self.type(expr.ty))  # as a constructor without fields


def _on_operands(op: OperatorDef, operands: Sequence[Operand], span: Span | None) -> Operand:
    rule = find_complex_rule(op)
    assert rule is not None, f"{op.name} takes no complex numbers, says its type"
    try:
        return rule(*operands)
    except RelayError as error:
        raise error.at(span) from None


def _mapped(ty: Type) -> Type | None:
    if not isinstance(ty, TensorType) or not ty.dtype.is_complex:
        return None
    part = TensorType(ty.shape, ty.dtype.part)
    return TupleType((part, part))


def _has_complex(expr: Expr) -> bool:
    return is_complex(expr.ty)


def _operand(x: Expr, ty: Type) -> Operand:
    """Return a rewritten argument, whose original type is `ty`, as an operand of a rule."""
    if not is_complex(ty):
        return x
    if isinstance(ty, TupleType):
        fields = (_operand(_field(x, i), each) for i, each in enumerate(ty.fields))
        return cast("tuple[Expr | ComplexTensor, ...]", tuple(fields))
    return ComplexTensor(_field(x, 0), _field(x, 1))


def _field(x: Expr, index: int) -> Expr:
    return x.fields[index] if isinstance(x, Tuple) else TupleGetItem(x, index, span=x.span)


def _expr(found: Operand) -> Expr:
    match found:
        case ComplexTensor():
            return Tuple(found.parts)
        case tuple():
            return Tuple(tuple(map(_expr, found)))
        case _:
            return found


def _leaves(*operands: Operand) -> Iterator[Expr]:
    for each in operands:
        match each:
            case ComplexTensor():
                yield from each.parts
            case tuple():
                yield from _leaves(*each)
            case _:
                yield each


def _with_span(root: Expr, known: set[Expr], span: Span | None) -> Expr:
    """Return an expression whose calls have the span, down to those that were `known` before."""

    def edges(expr: Expr) -> tuple[Expr, ...]:
        return () if expr in known else children(expr)

    def visit(expr: Expr, new: list[Expr]) -> Expr:
        made = with_children(expr, new) if new else expr
        is_new = isinstance(made, Call) and made.span is None and expr not in known
        return replace(made, span=span) if is_new else made

    return root if span is None else fold(root, visit, edges=edges)


# The entry


def _require_tensors(main: Function, module: Module) -> None:
    """Raise `C102` for complex numbers in parameters or results that are not tensors or tuples."""
    for what, ty in [
        *((f"'{p.name}'", p.type) for p in main.params),
        ("the result", _result(main)),
    ]:
        others = (each for each in _leaf_types(ty) if not isinstance(each, TensorType))
        if any(_holds_complex(each, module) for each in others):
            raise CompileError(
                ErrorCode.C102,
                f"{what} of type {ty!r} contains complex numbers, which only tensors and tuples"
                " of tensors can pass into or out of a compiled program",
                span=main.span,
                help="pass the real and the imaginary part as two tensors",
            )


def _holds_complex(ty: Type, module: Module) -> bool:
    def inner(part: Type) -> Iterable[Type]:
        if isinstance(part, GlobalTypeVar) and part.name in module.types:
            constructors = module.types[part.name].constructors
            return (field for each in constructors for field in each.inputs)
        return type_parts(part)

    return any(map(is_complex, all_parts(ty, inner=inner)))


def _leaf_types(ty: Type) -> Iterator[Type]:
    if isinstance(ty, TupleType):
        for field in ty.fields:
            yield from _leaf_types(field)
    else:
        yield ty


def _result(main: Function) -> Type:
    return cast("FuncType", main.type).result


def _numbers(main: Function) -> dict[str, tuple[int, ...]]:
    """Return the attributes with the numbers of complex inputs and results, tuples flattened."""
    inputs = [each for param in main.params for each in _leaf_types(param.type)]
    results = _leaf_types(_result(main))
    return {
        name: tuple(i for i, ty in enumerate(types) if is_complex(ty))
        for name, types in ((INPUTS, inputs), (RESULTS, results))
    }


def _calls(function: Function, name: str) -> bool:
    return any(isinstance(e, GlobalVar) and e.name == name for e in post_order(function))


def _renamed(module: Module, name: str, new: str) -> Module:
    """Return a module in which a function has another name."""

    def rule(expr: Expr) -> Expr:
        is_it = isinstance(expr, GlobalVar) and expr.name == name
        return replace(expr, name=new) if is_it else expr

    functions = {
        new if key == name else key: cast("Function", rewrite(function, rule, edges=children))
        for key, function in module.functions.items()
    }
    return replace(module, functions={**functions, name: functions[new]})


def _entry_var(given: Var, inner: Var, kept: bool) -> Var:
    """Return the parameter of the entry for an inner one, whose original was `given`."""
    ty = _entry_type(given.type, kept)
    return inner if ty is inner.type else Var(given.name, ty, span=given.span, ty=ty)


def _entry_type(ty: Type, kept: bool) -> Type:
    match ty:
        case TensorType(shape, dtype) if dtype.is_complex and not kept:
            return TensorType((*shape, 2), dtype.part)
        case TupleType(fields):
            return TupleType(tuple(_entry_type(field, kept) for field in fields))
        case _:
            return ty


def _opened(x: Expr, ty: Type, kept: bool) -> Expr:
    """Return a value of the entry, originally of type `ty`, with tuples for complex tensors."""
    if isinstance(ty, TupleType):
        fields = enumerate(ty.fields)
        return Tuple(tuple(_opened(TupleGetItem(x, i), each, kept) for i, each in fields))
    if not is_complex(ty):
        return x
    if kept:
        return Tuple((Call(Real(), (x,)), Call(Imag(), (x,))))
    parts = (Constant(np.array(part, np.int64)) for part in (0, 1))
    return Tuple(tuple(Call(Take(axis=-1), (x, part)) for part in parts))


def _closed(x: Expr, ty: Type, kept: bool) -> Expr:
    """Return a result of the entry, originally of type `ty`, from a value inside of it."""
    if not any(map(is_complex, _leaf_types(ty))):
        return x
    if isinstance(x, Tuple):
        return _joined(x, ty, kept)
    var = Var("result", x.type, ty=x.type)
    return Let(var, x, _joined(var, ty, kept), span=x.span)


def _joined(x: Expr, ty: Type, kept: bool) -> Expr:
    if is_complex(ty) and isinstance(ty, TensorType):
        parts = (_field(x, 0), _field(x, 1))
        return Call(Complex(), parts) if kept else Call(Stack(-1), (Tuple(parts),))
    if not isinstance(ty, TupleType):
        return x
    return Tuple(tuple(_joined(_field(x, i), each, kept) for i, each in enumerate(ty.fields)))
