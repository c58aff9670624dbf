"""Many inputs for an executable that takes one at a time: what is missing is said."""

import pytest

import relay
from relay.frontend.text import parse
from relay.support.errors import UsageError

HEAD = '#[version = "0.0.5"]\nimport "prelude.rly"\n'
FIRST = HEAD + "def @main(%xs: List[float32]) -> float32 { @hd(%xs) }"
NUMBER = HEAD + "def @main(%x: float32) { %x }"
COUNT = HEAD + "def @main(%x: float32) -> Option[float32] { Some(%x) }"


def refused(executable, inputs) -> list[UsageError]:
    found = []
    for many in (executable.each, executable.explain_each, executable.profile_each):
        with pytest.raises(UsageError) as caught:
            many(inputs)
        found.append(caught.value)
    assert {error.code for error in found} == {"U065"}
    return found


def test_a_model_of_data_needs_batch():
    module = parse(FIRST)
    for executable in (relay.compile(module), relay.vm.compile(module, batch=True)):
        for error in refused(executable, [[1.0], [2.0]]):
            assert "relay.compile(model, batch=True)" in str(error.help)


@pytest.mark.parametrize("program", [NUMBER, COUNT])
@pytest.mark.parametrize("batch", [True, False])
def test_a_model_of_tensors_has_no_batches(program, batch):
    for error in refused(relay.compile(parse(program), batch=batch), [1.0]):
        assert "takes tensors" in error.message
        assert "batch axis" in str(error.help)


def test_with_batch_there_is_each():
    fast = relay.compile(parse(FIRST), batch=True)
    assert [float(found) for found in fast.each([[1.0], [2.0, 3.0]])] == [1.0, 2.0]
