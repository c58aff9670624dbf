"""Map a program over a new axis by a loop that calls it for one element after the other.

That is how `vmap` maps a program in which the size of a value depends on mapped values, so that it
may differ between elements. The result must have the same size for all elements, which is checked
for each element if it is not known before.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from relay.frontend.builders.collect_loop_outputs import Collection as Rows
from relay.frontend.builders.collect_loop_outputs import collecting
from relay.frontend.builders.counted_loops import at, size_of
from relay.frontend.builders.tensors import constant, reshape
from relay.frontend.python.captures.module_linking import linked
from relay.frontend.python.values.traps import stopped_unless
from relay.ir.alpha_rename import fresh_var
from relay.ir.dims import ANY, Dim
from relay.ir.expr import Call, Expr, Function, GlobalVar, If, Tuple, TupleGetItem, Var
from relay.ir.module import ENTRY, Module
from relay.ir.types import FuncType, TensorType, TupleType, Type
from relay.ops.comparison import equal
from relay.ops.creation import Ones, Zeros
from relay.ops.max_min_reductions import All
from relay.ops.selection import Where
from relay.ops.tensor.one_hot_and_shape_of import ShapeOf
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.scatter import ScatterND
from relay.ops.tensor.slice import StridedSlice
from relay.semantics.infer import infer
from relay.support.dtype import int64
from relay.support.node import replace
from relay.support.span import Span
from relay.transform.vmap import batched_type

_ANOTHER_SIZE = (
    "the result of the mapped function has another size for this element than for the one before; "
    "return a sum or another value of known size, or the whole array and a mask: "
    "np.where(x > 0, x, 0.0), x > 0"
)


def has_row_loop(module: Module, shared: Collection[int]) -> bool:
    """Whether a loop can compute a mapped program.

    Its mapped parameters and its result consist of tensors.
    """
    ty = module.main.type
    assert isinstance(ty, FuncType), "functions are typed"
    mapped = [each for index, each in enumerate(ty.params) if index not in shared]
    batched = [batched_type(each, ANY) for each in (ty.result, *mapped)]
    return None not in batched and any(_tensors(*mapped))


def row_loop(module: Module, size: Dim, shared: Collection[int], span: Span | None) -> Module:
    """Return a program that computes `size` calls of the program `module`, one after the other.

    Except for the `shared` parameters, given by index, all parameters and results have a new
    leading axis. The program traps if a result has another size than that of the element before;
    `span` is the place of a value whose size depends on mapped values.
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

    rows = [_Rows(each, size, count, span=span) for each in _tensors(ty.result)]
    found = iter(collecting(count, None, [], [], rows, step))
    main = Function(tuple(params), _assembled(ty.result, found), span=module.main.span)
    return infer(replace(module, functions={**functions, ENTRY: main}))


@dataclass(frozen=True)
class _Rows(Rows):
    """The tensor that collects the results; `span` is the place that an error names."""

    span: Span | None = None

    @property
    def type(self) -> TensorType:
        """Return the type that the collecting tensor has during the loop."""
        return TensorType((self.count, *self.item.shape), self.item.dtype)

    def first(self) -> Expr:
        """Return the collecting tensor before the first step; unknown sizes are 0."""
        sizes = (0 if each is ANY else each for each in self.item.shape)
        return Call(Zeros((self.count, *sizes), self.item.dtype), ())

    def with_item(self, items: Expr, item: Expr, time: Expr) -> Expr:
        """Return the collecting tensor with one more item; the first determines unknown sizes."""
        if ANY not in self.item.shape:
            return super().with_item(items, item, time)
        more = Call(ScatterND(), (items, reshape(time, (1,)), item))
        own, of_rows = (Call(ShapeOf(int64), (each,)) for each in (item, items))
        known = Call(StridedSlice((1,), (len(self.item.shape) + 1,)), (of_rows,))
        same = Call(All(), (equal(own, known),))
        checked = stopped_unless(same, _ANOTHER_SIZE, more, self.span)
        row = Call(ExpandDims(0), (item,))
        every = Call(Ones((self.count, *[1] * self.item.rank), "bool"), ())
        return If(equal(time, constant(0, int64)), Call(Where(), (every, row, row)), checked)


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
