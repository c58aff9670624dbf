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
        "match? (Left) { Right => 1 }",
        "let %x = @hd(Nil[int32]); %x",
        "let %f = fn () { match? (Left) { Right => 1 } }; %f()",
    ],
)
def test_matches_that_do_not_fit(body: str):
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
