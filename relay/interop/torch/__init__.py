"""Run Relay in PyTorch: a `torch.compile` backend, and a module that wraps a program.

These modules import PyTorch (`pip install relay-compiler[torch]`).
"""

try:
    from relay.interop.torch.backend import relay_backend as relay_backend
    from relay.interop.torch.module import TorchModule as TorchModule
    from relay.interop.torch.tensors import as_tensor as as_tensor
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    needed = "relay.interop.torch needs PyTorch: pip install relay-compiler[torch]"
    raise ModuleNotFoundError(needed, name="torch") from None
