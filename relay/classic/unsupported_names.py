"""TVM names that Relay does not support, each with a suggested replacement.

Names of `tvm` outside of its Relay are included, because users who port code may look for them in
`relay`. `docs/classic-names.md` has the complete table.
"""

from collections.abc import Mapping

from relay.support.errors import missing

_QUANTISED = "load a quantised model with relay.load, or build one from the operators of relay.qnn"
_DERIVATIVES = "differentiate with relay.grad or relay.transform.gradient"
_SCHEDULES = (
    "set schedules with relay.compile(model, schedules={…}), or run `relay tune model.onnx`"
)
_FORMULAS = "write an operator as a class with a formula: docs/how-to/add-an-operator.md"
_OTHER_MACHINES = "compile for another machine: relay compile model.onnx --target aarch64-linux-gnu"

ABSENT: Mapping[str, str] = {
    "SequentialSpan": "use relay.Span: an expression has a single source location",
    "SpanCheck": "use expr.span; relay.transform.AnnotateSpans() adds a span to each expression",
    "auto_scheduler": _SCHEDULES,
    "autotvm": _SCHEDULES,
    "collage": "call relay.compile(model, compilers=[…]), which chooses compilers by measured cost",
    "contrib": "use relay.graph_executor, relay.debug_executor or relay.vm",
    "cuda": "use the device relay.cpu(), or add a target: docs/how-to/add-a-target.md",
    "data_dep_optimization": "omit the call: relay.compile evaluates constant expressions itself",
    "device": "use the device relay.cpu(0)",
    "driver": "use the command `relay`, which compiles, runs and measures models: relay --help",
    "dyn": (
        "call the functions of relay itself, which also take tensors as shapes: "
        "relay.reshape(x, shape)"
    ),
    "error": "catch relay.RelayError, the class of all errors; its field code tells them apart",
    "gradient": _DERIVATIVES,
    "instrument": "use PassTimingInstrument, PrintAfterAll or pass_instrument of relay.transform",
    "meta_schedule": _SCHEDULES,
    "micro": "make an object file for C: relay compile model.onnx -o model.o",
    "nd": "use NumPy arrays, numpy.array(…), as inputs and results",
    "parser": "read programs with relay.parse(text) or relay.fromtext(text)",
    "quantize": _QUANTISED,
    "register_func": (
        "register an operator with relay.op.register: programs cannot call Python functions"
    ),
    "relax": "load the model as a Relay program: relay.load(model)",
    "rpc": _OTHER_MACHINES,
    "script": (
        "write a program as text, relay.parse(text), or as a Python function, @relay.function"
    ),
    "target": 'pass the target as a string: relay.build(mod, target="llvm -mcpu=haswell")',
    "te": _FORMULAS,
    "tir": _FORMULAS,
    "topi": _FORMULAS,
}


def say_what_instead(name: str) -> None:
    """Raise `U072`, with a suggestion, if `name` is in this table of unsupported names of TVM."""
    if name in ABSENT:
        raise missing(f"relay.{name}", ABSENT[name])
