"""The outputs of PyTorch's models keep the keys of dictionaries and the names of fields."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from torch import nn
from torch.utils import _pytree as pytree

import relay

X = torch.ones(2, 3)


class Pair(NamedTuple):
    mean: torch.Tensor
    scale: torch.Tensor


@dataclass
class Result:
    logits: torch.Tensor
    hidden: torch.Tensor


class Output(OrderedDict[str, Any]):
    """A dictionary that is a data class too, as libraries of language models have it."""

    def __post_init__(self) -> None:
        self.update({each.name: getattr(self, each.name) for each in fields(self)})  # pyright: ignore[reportArgumentType]


@dataclass
class Encoded(Output):
    last: torch.Tensor
    states: tuple[torch.Tensor, ...]


torch.export.register_dataclass(Result, serialized_type_name="Result")
pytree.register_pytree_node(
    Encoded,
    lambda each: (list(each.values()), list(each)),
    lambda values, keys: Encoded(**dict(zip(keys, values, strict=True))),
    serialized_type_name="Encoded",
)


class Model(nn.Module):
    def __init__(self, structure: Callable[[torch.Tensor, torch.Tensor], Any]) -> None:
        super().__init__()
        self.structure = structure

    def forward(self, x: torch.Tensor) -> Any:
        return self.structure(x + 1, x * 2)


STRUCTURES: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {
    "a tensor": (lambda a, _: a, ("add",)),
    "a tuple": (lambda a, b: (a, b), ("add", "mul")),
    "a dictionary": (lambda a, b: {"logits": a, "hidden": b}, ("logits", "hidden")),
    "nested": (lambda a, b: ({"x": [a, b]}, a), ("0.x.0", "0.x.1", "add")),
    "a named tuple": (Pair, ("mean", "scale")),
    "a data class": (Result, ("logits", "hidden")),
    "a dictionary with fields": (
        lambda a, b: Encoded(a, (a, b)), ("last", "states.0", "states.1"),
    ),
    "nothing for a key": (lambda a, _: {"loss": None, "logits": a}, ("logits",)),
}  # fmt: skip


@pytest.mark.parametrize("name", STRUCTURES)
def test_exported_programs(name: str):
    structure, wanted = STRUCTURES[name]
    module = relay.load(Model(structure).eval(), example_inputs=(X,))
    assert module.main.attrs["outputs"] == wanted


def test_files_and_compiled_programs(tmp_path: Path):
    structure, wanted = STRUCTURES["a dictionary with fields"]
    path = tmp_path / "model.pt2"
    torch.export.save(torch.export.export(Model(structure).eval(), (X,)), path)
    compiled = relay.compile(relay.load(path), threads=1)
    assert tuple(each.name for each in compiled.signature.outputs) == wanted


class OfFields(nn.Module):
    def forward(self, x: torch.Tensor) -> Pair:
        return Pair(x + 1, x * 2)


class OfKeys(nn.Module):
    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"logits": x + 1, "hidden": x * 2}


class OfVariables(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        total = x + 1
        return total, x * 2


SCRIPTS: dict[str, tuple[type[nn.Module], tuple[str, ...]]] = {
    "fields": (OfFields, ("mean", "scale")),
    "keys": (OfKeys, ("logits", "hidden")),
    "variables": (OfVariables, ("total", "output1")),
}


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts(name: str):
    kind, wanted = SCRIPTS[name]
    module, _ = relay.frontend.from_pytorch(torch.jit.script(kind().eval()), [("x", (2, 3))])
    assert module.main.attrs["outputs"] == wanted


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
def test_traced_dictionaries():
    traced = torch.jit.trace(OfKeys().eval(), X, strict=False)
    module, _ = relay.frontend.from_pytorch(traced, [("x", (2, 3))])
    assert module.main.attrs["outputs"] == ("logits", "hidden")
