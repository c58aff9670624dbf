"""Names of functions are any text, and no part of the code that is made of them."""

import numpy as np
import pytest

import relay


@pytest.mark.parametrize(
    "name", ['a"b', '" }\ndefine void @evil() { ret void }', "a\0b", "ä b\\", "9", "tailcc", ""]
)
def test_any_text_is_a_name(name: str):
    n, x = (relay.var(hint, "int32") for hint in "nx")
    again = relay.Call(relay.GlobalVar(name), (n - 1, x + 2))
    module = relay.IRModule()
    module[name] = relay.Function((n, x), relay.If(n > 0, again, x), relay.scalar_type("int32"))
    a = relay.var("a", "int32")
    module["main"] = relay.Function((a,), relay.Call(relay.GlobalVar(name), (a, a)))
    assert relay.compile(module)(np.int32(5)) == 15
