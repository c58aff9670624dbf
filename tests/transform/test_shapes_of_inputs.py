"""Shapes that users give for the inputs of a program: sizes with names, and unknown ones."""

import pytest

import relay
from relay.ir.dims import Dim
from relay.transform.shapes_of_inputs import with_shapes

N = relay.DimVar("n")


def _main(text: str, **shapes: tuple[Dim, ...]) -> str:
    """Return the type of a function after its inputs got these shapes."""
    module = relay.parse(f'#[version = "0.0.5"]\ndef @main{text}')
    return str(with_shapes(module, shapes).main.type)


@pytest.mark.parametrize("dim", ["?", 'dim("m")'])
def test_sizes_are_known_in_the_whole_function(dim: str):
    text = f"(%x: Tensor[({dim}, 4), float32]) {{ let %y = tanh(%x); nn.dense(%y, %x) }}"
    assert _main(text, x=(2, 4)) == "fn (Tensor[(2, 4), float32]) -> Tensor[(2, 2), float32]"
    assert _main(text, x=(N, 4)) == "fn (Tensor[(n, 4), float32]) -> Tensor[(n, n), float32]"
    assert _main(text, x=(relay.ANY, 4)) == _main(text)


def test_declared_sizes_of_the_result_are_kept():
    params = "%x: Tensor[(?), float32], %s: Tensor[(2), int64]"
    text = f'({params}) -> Tensor[(?, 3), float32] {{ dyn.ones(%s, dtype="float32") }}'
    assert _main(text, x=(2,)).endswith("-> Tensor[(?, 3), float32]")


@pytest.mark.parametrize("shapes", [{"q": (2, 4)}, {"x": (2,)}, {"x": (2, 5)}, {"x": (2, N)}])
def test_shapes_that_do_not_fit(shapes: dict[str, tuple[Dim, ...]]):
    with pytest.raises(relay.RelayError, match=r"no input 'q'|does not match") as found:
        _main("(%x: Tensor[(?, 4), float32]) { tanh(%x) }", **shapes)
    assert found.value.code == "C106"
