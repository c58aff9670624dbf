"""The pass that replaces calls of global functions by their bodies (inlining)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast

from relay.ir.alpha_rename import fresh_dims, with_fresh_variables
from relay.ir.analysis.call_graph import CallGraph
from relay.ir.attribute_dims import attribute_dims
from relay.ir.custom_derivatives import has_custom_derivative
from relay.ir.dims import ANY, DimVar
from relay.ir.expr import Call, Expr, Function, GlobalVar, Let, Operator, Var
from relay.ir.match_dims import dims_match, match_dims
from relay.ir.module import Module
from relay.ir.types import Type
from relay.ir.walk import outside_kernels, post_order, rewrite
from relay.support.errors import RelayTypeError
from relay.support.node import node, value
from relay.transform.pipeline import Pass, is_optimizable
from relay.transform.remarks import InlineObstacle, NotInlined, recorder
from relay.transform.specialize_sizes import substitute_sizes


@value
class Inline(Pass):
    """Replace calls of global functions by their bodies.

    1. A call of a function that is neither recursive nor generic becomes its body, with its
       arguments bound by `let`, if the function has at most `limit` nodes, has only one call, or
       has the attribute `Inline`. A call is kept if the function has a custom derivative, or if the
       argument types do not match the parameter types, or do not determine the dimensions that
       operators or functions in the body need: the call then checks and binds the sizes.
    2. Each copy binds fresh variables. Dimensions in it are replaced by the sizes of the arguments;
       dimensions that the arguments do not determine are renamed.
    3. Functions without remaining calls are dropped, except the entry.

    With `only_marked`, functions without the attribute `Inline` are neither inlined nor dropped.
    """

    limit: int = 40
    only_marked: bool = False
    entry: str = "main"

    def transform(self, module: Module) -> Module:
        """Return the module with callees inlined into their callers, the innermost first."""
        graph = CallGraph(module)
        bodies: dict[str, _Body] = {}
        new: dict[str, Function] = {}
        obstacles: dict[str, InlineObstacle | None] = {}
        for name in graph.callees_first():
            function = module[name]
            inlined = _inlined(function, bodies) if is_optimizable(function) else function
            new[name] = inlined
            if name == self.entry:
                continue
            obstacles[name] = self._obstacle(inlined, graph, name)
            if obstacles[name] is None:
                bodies[name] = _body(inlined)
        _record(new.values(), obstacles)
        if not bodies:
            return module
        changed = module.with_functions({name: new[name] for name in module.functions})
        kept = {self.entry, *CallGraph(changed).reachable(self.entry)}
        if self.only_marked:
            kept |= changed.functions.keys() - bodies.keys()
        return changed.with_functions({n: f for n, f in changed.functions.items() if n in kept})

    def _obstacle(self, function: Function, graph: CallGraph, name: str) -> InlineObstacle | None:
        if graph.is_recursive(name):
            return InlineObstacle.RECURSIVE
        if function.type_params:
            return InlineObstacle.GENERIC
        if has_custom_derivative(function):
            return InlineObstacle.DERIVATIVE
        if not is_optimizable(function):
            return InlineObstacle.EXTERNAL
        if function.is_primitive:
            return InlineObstacle.KERNEL
        if function.attrs.get("Inline"):
            return None
        if self.only_marked:
            return InlineObstacle.UNMARKED
        is_small = len(post_order(function.body, edges=outside_kernels)) <= self.limit
        return None if is_small or graph.ref_count(name) == 1 else InlineObstacle.LARGE


def _record(functions: Iterable[Function], obstacles: Mapping[str, InlineObstacle | None]) -> None:
    """Record a remark for each remaining call of a named function: why it was not inlined.

    `obstacles` has the reason for each global function.
    """
    remarks = recorder()
    if remarks is None:
        return
    order = post_order(*functions, edges=outside_kernels)
    local = dict(_local_functions(order))
    for expr in order:
        match expr:
            case Call(GlobalVar(name)) if name in obstacles:
                obstacle = obstacles[name] or InlineObstacle.SIZES
                remarks.append(NotInlined(expr.span, name, obstacle))
            case Call(Var(name) as var) if var in local:
                remarks.append(NotInlined(expr.span, name, local[var], local=True))
            case _:
                pass


def _local_functions(order: Iterable[Expr]) -> Iterator[tuple[Var, InlineObstacle]]:
    """Yield the variables of local functions with the reason for which they are not inlined."""
    for expr in order:
        match expr:
            case Let(var, Function() as value) if not value.is_primitive:
                is_recursive = var in post_order(value, edges=outside_kernels)
                yield var, InlineObstacle.RECURSIVE if is_recursive else InlineObstacle.LOCAL
            case _:
                pass


@node
class _Body:
    """A function to be inlined, and the dimensions of its parameters that its body needs."""

    function: Function
    names: frozenset[DimVar]


def _body(function: Function) -> _Body:
    names: set[DimVar] = set()
    for expr in post_order(function.body, edges=outside_kernels):
        match expr:
            case Call(Operator() as op):
                names |= attribute_dims(op)
            case Function() as inner:
                names |= inner.dim_params
            case _:
                pass
    return _Body(function, function.dim_params & names)


def _inlined(function: Function, bodies: dict[str, _Body]) -> Function:
    def rule(expr: Expr) -> Expr:
        match expr:
            case Call(GlobalVar(name), args) if name in bodies and _fits(bodies[name], args):
                copy = _with_sizes(with_fresh_variables(bodies[name].function), args)
                if copy is None:
                    return expr
                result = copy.body
                for param, arg in reversed(list(zip(copy.params, args, strict=True))):
                    result = Let(param, arg, result, span=expr.span, ty=result.ty)
                return result
            case _:
                return expr

    return cast("Function", rewrite(function, rule))


def _fits(body: _Body, args: Sequence[Expr]) -> bool:
    """Whether inlining needs no size checks and the arguments determine all needed dimensions."""
    types = _types(body.function, args)
    matched = match_dims(*types)
    return dims_match(*types) and all(matched.get(name, ANY) is not ANY for name in body.names)


def _with_sizes(function: Function, args: Sequence[Expr]) -> Function | None:
    """Return a function with its dimensions replaced by the sizes of the arguments.

    Dimensions that the arguments do not determine, such as those of lists or lets, are renamed in
    each copy. The result is None if the sizes cause a type error in the body: the call is kept, and
    traps if it is evaluated.
    """
    found = fresh_dims(function) | match_dims(*_types(function, args))
    try:
        return substitute_sizes(function, found)
    except RelayTypeError:
        return None


def _types(function: Function, args: Sequence[Expr]) -> tuple[list[Type], list[Type]]:
    return [param.type for param in function.params], [arg.type for arg in args]
