"""Wrap a compiled program as a PyTorch module."""

from typing import Any

import torch

from relay.interop.torch.tensors import as_tensors
from relay.runtime.executable import Executable


class TorchModule(torch.nn.Module):
    """A module whose forward pass is a compiled program; results alias the program's memory.

    Contiguous CPU tensors are read in place. Results carry no gradient: the program is for
    inference.
    """

    def __init__(self, executable: Executable) -> None:
        super().__init__()
        self.executable = executable

    def forward(self, *inputs: torch.Tensor) -> Any:
        """Run the program."""
        return as_tensors(self.executable(*(each.detach() for each in inputs)))
