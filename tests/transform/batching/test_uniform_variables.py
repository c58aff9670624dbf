"""Which variables hold, in some calls, what others hold there too."""

import relay
from relay.semantics.infer import infer
from relay.transform.batching.invariant_variables import invariant_variables
from relay.transform.batching.uniform_variables import constants_in_some_calls
from relay.transform.fold_constants import FoldConstants
from relay.transform.to_a_normal_form import ToANormalForm
from relay.transform.to_graph_form import ToGraphForm

HEAD = '#[version = "0.0.5"]\ntype List[A] { Cons(A, List[A]), Nil }\n'
V = "Tensor[(4), float32]"


def names(text: str) -> set[str]:
    module = ToANormalForm()(
        FoldConstants(made=True)(ToGraphForm()(infer(relay.parse(HEAD + text))))
    )
    return {var.name for var in constants_in_some_calls(module, invariant_variables(module))}


def test_states_that_begin_with_a_constant_or_an_input():
    found = names(f"""
def @run(%items: List[{V}], %state: {V}, %other: {V}) -> {V} {{
  match (%items) {{
    Nil => add(%state, %other),
    Cons(%item, %rest) => @run(%rest, add(%state, %item), multiply(%other, %item))
  }}
}}
def @main(%l: List[{V}], %first: {V}) -> {V} {{
  @run(%l, %first, zeros(shape=[4], dtype="float32"))
}}
""")
    assert {"state", "other"} <= found
    assert "item" not in found


def test_the_only_constant_that_a_state_may_be_is_told():
    module = ToANormalForm()(
        FoldConstants(made=True)(
            ToGraphForm()(
                infer(
                    relay.parse(f"""{HEAD}
def @run(%items: List[{V}], %state: {V}, %other: {V}) -> {V} {{
  match (%items) {{
    Nil => add(%state, %other),
    Cons(%item, %rest) => @run(%rest, add(%state, %item), ones(shape=[4], dtype="float32"))
  }}
}}
def @main(%l: List[{V}]) -> {V} {{
  @run(%l, zeros(shape=[4], dtype="float32"), zeros(shape=[4], dtype="float32"))
}}
""")
                )
            )
        )
    )
    held = {var.name: held for var, held in constants_in_some_calls(module, set()).items()}
    state = held["state"]
    assert state is not None
    assert not state.data.any()
    assert held["other"] is None


def test_parts_of_what_branches_return():
    found = names(f"""
def @step(%part: {V}, %total: {V}) -> {V} {{ add(%part, %total) }}
def @sum(%items: List[{V}]) -> ({V}, {V}) {{
  match (%items) {{
    Nil => (zeros(shape=[4], dtype="float32"), tanh(zeros(shape=[4], dtype="float32"))),
    Cons(%item, %rest) => {{
      let %pair = @sum(%rest);
      let %total = add(%pair.0, %item);
      (@step(%pair.0, %total), %total)
    }}
  }}
}}
def @main(%l: List[{V}]) -> {V} {{ let %both = @sum(%l); add(%both.0, %both.1) }}
""")
    assert "part" in found
    assert not {"total", "item"} & found
