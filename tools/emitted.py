"""Print a hash of the LLVM text of all kernels of some networks, for a few machines.

    python tools/emitted.py > before
    … change the kernel compiler …
    python tools/emitted.py | diff before -

shows which kernels a change has altered; a pure refactoring leaves all hashes unchanged.
"""

import argparse
import hashlib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
from relay.build.compile_kernels import scheduled_functions
from relay.build.kernel_listing import kernel_functions
from relay.build.pipeline import pipeline
from relay.ir.module import Module
from relay.kernels.kernel_compiler import Options
from relay.kernels.llvm.buffer_placement import plan
from relay.kernels.llvm.emit_kernel_module import emit_kernel
from relay.semantics.infer import infer
from relay.targets.registry import target_for
from relay.targets.target import HostTarget
from relay.testing.zoo import dqn, gru, lstm, mobilenet, resnet, transformer
from relay.transform.run_passes import run_passes

NETWORKS: Mapping[str, Callable[[], Module]] = {
    "resnet18": lambda: resnet.workload()[0],
    "encoder": lambda: transformer.workload()[0],
    "lstm": lambda: lstm.workload()[0],
    "gru": lambda: gru.workload()[0],
    "mobilenet": lambda: mobilenet.workload()[0],
    "dqn": lambda: dqn.workload()[0],
}
MACHINES = ("native", "x86-64-v3", "aarch64-linux-gnu")


def emitted(module: Module, host: HostTarget) -> list[str]:
    """Return the LLVM text of each kernel of a module, all with the same function name."""
    optimised, _ = run_passes(infer(module), pipeline(host))
    made = scheduled_functions(kernel_functions(optimised, host), host)
    given = host.machine, Options()
    return [emit_kernel(each.kernel, "kernel", plan(each.kernel), *given) for each in made]


def network(name: str) -> str:
    """Return the name of a network; `choices` of an optional list refuses its default."""
    if name not in NETWORKS:
        raise argparse.ArgumentTypeError(f"unknown network {name!r}; use {', '.join(NETWORKS)}")
    return name


def main() -> None:
    """Print a line for each network and machine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", nargs="*", type=network)
    for name in parser.parse_args().networks or NETWORKS:
        module = NETWORKS[name]()
        for machine in MACHINES:
            texts = emitted(module, target_for(None if machine == "native" else machine))
            digest = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]
            print(f"{name:<10} {machine:<18} {len(texts):>3} {digest}", flush=True)


if __name__ == "__main__":
    main()
