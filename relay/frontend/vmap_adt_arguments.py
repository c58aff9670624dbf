"""Convert arguments of algebraic data types (ADTs) to the form that a mapped program takes.

A mapped program has one form of each data type: with the new axis, if an argument, a result or a
step of the program needs it, and for values whose structure differs between rows, if a step does.

1. A shared argument of such a type has no new axis: its tensors are broadcast.
2. A mapped argument has one structure for all rows: each value becomes a list with one part.

The program converts both where it starts.
"""

from collections.abc import Mapping, Sequence

from relay.autodiff.fresh_names import Names
from relay.frontend.python.captures.module_linking import with_types_apart
from relay.frontend.vmap_adt_visitors import DataFunctions
from relay.ir.dims import Dim
from relay.ir.expr import Call, Constructor, Expr, Function, GlobalVar, Tuple, TupleGetItem, Var
from relay.ir.module import ENTRY, Module, TypeData
from relay.ir.types import TensorType, TupleType, Type, TypeCall
from relay.ops.creation import Ones, Zeros
from relay.semantics.infer import infer
from relay.support.node import replace
from relay.transform.name_unknown_sizes import fresh_names, with_names
from relay.transform.vmap import Mapped, spread


def with_passed_data(
    module: Module, types: Mapping[str, TypeData], passed: Mapping[int, Type], size: Dim
) -> Module:
    """Return a mapped program some of whose parameters have the types `passed`, by index.

    These refer to the data types `types`. Other data types of the same name get other names.
    """
    apart = with_types_apart(infer(module), types)
    whole = replace(apart, types={**types, **apart.types})
    main, names = apart.main, Names(whole)
    own, spreading = names.fresh("mapped"), Spreading(whole, names, size)
    params, args = list[Var](), list[Expr]()
    for index, old in enumerate(main.params):
        params.append(Var(old.name, ty := passed.get(index, old.type), span=old.span, ty=ty))
        args.append(spreading.spread(params[-1], params[-1].type, old.type))
    made = Function(tuple(params), Call(GlobalVar(own), tuple(args)), span=main.span)
    functions = {**whole.functions, own: main, **spreading.functions, ENTRY: made}
    return replace(whole, functions=functions)


class Spreading(DataFunctions):
    """The functions that broadcast the tensors in data along the new axis.

    Their second parameter is a tensor whose size is that of the new axis.
    """

    name = "spread"

    def __init__(self, module: Module, names: Names, size: Dim) -> None:
        super().__init__(module, names, TensorType((size,), "bool"))
        self._size, self._sizes = size, fresh_names("size")

    def spread(self, value: Expr, ty: Type, wanted: Type) -> Expr:
        """Return a value of type `ty`, broadcast to type `wanted`; recursion follows tuples."""
        match ty:
            case _ if ty == wanted:
                return value
            case TensorType() if isinstance(wanted, TensorType) and wanted.rank == ty.rank:
                return value
            case TensorType():
                return spread(Mapped(value, False), self._size)
            case TupleType(fields):
                assert isinstance(wanted, TupleType), "both have one structure"
                parts = zip(fields, wanted.fields, strict=True)
                fields = (
                    self.spread(TupleGetItem(value, index), *each)
                    for index, each in enumerate(parts)
                )
                return Tuple(tuple(fields))
            case _:
                assert isinstance(ty, TypeCall), "functions are data"
                rows = Call(Zeros((self._size,), "bool"), ())
                return self.visited(value, ty, rows, wanted)

    def _field_type(self, ty: Type) -> Type:
        return with_names(ty, self._sizes)

    def _of_fields(
        self, form: Constructor, fields: Sequence[Expr], more: Expr, result: Type
    ) -> Expr:
        assert isinstance(result, TypeCall), "both have one structure"
        forms = self._module.alternatives(result.head)
        wanted, end = forms[form.index], forms[-1]
        is_mixed = len(forms) > len(self._module.alternatives(form.belongs_to))
        inputs = wanted.inputs[1:-1] if is_mixed else wanted.inputs
        made = [self.spread(each, each.type, ty) for each, ty in zip(fields, inputs, strict=True)]
        if is_mixed:  # all rows are in the only part
            made = [Call(Ones((self._size,), "bool"), ()), *made, Call(end, ())]
        return Call(wanted, tuple(made))
