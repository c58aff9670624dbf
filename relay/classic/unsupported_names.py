"""TVM names that Relay does not support, each with a suggested replacement.

Names of `tvm` outside of its Relay are included, because users who port code may look for them in
`relay`. `docs/classic-names.md` has the complete table.
"""

from collections.abc import Mapping

from relay.support.errors import missing

_QUANTISED = "relay.load reads quantised models; relay.qnn has their operators"
_DERIVATIVES = "relay.grad and relay.transform.gradient differentiate programs"
_SCHEDULES = "`relay tune model.onnx` searches; relay.compile(model, schedules={…}) sets schedules"
_FORMULAS = "an operator is a class with a formula: docs/how-to/add-an-operator.md"
_OTHER_MACHINES = "compile for another machine: relay compile model.onnx --target aarch64-linux-gnu"

ABSENT: Mapping[str, str] = {
    "SequentialSpan": "an expression has one span, relay.Span",
    "SpanCheck": "use expr.span; relay.transform.AnnotateSpans() adds a span to each expression",
    "auto_scheduler": _SCHEDULES,
    "autotvm": _SCHEDULES,
    "collage": "relay.compile(model, compilers=[…]) chooses compilers by measured cost",
    "contrib": "the executors are relay.graph_executor, relay.debug_executor and relay.vm",
    "cuda": "targets define devices: relay.cpu(), or docs/how-to/add-a-target.md",
    "data_dep_optimization": "relay.compile handles constants without this function",
    "device": "the device is relay.cpu(0)",
    "driver": "the command `relay` compiles, runs, measures and tunes files: relay --help",
    "dyn": "the functions of relay itself take tensors for shapes: relay.reshape(x, shape)",
    "error": "every error is a relay.RelayError, which has a code",
    "gradient": _DERIVATIVES,
    "instrument": "relay.transform has PassTimingInstrument, PrintAfterAll and pass_instrument",
    "meta_schedule": _SCHEDULES,
    "micro": "relay compile model.onnx -o model.o makes an object file for C",
    "nd": "arrays are NumPy's: numpy.array(…), also as results",
    "parser": "relay.parse(text) and relay.fromtext(text) read programs",
    "quantize": _QUANTISED,
    "register_func": "programs call no Python; relay.op.register adds an operator",
    "relax": "models are Relay programs: relay.load(model)",
    "rpc": _OTHER_MACHINES,
    "script": "a program is text, mod.astext(), or a Python function, @relay.function",
    "target": 'targets are named by strings: relay.build(mod, target="llvm -mcpu=haswell")',
    "te": _FORMULAS,
    "tir": _FORMULAS,
    "topi": _FORMULAS,
}


def say_what_instead(name: str) -> None:
    """Raise `U072`, with a suggestion, if `name` is in this table of unsupported names of TVM."""
    if name in ABSENT:
        raise missing(f"relay.{name}", ABSENT[name])
