"""Tags of constructors are numbers that are not addresses."""

import numpy as np
import pytest

import relay
from relay.runtime.code.register_kinds import TAGS


def module(count: int) -> relay.IRModule:
    """Choose between the first and the last of many constructors."""
    head, found = relay.GlobalTypeVar("Many"), relay.IRModule()
    names = tuple(relay.Constructor(f"C{i}", (), head) for i in range(count))
    found[head] = relay.TypeData(head, (), names)
    first, last = (found.get_constructor("Many", f"C{i}") for i in (0, count - 1))
    x = relay.var("x", "int32")
    chosen = relay.If(x > 0, relay.Call(last, ()), relay.Call(first, ()))
    found["main"] = relay.Function((x,), chosen)
    return found


@pytest.mark.parametrize(("count", "kinds"), [(TAGS, ["vm", "aot"]), (TAGS + 1, ["vm"])])
def test_the_last_constructor(count: int, kinds: list[str]):
    for kind in kinds:
        run = relay.create_executor(kind, module(count)).evaluate()
        assert run(np.int32(1)).constructor == f"C{count - 1}"


def test_more_constructors_than_numbers_are_refused():
    with pytest.raises(relay.RelayError, match="C116"):
        relay.compile(module(TAGS + 1))
