"""The intermediate representation: types, expressions, patterns, modules, and their traversals."""

from relay.support.absent_names import absent_names

_SAME = (
    "Constructor", "FuncType", "GlobalTypeVar", "GlobalVar", "IRModule", "IncompleteType",
    "SourceName", "Span", "TensorType", "TupleType", "TypeCall", "TypeConstraint", "TypeData",
    "TypeKind", "TypeRelation", "TypeVar",
)  # fmt: skip
"""Names of `tvm.ir` that `relay` has."""

_ABSENT = {
    **{name: f"use relay.{name}" for name in _SAME},
    "Array": "use a tuple or a list",
    "Attrs": "an operator has its attributes as fields: call.op.axis",
    "BaseFunc": "use relay.Function",
    "Map": "use a dictionary",
    "Op": "use relay.op.Op",
    "PrimExpr": "use integers, and relay.DimVar('n') for unknown sizes",
    "RelayExpr": "use relay.Expr",
    "RelayRefType": "use relay.RefType",
    "assert_structural_equal": "use relay.assert_structural_equal",
    "instrument": ("use PassTimingInstrument, PrintAfterAll or pass_instrument of relay.transform"),
    "load_json": "use relay.load_json",
    "save_json": "use relay.save_json",
    "structural_equal": "use relay.structural_equal",
    "structural_hash": "use relay.structural_hash",
    "transform": "use relay.transform",
}
"""Names of TVM's `tvm.ir`, which are elsewhere here."""
__getattr__ = absent_names("relay.ir", _ABSENT)
