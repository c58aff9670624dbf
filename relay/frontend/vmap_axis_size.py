"""The size of the mapped axis, for functions all of whose mapped arguments are algebraic data.

The program reads it where it starts: it is the leading size of the first tensor in the data. Data
without tensors, such as an empty list, has no rows.
"""

from collections.abc import Sequence

from relay.autodiff.fresh_names import Names
from relay.frontend.vmap_adt_visitors import DataFunctions
from relay.ir.alpha_rename import fresh_var
from relay.ir.dims import ANY, DimVar
from relay.ir.expr import Call, Constructor, Expr, Function, GlobalVar, TupleGetItem, Var
from relay.ir.module import ENTRY, Module
from relay.ir.types import FuncType, TensorType, TupleType, Type, TypeCall
from relay.ops.creation import Zeros
from relay.support.node import replace

_ROWS = TensorType((ANY,), "bool")
_NONE: Expr = Call(Zeros((0,), "bool"), ())


def with_rows(module: Module, flags: Sequence[bool]) -> Module:
    """Return a mapped program that takes the size of the new axis from its data, not a parameter.

    `flags` says which parameters are mapped; the additional one, if any, is the last.
    """
    main, names = module.main, Names(module)
    if len(main.params) == len(flags):
        return module
    params = tuple(map(fresh_var, main.params[: len(flags)]))
    data = [(each, each.type) for each, flag in zip(params, flags, strict=True) if flag]
    own, rows = names.fresh("mapped"), _Rows(module, names)
    found = Call(GlobalVar(own), (*params, rows.first(data, _NONE)))
    made = Function(params, found, span=main.span)
    return replace(module, functions={**module.functions, own: main, **rows.functions, ENTRY: made})


class _Rows(DataFunctions):
    """The functions that find the number of rows of data.

    Each returns a tensor whose leading size is the number of rows; for data without tensors, it
    returns its second argument.
    """

    name = "rows_of"

    def __init__(self, module: Module, names: Names) -> None:
        super().__init__(module, names, _ROWS)
        self._of_tensors: dict[TensorType, GlobalVar] = {}

    def first(self, values: Sequence[tuple[Expr, Type]], otherwise: Expr) -> Expr:
        """Return a tensor with as many rows as the first tensor in values; `otherwise` if none.

        Values that are tensors come before tensors in data. The nesting of types bounds the
        recursion.
        """
        for value, ty in values:
            if isinstance(ty, TensorType):
                return Call(self._of_tensor(ty), (value,))
        for value, ty in reversed(values):
            otherwise = self._of(value, ty, otherwise)
        return otherwise

    def _of(self, value: Expr, ty: Type, otherwise: Expr) -> Expr:
        if isinstance(ty, TypeCall):
            return self.visited(value, ty, otherwise, _ROWS)
        assert isinstance(ty, TupleType), "mapped values are tensors, tuples and data"
        fields = [(TupleGetItem(value, index), each) for index, each in enumerate(ty.fields)]
        return self.first(fields, otherwise)

    def _of_fields(
        self, form: Constructor, fields: Sequence[Expr], more: Expr, result: Type
    ) -> Expr:
        return self.first([(each, each.type) for each in fields], more)

    def _of_tensor(self, ty: TensorType) -> GlobalVar:
        """Return the function for tensors, whose call binds the unknown size that it reads."""
        if ty not in self._of_tensors:
            name, rows = self._names.fresh("rows_of_tensor"), DimVar("rows")
            param = Var("x", own := TensorType((rows, *ty.shape[1:]), ty.dtype), ty=own)
            self._of_tensors[ty] = GlobalVar(name, ty=FuncType((own,), _ROWS))
            self.functions[name] = Function((param,), Call(Zeros((rows,), "bool"), ()), _ROWS)
        return self._of_tensors[ty]
