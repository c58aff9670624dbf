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

_CPU = "use the device relay.cpu(), or add a target: docs/how-to/add-a-target.md"
_DEVICE = "use the device relay.cpu(0)"
_ARRAYS = "use NumPy arrays, numpy.array(…), as inputs and results"
_COMMAND = "use the command `relay`, which compiles, runs and measures models: relay --help"
_EVALUATOR = (
    'use relay.create_executor("debug", mod), which evaluates a program, and relay.runtime.Data'
)
_ERRORS = "catch relay.RelayError, the class of all errors; its field code tells them apart"

ABSENT: Mapping[str, str] = {
    "FunctionWithFields": "use relay.expr.FunctionWithFields",
    "SequentialSpan": "use relay.Span: an expression has a single source location",
    "TVMError": _ERRORS,
    "SpanCheck": "use expr.span; relay.transform.AnnotateSpans() adds a span to each expression",
    "auto_scheduler": _SCHEDULES,
    "autotvm": _SCHEDULES,
    "collage": "call relay.compile(model, compilers=[…]), which chooses compilers by measured cost",
    "convert": "pass Python numbers, lists, strings and NumPy arrays as they are",
    "context": _DEVICE,
    "contrib": (
        "use relay.graph_executor, relay.debug_executor or relay.vm; instead of contrib.utils and "
        "contrib.download, Python's tempfile and urllib"
    ),
    "cuda": _CPU,
    "data_dep_optimization": "omit the call: relay.compile evaluates constant expressions itself",
    "device": _DEVICE,
    "driver": _COMMAND,
    "dyn": (
        "call the functions of relay itself, which also take tensors as shapes: "
        "relay.reshape(x, shape)"
    ),
    "error": _ERRORS,
    "get_global_func": "call Relay's Python functions: there is no registry of functions by name",
    "gpu": _CPU,
    "gradient": _DERIVATIVES,
    "interpreter": _EVALUATOR,
    "ir_pass": "use the passes of relay.transform and the analyses of relay.analysis",
    "instrument": "use PassTimingInstrument, PrintAfterAll or pass_instrument of relay.transform",
    "meta_schedule": _SCHEDULES,
    "metal": _CPU,
    "micro": "make an object file for C: relay compile model.onnx -o model.o",
    "nd": _ARRAYS,
    "ndarray": _ARRAYS,
    "opencl": _CPU,
    "parser": "read programs with relay.parse(text) or relay.fromtext(text)",
    "quantize": _QUANTISED,
    "register_func": (
        "register an operator with relay.op.register, and a Python function that computes it with "
        "relay.op.register_reference: docs/how-to/add-an-onnx-operator.md"
    ),
    "relax": "load the model as a Relay program: relay.load(model)",
    "rocm": _CPU,
    "rpc": _OTHER_MACHINES,
    "script": (
        "write a program as text, relay.parse(text), or as a Python function, @relay.function"
    ),
    "target": 'pass the target as a string: relay.build(mod, target="llvm -mcpu=haswell")',
    "te": _FORMULAS,
    "tir": _FORMULAS,
    "topi": _FORMULAS,
    "tvmc": _COMMAND,
    "vulkan": _CPU,
}


def say_what_instead(name: str) -> None:
    """Raise `U072`, with a suggestion, if `name` is in this table of unsupported names of TVM."""
    if name in ABSENT:
        raise missing(f"relay.{name}", ABSENT[name])
