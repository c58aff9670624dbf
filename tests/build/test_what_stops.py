"""Programs that stop: compiled ones where the evaluator does, and with an error of ours."""

import numpy as np
import pytest

import relay
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayError, RunError

HEAD = '#[version = "0.0.5"]\nimport "prelude.rly"\ntype Either { Left, Right }\n'


@pytest.mark.parametrize(
    "body",
    [
        "match? (Left) { Right => 1 }; 3",
        "let %x = @hd(Nil[int32]); 3",
        "let %f = fn () { match? (Left) { Right => 1 } }; %f(); 3",
    ],
)
def test_a_value_that_nobody_uses_is_computed_all_the_same(body: str):
    module = relay.parse(f"{HEAD}def @main() {{ {body} }}")
    with pytest.raises(RelayError, match="R040"):
        evaluate(module)
    with pytest.raises(RelayError, match="R040"):
        relay.compile(module)()


@pytest.mark.parametrize("body", ["arange(0, 10, 0)", "arange(0f, nanf, 1f)"])
def test_constants_without_a_value(body: str):
    module = relay.parse(f"{HEAD}def @main() {{ {body} }}")
    with pytest.raises(RelayError, match="R053"):
        evaluate(module)
    with pytest.raises(RelayError):
        relay.compile(module)()


def test_vectors_of_elements():
    module = relay.parse(f"{HEAD}def @main(%x: Tensor[(2), float32x4]) {{ %x + %x }}")
    with pytest.raises(RelayError, match="T018"):
        evaluate(module, np.ones((2, 4), np.float32))
    with pytest.raises(RelayError):
        relay.compile(module)


FAILS = """#[version = "0.0.5"]
type Either { Left(int32), Right(int32) }
def @main(%n: int32) -> int32 {
  let %e = if (less(%n, 0)) { Left(%n) } else { Right(%n) };
  match? (%e) { Right(%x) => { %x } }
}
"""


@pytest.mark.parametrize("kind", ["debug", "vm", "aot"])
def test_a_match_without_a_case_is_drawn(kind: str):
    call = relay.create_executor(kind, relay.parse(FAILS)).evaluate()
    assert call(np.int32(3)) == 3
    with pytest.raises(RunError) as caught:
        call(np.int32(-3))
    assert caught.value.code == "R040"
    lines = str(caught.value).splitlines()
    assert lines[1].endswith(":5:3")
    assert lines[2].endswith("match? (%e) { Right(%x) => { %x } }")
    assert "^^^^^^" in lines[3]


@pytest.mark.parametrize("build", [relay.compile, relay.vm.compile])
def test_a_saved_program_knows_the_line(build, tmp_path):
    build(relay.parse(FAILS)).save(tmp_path / "program.relay")
    loaded = relay.Executable.load(tmp_path / "program.relay")
    with pytest.raises(RunError, match="R040") as caught:
        loaded(np.int32(-3))
    assert str(caught.value.span).endswith(":5:3")
    assert "match?" not in str(caught.value)


OUTSIDE = 'take(%x, 7, axis=0, mode="raise")'


@pytest.mark.parametrize(
    "body",
    [
        f"let %a = {OUTSIDE}; 3",
        f"let %a = ({OUTSIDE}, 1f); 3",
        f"let %a = ref({OUTSIDE}); 3",
        f"let %f = fn () {{ let %a = {OUTSIDE}; 3 }}; %f()",
        f"let %a = {OUTSIDE} + 1f; let %b = %a * 2f; 3",
    ],
)
def test_an_index_that_nobody_asks_for_is_looked_up_all_the_same(body: str):
    text = f"{HEAD}def @main(%x: Tensor[(5), float32]) {{ {body} }}"
    for kind in ("debug", "vm", "aot"):
        call = relay.create_executor(kind, relay.parse(text)).evaluate()
        with pytest.raises(RunError, match="R056"):
            call(np.ones(5, "f"))
