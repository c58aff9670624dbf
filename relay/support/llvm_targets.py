"""LLVM's descriptions of target machines and of the host."""

import functools
from typing import Literal

import llvmlite.binding as llvm

from relay.support.worker_thread import in_worker_thread


@functools.cache
@in_worker_thread
def host() -> tuple[str, str, str]:
    """Return the LLVM target triple of the host, its CPU name, and its CPU features as `+a,-b`."""
    features = llvm.get_host_cpu_features().flatten()
    return llvm.get_process_triple(), llvm.get_host_cpu_name(), features


@functools.cache
@in_worker_thread
def target_machine(triple: str, cpu: str, features: str, level: int) -> llvm.TargetMachine:
    """Return LLVM's target machine for code that may be loaded at any address.

    `level` is the optimisation level. Raises `RuntimeError` for an unknown triple.
    """
    _initialise()
    return llvm.Target.from_triple(triple).create_target_machine(
        cpu=cpu,
        features=features,
        opt=level,
        reloc=_relocation(triple),
        codemodel="default",
        abiname=_abi(triple, features),
    )


def _relocation(triple: str) -> Literal["static", "pic"]:
    return "static" if triple.startswith("wasm") else "pic"


def _abi(triple: str, features: str) -> str:
    """Return the ABI name that LLVM needs for RISC-V; empty for other targets."""
    if triple.startswith("riscv64"):
        return "lp64d" if "+d" in features.split(",") else "lp64"
    return ""


@functools.cache
def _initialise() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
