"""The default help text for each error code of model importers."""

from collections.abc import Mapping

from relay.support.error_codes import ErrorCode

_AGAIN = "export the model again: the file is damaged, or was edited by hand"
_CHECK = (
    "run the model in its own framework: if it runs there, report it to Relay; if not, export it"
    " again"
)
_REWRITE = "write that part of the model in another way, or give a translation of your own"

IMPORT_HELP: Mapping[ErrorCode, str] = {
    ErrorCode.F009: "store the weights densely",
    ErrorCode.F011: "export the model again: a loop is an operator of its own, not a cycle",
    ErrorCode.F012: "rename one of them before the export",
    ErrorCode.F013: "give it: shapes={'name': …}",
    ErrorCode.F014: "give one size for each axis of the input",
    ErrorCode.F015: _AGAIN,
    ErrorCode.F016: _AGAIN,
    ErrorCode.F017: "keep such tensors outside of the model, or convert them before it",
    ErrorCode.F018: _AGAIN,
    ErrorCode.F019: "use one of these names",
    ErrorCode.F020: _CHECK,
    ErrorCode.F021: _CHECK,
    ErrorCode.F022: "give the inputs known shapes: relay.load(path, shapes={…})",
    ErrorCode.F023: _CHECK,
    ErrorCode.F024: _CHECK,
    ErrorCode.F025: _CHECK,
    ErrorCode.F026: _CHECK,
    ErrorCode.F030: _REWRITE,
    ErrorCode.F031: _REWRITE,
    ErrorCode.F032: "give the inputs known shapes: relay.load(path, shapes={…})",
    ErrorCode.F041: "let all branches give values of one type",
    ErrorCode.F042: "let each step give values of the types that it takes",
    ErrorCode.F052: _REWRITE,
    ErrorCode.F053: "this is a defect of Relay: report the operator and its arguments",
    ErrorCode.F091: "write exported.serialize() to the file, with this or an older JAX",
    ErrorCode.F093: "copy the whole folder, or save the model again",
    ErrorCode.F094: "export the function without recursion, with loops as operators",
    ErrorCode.F096: "name other outputs: outputs=['node']",
}
