"""The intermediate representation: types, expressions, patterns, modules, and their traversals."""

from relay.support.absent_names import absent_names

_ABSENT = {
    "IRModule": "use relay.IRModule",
    "Span": "use relay.Span",
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
