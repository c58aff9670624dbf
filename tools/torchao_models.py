"""Quantise small networks by PT2E through torchao, and store the programs with PyTorch's answers.

    python tools/torchao_models.py tests/frontend/torch/quantised.zip

It needs the package torchao. Every entry of `NETWORKS` is calibrated with random inputs, converted,
exported, and run on other inputs.
"""

# What torchao gives has no types.
# pyright: reportUnknownArgumentType=none, reportUnknownVariableType=none

import io
import sys
import warnings
import zipfile
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

pt2e: Any = import_module("torchao.quantization.pt2e.quantize_pt2e")
x86: Any = import_module("torchao.quantization.pt2e.quantizer.x86_inductor_quantizer")
xnnpack: Any = import_module("torchao.testing.pt2e._xnnpack_quantizer")


class Convolutions(nn.Module):
    """Convolutions with a normalisation, one for each channel, a sum, poolings and a layer."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())
        self.deep = nn.Conv2d(8, 8, 3, groups=8, padding=1)
        self.last = nn.Linear(16, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return five scores of each image."""
        x = self.first(x)
        y = nn.functional.max_pool2d(torch.relu(x + self.deep(x)), 2)
        z = torch.cat([y, nn.functional.max_pool2d(x, 2)], 1)
        return self.last(z.mean((2, 3)))


class Attention(nn.Module):
    """A layer of a transformer."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.inner = nn.LayerNorm(16), nn.Linear(16, 48)
        self.outer, self.up, self.down = nn.Linear(16, 16), nn.Linear(16, 32), nn.Linear(32, 16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the state of each word."""
        q, k, v = self.inner(self.norm(x)).view(*x.shape[:2], 6, 8).transpose(1, 2).chunk(3, 1)
        mixed = torch.softmax(q @ k.transpose(2, 3) / 8**0.5, -1) @ v
        x = x + self.outer(mixed.transpose(1, 2).flatten(2))
        return x + self.down(nn.functional.gelu(self.up(x)))


def of_x86(dynamic: bool = False) -> Any:
    """Return the quantiser for x86: unsigned activations, weights with a scale for each row."""
    config = x86.get_default_x86_inductor_quantization_config(is_dynamic=dynamic)
    return x86.X86InductorQuantizer().set_global(config)


def of_xnnpack(**options: bool) -> Any:
    """Return the quantiser for XNNPACK: signed activations."""
    config = xnnpack.get_symmetric_quantization_config(**options)
    return xnnpack.XNNPACKQuantizer().set_global(config)


IMAGES, TEXTS = (4, 3, 8, 8), (2, 6, 16)
NETWORKS: Mapping[str, tuple[Callable[[], nn.Module], tuple[int, ...], Callable[[], Any]]] = {
    "convolutions_x86": (Convolutions, IMAGES, of_x86),
    "convolutions_xnnpack": (Convolutions, IMAGES, lambda: of_xnnpack(is_per_channel=True)),
    "attention_x86": (Attention, TEXTS, of_x86),
    "attention_dynamic": (Attention, TEXTS, lambda: of_xnnpack(is_dynamic=True)),
}


def quantised(net: nn.Module, x: torch.Tensor, quantiser: Any) -> Any:
    """Return a network that is calibrated with inputs and converted, as an exported program."""
    prepared = pt2e.prepare_pt2e(torch.export.export(net.eval(), (x,)).module(), quantiser)
    prepared(x)
    return torch.export.export(pt2e.convert_pt2e(prepared), (x,))


def main(path: Path) -> None:
    """Write all programs and answers into one archive."""
    warnings.simplefilter("ignore")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (make, shape, quantiser) in NETWORKS.items():
            torch.manual_seed(0)
            program = quantised(make(), torch.randn(shape), quantiser())
            x, data, answers = torch.randn(shape), io.BytesIO(), io.BytesIO()
            torch.export.save(program, data)
            with torch.no_grad():
                y = program.module()(x)
            np.savez_compressed(answers, x=x.numpy(), y=y.numpy())
            for suffix, content in ((".pt2", data), (".npz", answers)):
                info = zipfile.ZipInfo(name + suffix)
                archive.writestr(info, content.getvalue(), zipfile.ZIP_DEFLATED)
    print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
