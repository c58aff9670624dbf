"""Sizes of which compilation finds out that they do not fit, where types left them open."""

import pytest

import relay
from relay.support.errors import RelayError
from tests.build.ways import ways

TEXT = """#[version = "0.0.5"]
def @main(%long: bool) -> Tensor[(3), float32] {
  %0 = fn (%x: Tensor[(?), float32]) -> Tensor[(?), float32] { %x };
  %1 = %0(ones(shape=[2], dtype="float32"));
  if (%long) { ones(shape=[3], dtype="float32") + %1 } else { ones(shape=[3], dtype="float32") }
}"""


def test_the_program_stops_where_they_meet():
    for name, run in ways(relay.parse(TEXT)).items():
        assert sum(run(False)) == 3, name
        with pytest.raises(RelayError, match="R054"):
            run(True)
