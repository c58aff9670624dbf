"""Map a program over a new axis (`vmap`) by a loop that calls it for each element.

That is how `vmap` maps a program in which the size of a value depends on mapped values, so that it
may differ between elements. The result must have the same size for all elements, which is checked
for each element if it is not known before.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from relay.autodiff.fresh_names import Names
from relay.autodiff.public_data_types import with_public_types
from relay.frontend.builders.collect_loop_outputs import Collection as Rows
from relay.frontend.builders.collect_loop_outputs import collecting
from relay.frontend.builders.counted_loops import at, size_of
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.python.captures.module_linking import linked, with_types_apart
from relay.frontend.python.values.traps import stopped_unless
from relay.frontend.vmap_adt_results import DataResults
from relay.frontend.vmap_adt_types import MappedData
from relay.frontend.vmap_adt_visitors import DataFunctions
from relay.frontend.vmap_axis_size import with_rows
from relay.ir.dims import ANY, Dim
from relay.ir.expr import Call, Constructor, Expr, Function, GlobalVar, If, Tuple, TupleGetItem, Var
from relay.ir.module import ENTRY, Module, TypeData
from relay.ir.nested_tuples import leaf_types, leaves, nested
from relay.ir.types import FuncType, TensorType, TupleType, Type, TypeCall, scalar_type
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
from relay.transform.monomorphize import Monomorphize
from relay.transform.vmap import batched_type

_ANOTHER_SIZE = (
    "the result of the mapped function has another size for this element than for the one before; "
    "return a sum or another value of known size, or the whole array and a mask: "
    "np.where(x > 0, x, 0.0), x > 0"
)


def row_loop(module: Module, size: Dim, shared: Collection[int], span: Span | None) -> Module:
    """Return a program that computes `size` calls of the program `module`, one after the other.

    Except for the `shared` parameters, given by index, all parameters and results have a new
    leading axis. The program traps if a result has another size or structure than that of the
    element before; `span` is the place of a value whose size depends on mapped values.
    """
    loop = _Loop(module, size, shared)
    params, rows = loop.params, loop.rows
    result, functions = loop.collected(size, span)
    more = [rows] if isinstance(rows, Var) and rows not in params else []
    main = Function((*params, *more), result, span=module.main.span)
    made = replace(loop.module, functions={**loop.module.functions, **functions, ENTRY: main})
    flags = tuple(index not in shared for index in range(len(params)))
    return with_public_types(infer(with_rows(infer(made), flags)))


class _Loop:
    """A loop over the elements: its parameters, and the call of the program for each element.

    Data in mapped parameters and in the result has the types of the program, in which tensors have
    the new axis; those that the program itself handles get other names in the new `module`.
    """

    def __init__(self, module: Module, size: Dim, shared: Collection[int]) -> None:
        old = module.main.params
        mapped = [each for index, each in enumerate(old) if index not in shared]
        types: Mapping[str, TypeData] = {}
        data = MappedData(module, size)
        held = [module.main.body, *mapped]
        if any(batched_type(each.type, size) is None for each in held):
            module = infer(Monomorphize()(module))
            data, old = MappedData(module, size), module.main.params
            for each in (each for index, each in enumerate(old) if index not in shared):
                data.note_all(each.type)
            data.note_all(module.main.body.type)
            types = data.uniform_definitions
        self._result = data.batched(module.main.body.type)
        if types:
            module = with_types_apart(module, types)
        own = linked(module, "element", {ENTRY})
        self._callee = GlobalVar(name := next(iter(own)), ty=own[name].ty)
        self.module = replace(module, types={**types, **module.types}, functions=own)
        self._wanted = [each.type for each in module.main.params]
        self.params = [
            Var(each.name, ty := of if index in shared else data.batched(each.type), ty=ty)
            for index, (each, of) in enumerate(zip(old, self._wanted, strict=True))
        ]
        flags = [index not in shared for index in range(len(old))]
        tensors = (
            part
            for each, flag in zip(self.params, flags, strict=True)
            if flag
            for part in leaves(each)
        )
        found = (each for each in tensors if isinstance(each.type, TensorType))
        self.rows: Expr = next(found, Var("elements", data.mask_type, ty=data.mask_type))
        self._elements = _Elements(self.module, Names(self.module))

    def collected(self, size: Dim, span: Span | None) -> tuple[Expr, dict[str, Function]]:
        """Return the results of all elements, and the functions that they need."""
        ty, count = self._callee.type, size_of(self.rows, 0)
        assert isinstance(ty, FuncType), "functions are typed"
        if batched_type(ty.result, size) is None:
            whole = replace(
                self.module, functions={**self.module.functions, **self._elements.functions}
            )

            def write(rows: Expr, item: Expr, index: Expr) -> Expr:
                return _Rows(item.tensor_type, size, count, span=span).with_row(rows, item, index)

            results = DataResults(whole, size, write, span)
            found = results.collected(count, self._call, self._result)
            return found, {**self._elements.functions, **results.functions}

        def step(time: Expr, _: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
            return [*leaves(self._call(time))], None

        rows = [
            _Rows(each, size, count, span=span)
            for each in leaf_types(ty.result)
            if isinstance(each, TensorType)
        ]
        tensors = iter(collecting(count, None, [], [], rows, step))
        return nested(ty.result, tensors), self._elements.functions

    def _call(self, index: Expr) -> Expr:
        """Return the call of the program for an element."""
        ty = self._callee.type
        assert isinstance(ty, FuncType), "functions are typed"
        pairs = zip(self.params, self._wanted, strict=True)
        args = tuple(self._elements.element(each, each.type, of, index) for each, of in pairs)
        return Call(self._callee, args, ty=ty.result)


class _Elements(DataFunctions):
    """The functions that return one element of mapped data, given its index."""

    name = "element_of"

    def __init__(self, module: Module, names: Names) -> None:
        super().__init__(module, names, scalar_type(int64))

    def element(self, value: Expr, ty: Type, wanted: Type, index: Expr) -> Expr:
        """Return an element, of type `wanted`, of a value of type `ty`; recursion follows tuples.

        Values that have this type already are shared by all elements.
        """
        match ty:
            case _ if ty == wanted:
                return value
            case TupleType(fields):
                assert isinstance(wanted, TupleType), "both have one structure"
                parts = zip(fields, wanted.fields, strict=True)
                return Tuple(
                    tuple(
                        self.element(TupleGetItem(value, number), *each, index)
                        for number, each in enumerate(parts)
                    )
                )
            case TypeCall():
                return self.visited(value, ty, index, wanted)
            case _:
                return at(value, index)

    def _of_fields(
        self, form: Constructor, fields: Sequence[Expr], more: Expr, result: Type
    ) -> Expr:
        assert isinstance(result, TypeCall), "both have one structure"
        wanted = self._module.alternatives(result.head)[form.index]
        pairs = zip(fields, wanted.inputs, strict=True)
        return Call(wanted, tuple(self.element(each, each.type, ty, more) for each, ty in pairs))


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
        row = Call(ExpandDims(0), (item,))
        every = Call(Ones((self.count, *[1] * self.item.rank), "bool"), ())
        first = Call(Where(), (every, row, row))
        return If(equal(time, constant(0, int64)), first, self.with_row(items, item, time))

    def with_row(self, items: Expr, item: Expr, time: Expr) -> Expr:
        """Return the collecting tensor with an item in its row; traps if it has another size."""
        more = Call(ScatterND(), (items, reshape(time, (1,)), item))
        if ANY not in self.item.shape:
            return more
        own, of_rows = (Call(ShapeOf(int64), (each,)) for each in (item, items))
        known = Call(StridedSlice((1,), (len(self.item.shape) + 1,)), (of_rows,))
        same = Call(All(), (equal(own, known),))
        return stopped_unless(same, _ANOTHER_SIZE, more, self.span)
