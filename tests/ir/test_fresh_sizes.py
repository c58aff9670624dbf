from pathlib import Path

import relay
from relay.ir.dims import DimVar, renamed_apart, substitute
from relay.ir.expr import Function, Var
from relay.ir.module import Module
from relay.ir.types import TensorType

N = DimVar("n")
ONE, OTHER = N.fresh(), N.fresh()


def of_shape(*shape: DimVar) -> Module:
    x = Var("x", TensorType(shape))
    return Module.of(Function((x,), x))


def test_a_fresh_size_is_equal_to_itself_alone():
    assert N is DimVar("n")
    assert len({N, ONE, OTHER}) == 3
    assert ONE + OTHER is OTHER + ONE
    assert ONE - OTHER != 0
    assert substitute(ONE + OTHER + N, {ONE: 2}) is N + OTHER + 2
    assert set(renamed_apart((N, ONE)).values()).isdisjoint((N, ONE, OTHER))


def test_which_fresh_sizes_are_equal_is_kept_in_texts_and_files(tmp_path: Path):
    for shape in ((ONE, N, OTHER, ONE), (ONE, ONE), (ONE, OTHER), (N, ONE)):
        module = of_shape(*shape)
        path = tmp_path / "module.relay"
        relay.save(module, path)
        for again in (relay.parse(str(module)), relay.load(path)):
            assert relay.structural_equal(again, module)
            found = again["main"].params[0].tensor_type.shape
            assert len(set(found)) == len(set(shape))
            assert all((a is N) == (b is N) for a, b in zip(found, shape, strict=True))


def test_fresh_sizes_are_numbered_as_they_are_written():
    text = str(of_shape(OTHER, ONE, OTHER))
    assert """Tensor[(dim("n'1"), dim("n'2"), dim("n'1")), float32]""" in text
