"""Shapes given for the inputs of an exported program."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import relay
from relay.ir.dims import DimVar
from relay.ir.types import TensorType
from relay.semantics.evaluate import evaluate


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("models") / "pairs.pt2"
    sizes = {0: torch.export.Dim("b", min=1, max=8), 1: 2 * torch.export.Dim("n", min=1, max=9)}

    class Halves(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.view(x.shape[0], 2, x.shape[1] // 2).sum(1)

    program = torch.export.export(Halves(), (torch.ones(3, 6),), dynamic_shapes=(sizes,))
    torch.export.save(program, found)
    return found


def test_given_sizes_replace_dynamic_ones(path: Path):
    module = relay.load(path, shapes={"x": (4, 8)})
    assert module.main.params[0].type == TensorType((4, 8), "float32")
    x = np.arange(32, dtype=np.float32).reshape(4, 8)
    np.testing.assert_array_equal(evaluate(module, x), x.reshape(4, 2, 4).sum(1))
    b, program = DimVar("batch"), torch.export.load(path)
    assert relay.load(program, shapes={"x": (b, 8)}).main.params[0].type.shape[0] is b


@pytest.mark.parametrize(
    ("shapes", "code"),
    [({"y": (4, 8)}, "F019"), ({"x": (4, 7)}, "F014"), ({"x": (9, 8)}, "F014"),
     ({"x": (4,)}, "F014"), ({"x": "ab"}, "F014")],
)  # fmt: skip
def test_shapes_that_do_not_fit(path: Path, shapes: Any, code: str):
    with pytest.raises(relay.RelayError) as caught:
        relay.load(path, shapes=shapes)
    assert caught.value.code == code


def test_bounds_of_sizes_are_checked(path: Path):
    run = relay.compile(relay.load(path))
    assert run(np.ones((8, 18), np.float32)).shape == (8, 9)
    for shape, axis in (((9, 8), 0), ((3, 20), 1)):
        with pytest.raises(
            relay.RelayError, match=f"axis {axis} of the input 'x'.* from"
        ) as caught:
            run(np.ones(shape, np.float32))
        assert caught.value.code == "R054"


@pytest.mark.parametrize(
    ("shapes", "code"), [([(2, 3)], "F019"), ({3: (2, 3)}, "F019"), ({"x": 3}, "F014")]
)
def test_shapes_are_checked_before_a_model_is_imported(shapes: Any, code: str):
    with pytest.raises(relay.RelayError) as caught:
        relay.compile(torch.nn.Identity(), (torch.ones(2, 3),), shapes=shapes)
    assert caught.value.code == code
