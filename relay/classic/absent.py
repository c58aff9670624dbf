"""Classic names that are absent, each with a replacement."""

from collections.abc import Mapping

from relay.support.errors import missing

_QUANTISED = "relay.load reads models that are quantised; relay.qnn has their operators"
_DERIVATIVES = "relay.grad and relay.transform.gradient differentiate programs"

ABSENT: Mapping[str, str] = {
    "SequentialSpan": "an expression has one span, relay.Span",
    "SpanCheck": "look at expr.span; relay.transform.AnnotateSpans() gives each expression one",
    "backend": 'relay.build and relay.compile take names: relay.build(mod, executor="aot")',
    "collage": "relay.compile(model, compilers=[…]) chooses compilers by measured cost",
    "data_dep_optimization": "relay.compile takes constants as they are",
    "debug": 'relay.create_executor("debug") evaluates; relay.analysis.post_order_visit looks',
    "dyn": "the functions of relay itself take tensors for shapes: relay.reshape(x, shape)",
    "gradient": _DERIVATIVES,
    "quantize": _QUANTISED,
}


def say_what_instead(name: str) -> None:
    """Raise `U072` for a name that the classic `relay` had."""
    if name in ABSENT:
        raise missing(f"relay.{name}", ABSENT[name])
