"""Run Relay in PyTorch: a `torch.compile` backend, and a module that wraps a program.

These modules import PyTorch (`pip install relay-compiler[torch]`).
"""

from relay.interop.torch.backend import relay_backend as relay_backend
from relay.interop.torch.module import TorchModule as TorchModule
from relay.interop.torch.tensors import as_tensor as as_tensor
