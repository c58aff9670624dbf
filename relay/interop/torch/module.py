"""A compiled program as a module of PyTorch."""

from typing import Any

import torch

from relay.interop.torch.tensors import as_tensors
from relay.runtime.executable import Executable


class TorchModule(torch.nn.Module):
    """A module whose forward pass is a compiled program; its results share the program's memory.

    Tensors are read where they are, if they lie in the CPU's memory without gaps. The results have
    no gradient: the program is inference.
    """

    def __init__(self, executable: Executable) -> None:
        super().__init__()
        self.executable = executable

    def forward(self, *inputs: torch.Tensor) -> Any:
        """Run the program."""
        return as_tensors(self.executable(*(each.detach() for each in inputs)))
