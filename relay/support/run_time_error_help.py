"""The default help text for each error code of running programs."""

from collections.abc import Mapping

from relay.support.error_codes import ErrorCode

RUN_HELP: Mapping[ErrorCode, str] = {
    ErrorCode.R008: "report this defect of Relay, with the model",
    ErrorCode.R009: "use smaller inputs, or a machine with more memory",
    ErrorCode.R040: (
        "change the inputs or the program: add a clause for this value, or make the asserted "
        "condition true"
    ),
    ErrorCode.R042: "pass arguments for which the operator is defined",
    ErrorCode.R050: "rewrite deep recursion as a loop or a tail call",
    ErrorCode.R053: "check the inputs and constants from which this size is computed",
    ErrorCode.R054: "pass inputs whose sizes fit together, or correct the types that declare them",
    ErrorCode.R056: "check the data from which the index comes",
    ErrorCode.R061: (
        "correct the reference of your operator, or compile without this external compiler"
    ),
}
