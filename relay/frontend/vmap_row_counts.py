"""The number of rows of mapped data, for functions all of whose mapped arguments are data.

The program reads it where it starts: it is the leading size of the first tensor in the data. Data
without tensors, such as an empty list, has no rows.
"""

from collections.abc import Sequence

from relay.autodiff.unused_names import Names
from relay.ir.alpha_rename import fresh_var
from relay.ir.dims import ANY
from relay.ir.expr import Call, Constructor, Expr, Function, GlobalVar, TupleGetItem, Var
from relay.ir.match_patterns import Clause, Match, PatternConstructor, PatternVar
from relay.ir.module import ENTRY, Module
from relay.ir.types import FuncType, TensorType, TupleType, Type, TypeCall
from relay.ops.creation import Zeros
from relay.support.node import replace
from relay.transform.name_unknown_sizes import fresh_names, with_names

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


class _Rows:
    """The functions that find the number of rows of data, one for each data type.

    Each is made when it is first needed. It returns a tensor whose leading size is the number of
    rows; for data without tensors, it returns its second argument.
    """

    def __init__(self, module: Module, names: Names) -> None:
        self._module, self._names = module, names
        self._known: dict[TypeCall, GlobalVar] = {}
        self.functions: dict[str, Function] = {}

    def first(self, values: Sequence[tuple[Expr, Type]], otherwise: Expr) -> Expr:
        """Return a tensor with as many rows as the first tensor in values; `otherwise` if none.

        Values that are tensors come before tensors in data. The nesting of types bounds the
        recursion.
        """
        for _, ty in values:
            if isinstance(ty, TensorType):
                return Call(Zeros(ty.shape[:1], "bool"), ())
        for value, ty in reversed(values):
            otherwise = self._of(value, ty, otherwise)
        return otherwise

    def _of(self, value: Expr, ty: Type, otherwise: Expr) -> Expr:
        if isinstance(ty, TypeCall):
            return Call(self._function(ty), (value, otherwise))
        assert isinstance(ty, TupleType), "mapped values are tensors, tuples and data"
        fields = [(TupleGetItem(value, index), each) for index, each in enumerate(ty.fields)]
        return self.first(fields, otherwise)

    def _function(self, ty: TypeCall) -> GlobalVar:
        """Return the function that finds the rows of values of a data type."""
        if ty not in self._known:
            name = self._names.fresh(f"rows_of_{ty.head.name}")
            self._known[ty] = GlobalVar(name, ty=FuncType((ty, _ROWS), _ROWS))
            value, otherwise = Var("value", ty, ty=ty), Var("otherwise", _ROWS, ty=_ROWS)
            forms = self._module.alternatives(ty.head)
            clauses = tuple(self._clause(each, otherwise) for each in forms)
            self.functions[name] = Function((value, otherwise), Match(value, clauses), _ROWS)
        return self._known[ty]

    def _clause(self, form: Constructor, otherwise: Expr) -> Clause:
        names = fresh_names("rows")
        types = [with_names(each, names) for each in form.inputs]
        fields = [Var("field", each, ty=each) for each in types]
        pattern = PatternConstructor(form, tuple(map(PatternVar, fields)))
        return Clause(pattern, self.first([(each, each.type) for each in fields], otherwise))
