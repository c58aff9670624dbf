"""The default help text for each error code of model importers."""

from collections.abc import Mapping

from relay.support.error_codes import ErrorCode

_AGAIN = "export the model again: the file is damaged, or was edited by hand"
_CHECK = (
    "run the model in its own framework: if it works there, report this to Relay; if not, export it"
    " again"
)
_REWRITE = (
    "rewrite this part of the model with other operators, or give the importer your own function "
    "that translates this operator"
)

IMPORT_HELP: Mapping[ErrorCode, str] = {
    ErrorCode.F001: "check the path, and the permissions of the file",
    ErrorCode.F004: "copy this file to the place where the model expects it",
    ErrorCode.F005: "copy the model again together with its data files, or export it again",
    ErrorCode.F007: "mark the results as outputs of the graph, and export the model again",
    ErrorCode.F009: "store the weights as dense tensors",
    ErrorCode.F011: "export the model again: a loop must be a loop operator, not a cycle",
    ErrorCode.F012: "rename one of the two in the model, and export it again",
    ErrorCode.F013: "specify the shape of the input: relay.load(path, shapes={'name': …})",
    ErrorCode.F014: "specify one size for each axis of the input",
    ErrorCode.F015: _AGAIN,
    ErrorCode.F016: _AGAIN,
    ErrorCode.F017: (
        "convert these tensors to a supported element type, or compute with them outside the model"
    ),
    ErrorCode.F018: _AGAIN,
    ErrorCode.F019: "use one of these names",
    ErrorCode.F020: _CHECK,
    ErrorCode.F021: _CHECK,
    ErrorCode.F022: "specify the shapes of the inputs: relay.load(path, shapes={…})",
    ErrorCode.F023: _CHECK,
    ErrorCode.F024: _CHECK,
    ErrorCode.F025: _CHECK,
    ErrorCode.F026: _CHECK,
    ErrorCode.F030: _REWRITE,
    ErrorCode.F031: _REWRITE,
    ErrorCode.F032: "specify the shapes of the inputs: relay.load(path, shapes={…})",
    ErrorCode.F033: "replace the constant by numbers, and export the model again",
    ErrorCode.F038: _REWRITE,
    ErrorCode.F041: "let all branches return values of one type",
    ErrorCode.F042: "let each loop variable have one rank and element type; sizes may change",
    ErrorCode.F043: "pad the sequences to one length, and export the model without lengths",
    ErrorCode.F052: _REWRITE,
    ErrorCode.F053: "report this defect of Relay, with the operator and its arguments",
    ErrorCode.F071: "save the model again: model.save('model.keras')",
    ErrorCode.F074: "do not trust this file: obtain the model from its source again",
    ErrorCode.F091: "write exported.serialize() to the file, with this or an older JAX",
    ErrorCode.F092: "check that the download is complete, or save the model again",
    ErrorCode.F093: "copy the whole folder, or save the model again",
    ErrorCode.F094: "export the function without recursion, with loops as operators",
    ErrorCode.F096: "choose other outputs: outputs=['node']",
}
