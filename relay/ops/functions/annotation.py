"""`relay.annotation`: marks in programs, such as `stop_fusion`."""

from typing import Any

from relay.ops.functions.namespace import namespace
from relay.support.errors import missing

_EXTERNAL = "there are no external compilers; where code runs, relay.compile(target=…) says"
_ABSENT = {"compiler_begin": _EXTERNAL, "compiler_end": _EXTERNAL}

_lookup, __dir__ = namespace("annotation.", globals())


def __getattr__(name: str) -> Any:
    if name in _ABSENT:
        raise missing(f"relay.annotation.{name}", _ABSENT[name])
    return _lookup(name)
