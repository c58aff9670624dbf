"""Map a program over a new axis by a loop that calls it for one element after the other.

That is how `vmap` maps a program in which the size of a value depends on mapped values, so that it
may differ between elements. The result must have the same size for all elements.
"""

from collections.abc import Collection, Iterator, Sequence

from relay.frontend.builders.collect_loop_outputs import Collection as Rows
from relay.frontend.builders.collect_loop_outputs import collecting
from relay.frontend.builders.counted_loops import at, size_of
from relay.frontend.python.captures.module_linking import linked
from relay.ir.alpha_rename import fresh_var
from relay.ir.dims import ANY, Dim
from relay.ir.expr import Call, Expr, Function, GlobalVar, Tuple, TupleGetItem, Var
from relay.ir.module import ENTRY, Module
from relay.ir.types import FuncType, TensorType, TupleType, Type, dimensions
from relay.semantics.infer import infer
from relay.support.node import replace
from relay.transform.vmap import batched_type


def has_row_loop(module: Module, shared: Collection[int]) -> bool:
    """Whether a loop can compute a mapped program.

    Its mapped parameters and its result consist of tensors, and the result has no unknown size.
    """
    ty = module.main.type
    assert isinstance(ty, FuncType), "functions are typed"
    mapped = [each for index, each in enumerate(ty.params) if index not in shared]
    batched = [batched_type(each, ANY) for each in (ty.result, *mapped)]
    return None not in batched and ANY not in dimensions(ty.result) and any(_tensors(*mapped))


def row_loop(module: Module, size: Dim, shared: Collection[int]) -> Module:
    """Return a program that computes `size` calls of the program `module`, one after the other.

    Except for the `shared` parameters, given by index, all parameters and results have a new
    leading axis.
    """
    functions = linked(module, "element", {ENTRY})
    ty = functions[name := next(iter(functions))].ty
    assert isinstance(ty, FuncType), "functions are typed"
    params = [
        fresh_var(each) if index in shared else _mapped(each, size)
        for index, each in enumerate(module.main.params)
    ]
    mapped = {each for index, each in enumerate(params) if index not in shared}
    count = size_of(next(tensor for each in params if each in mapped for tensor in _parts(each)), 0)

    def step(time: Expr, _: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
        args = tuple(_element(each, time) if each in mapped else each for each in params)
        return [*_parts(Call(GlobalVar(name, ty=ty), args, ty=ty.result))], None

    rows = [Rows(each, size, count) for each in _tensors(ty.result)]
    found = iter(collecting(count, None, [], [], rows, step))
    main = Function(tuple(params), _assembled(ty.result, found), span=module.main.span)
    return infer(replace(module, functions={**functions, ENTRY: main}))


def _mapped(param: Var, size: Dim) -> Var:
    ty = batched_type(param.type, size)
    return Var(param.name, ty, span=param.span, ty=ty)


def _tensors(*types: Type) -> Iterator[TensorType]:
    """Yield the types of the tensors in types; recursion follows tuples."""
    for ty in types:
        if isinstance(ty, TensorType):
            yield ty
        elif isinstance(ty, TupleType):
            yield from _tensors(*ty.fields)


def _parts(value: Expr) -> Iterator[Expr]:
    """Yield the tensors in a value."""
    if isinstance(value.type, TupleType):
        for index in range(len(value.type.fields)):
            yield from _parts(TupleGetItem(value, index))
    else:
        yield value


def _element(value: Expr, index: Expr) -> Expr:
    """Return the element of a mapped value at an index of the new axis."""
    if isinstance(value.type, TupleType):
        fields = range(len(value.type.fields))
        return Tuple(tuple(_element(TupleGetItem(value, each), index) for each in fields))
    return at(value, index)


def _assembled(ty: Type, parts: Iterator[Expr]) -> Expr:
    """Return a value of the structure of a type, from the tensors in it."""
    if isinstance(ty, TupleType):
        return Tuple(tuple(_assembled(each, parts) for each in ty.fields))
    return next(parts)
