"""The signature of a program over data types: what its callers give and get, by their names."""

import pytest

import relay
from relay.frontend.text import parse

HEAD = '#[version = "0.0.5"]\nimport "prelude.rly"\n'
PROGRAMS = [
    (
        "def @main(%xs: List[float32], %o: Option[Tensor[(n, 3), float32]]) { %xs }",
        "(xs: List[float32], o: Option[float32[n, 3]]) -> (output0: List[float32])",
    ),
    (
        "def @main(%p: (int32, (float32,)), %x: bool) { (%p.0, %p) }",
        "(p: (int32, (float32,)), x: bool[]) -> (output0: int32[], output1: (int32, (float32,)))",
    ),
    (
        "type Expr { Num(float32) }  def @main(%e: Expr, %t: Tree[Option[int32]]) { %e }",
        "(e: Expr, t: Tree[Option[int32]]) -> (output0: Expr)",
    ),
]


@pytest.mark.parametrize(("program", "expected"), PROGRAMS)
def test_the_types_of_the_program_are_shown(program, expected, tmp_path):
    module = parse(HEAD + program)
    for executable in (relay.compile(module), relay.vm.compile(module)):
        assert str(executable.signature) == expected
        executable.save(tmp_path / "program.relay")
        loaded = relay.Executable.load(tmp_path / "program.relay")
        assert loaded.signature == executable.signature
        assert [spec.name for spec in loaded.signature.inputs] == list(loaded.input_names)


def test_whether_sizes_are_known_is_looked_up_within_values():
    closed = parse(HEAD + "def @main(%o: List[Tensor[(2, 3), float32]]) { %o }")
    assert relay.compile(closed).signature.is_static
    opened = parse(HEAD + PROGRAMS[0][0])
    assert not relay.compile(opened).signature.is_static


def test_with_batch_the_signature_is_that_of_one_input():
    sums = (
        HEAD
        + """
    def @main(%xs: List[float32], %w: float32) -> float32 {
      match (%xs) { Cons(%x, %rest) => %x * %w + @main(%rest, %w), Nil => 0f }
    }"""
    )
    fast = relay.compile(parse(sums), batch=True)
    assert str(fast.signature) == "(xs: List[float32], w: float32[]) -> (output0: float32[])"


def test_the_graph_executor_takes_values_as_they_are():
    module = parse(HEAD + "def @main(%xs: List[float32], %y: float32) { (%xs, %y) }")
    graph = relay.graph_executor.GraphModule(relay.compile(module))
    graph.run(xs=[1.0, 2.0], y=3.0)
    assert graph.get_input_info() == ({"y": ()}, {"y": "float32"})
    assert [float(each) for each in graph.get_output(0).plain()] == [1.0, 2.0]
