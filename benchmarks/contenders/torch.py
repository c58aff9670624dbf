"""PyTorch, eager: the network built from its description, in inference mode."""

import torch

from benchmarks.contenders.case import Binding, Case, Feeds, Outputs
from benchmarks.networks import NETWORKS
from benchmarks.networks.torch_layers import TorchLayers

COMPILES = False  # eager execution; the time of `load` is spent drawing weights


def version() -> str:
    """Return the name and version of the engine."""
    return f"PyTorch eager {torch.__version__}"


def load(case: Case) -> Binding:
    """Build the module of the case's network; a case without one raises `LookupError`."""
    torch.set_num_threads(case.threads)
    torch.set_num_interop_threads(1)
    if case.network is None:
        raise LookupError("no PyTorch description of this model")
    layers = TorchLayers()
    NETWORKS[case.network].build(layers)
    module = layers.finish()

    def bind(feeds: Feeds) -> "Run":
        return Run(module, feeds)

    return bind


class Run:
    """One module with its inputs."""

    def __init__(self, module: torch.nn.Module, feeds: Feeds) -> None:
        """Wrap the inputs as tensors, without a copy."""
        self._module = module
        self._arguments = [torch.from_numpy(array) for array in feeds.values()]

    def __call__(self) -> Outputs:
        """Run the module on the bound inputs."""
        with torch.inference_mode():
            return [value.numpy() for value in self._module(*self._arguments)]
