"""Lookup of CPU models by name: the host, a level of x86-64, or a target triple.

A name may be followed by the options `-mcpu` and `-mattr` of LLVM's tools: `aarch64-linux-gnu
-mcpu=cortex-a76 -mattr=+dotprod`. TVM's form `llvm -mtriple=…` is accepted, too.
"""

from collections.abc import Mapping

from relay.kernels.cpu_model import CpuModel
from relay.kernels.processor_names import check_names
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.support.llvm_targets import target_machine

_V2 = ("cx16", "popcnt", "sahf", "sse3", "ssse3", "sse4.1", "sse4.2")
_V3 = (*_V2, "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
_V4 = (*_V3, "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl")
_LEVELS = {"x86-64": (), "x86-64-v2": _V2, "x86-64-v3": _V3, "x86-64-v4": _V4}
"""The features of each level of x86-64, by LLVM's names of the processors."""

_BASE: Mapping[str, tuple[str, ...]] = {
    "aarch64": ("fp-armv8", "neon"),
    "riscv64": ("a", "c", "d", "f", "m"),
    "wasm32": ("bulk-memory", "nontrapping-fptoint", "sign-ext", "simd128", "tail-call"),
    "x86_64": (),
}
"""The supported architectures, and the features that every machine of each is assumed to have."""

_SYSTEMS = ("linux", "darwin", "macos", "windows", "wasi", "none", "freebsd")


def machine_named(name: str) -> CpuModel:
    """Return the CPU model with a name; raises `C150` if the name is unknown.

    >>> machine_named("x86-64-v3").vector_bytes, machine_named("wasm32").triple
    (32, 'wasm32-unknown-unknown')
    """
    first, *options = name.split() or [""]
    said = dict(option.split("=", 1) for option in options if "=" in option)
    if len(said) != len(options) or not said.keys() <= {"-mtriple", "-mcpu", "-mattr"}:
        raise _unknown(name)
    kind = said.get("-mtriple", "native") if first == "llvm" else first
    return _machine(kind, said.get("-mcpu"), said.get("-mattr", ""))


def _machine(kind: str, cpu: str | None, more: str) -> CpuModel:
    """Return a CPU model for a kind of machine, a processor and additional features."""
    if kind == "native":
        host = CpuModel.host()
        if cpu is None and not more:
            return host
        triple, usual, features = host.triple, host.cpu, host.features
    elif kind in _LEVELS:
        triple, usual, features = _here_or_linux(), kind, _written(_LEVELS[kind])
    else:
        triple, usual = _normal(kind), "generic"
        architecture = triple.split("-")[0]
        if architecture not in _BASE:
            raise _unknown(kind)
        features = _written(_BASE[architecture])
    if cpu or more:
        check_names(triple, cpu, more)
    machine = CpuModel.of(triple, cpu or usual, _joined(features, more))
    _check(machine, kind)
    return machine


def _written(features: tuple[str, ...]) -> str:
    return ",".join(f"+{feature}" for feature in features)


def _joined(features: str, more: str) -> str:
    return ",".join(part for part in (features, more) if part)


def _here_or_linux() -> str:
    """Return the host's triple if the host is an x86-64, else that of x86-64 Linux."""
    host = CpuModel.host()
    return host.triple if host.is_x86 else "x86_64-unknown-linux-gnu"


def _normal(triple: str) -> str:
    """Return a triple with all its parts: architecture, vendor, system, and perhaps the ABI.

    >>> _normal("aarch64-linux-gnu"), _normal("arm64-apple-macos")
    ('aarch64-unknown-linux-gnu', 'aarch64-apple-macos')
    """
    architecture, *rest = triple.replace("arm64-", "aarch64-", 1).split("-")
    if not rest or rest[0].startswith(_SYSTEMS):
        rest = ["unknown", *rest]
    return "-".join([architecture, *rest, *(["unknown"] if len(rest) < 2 else [])])


def _check(machine: CpuModel, name: str) -> None:
    try:
        target_machine(machine.triple, machine.cpu, machine.features, 0)
    except RuntimeError as error:
        raise _unknown(name) from error


def _unknown(name: str) -> CompileError:
    return CompileError(
        ErrorCode.C150,
        f"unknown machine '{name}'",
        notes=[
            f"levels: {', '.join(_LEVELS)}",
            f"architectures: {', '.join(_BASE)}",
            "Relay has CPU targets; packages can add other devices (docs/how-to/add-a-target.md)",
        ],
        help="write native, a level such as x86-64-v3, or a triple; -mcpu= and -mattr= may follow",
    )
