"""The model of a CPU: instruction set, vector width, registers, caches.

Schedules read these numbers; the code generator reads the triple, the processor and the features.
A machine is a value, so it is part of the key under which compiled kernels are cached.
"""

import functools
import re
from pathlib import Path

from relay.kernels.cpu_core_table import CORES, SMALL, USUAL
from relay.support.dtype import DType
from relay.support.llvm_targets import host
from relay.support.node import Value, replace, value

_KIB = 1024


@value
class CpuModel(Value):
    """A model of a processor; sizes are in bytes, caches per core except `l3`.

    `fma_ports` is the number of vector multiply-adds that start in a cycle; 0 means that the
    machine has no fused multiply-add. `fma_latency` is the number of cycles after which a sum is
    available as an operand, `loads` the number of vector loads that start in a cycle, `issue` that
    of all instructions.

    >>> from relay.support.dtype import float32
    >>> CpuModel("aarch64-linux-gnu", "cortex-a76").lanes(float32)
    4
    """

    triple: str
    cpu: str = "generic"
    features: str = ""
    vector_bytes: int = 16
    vector_registers: int = 32
    fma_ports: int = USUAL.fma_ports
    l1: int = USUAL.l1
    l2: int = USUAL.l2
    l3: int = USUAL.l3
    pointer_bytes: int = 8
    fma_latency: int = USUAL.latency
    loads: int = USUAL.loads
    issue: int = USUAL.issue

    @staticmethod
    def host() -> "CpuModel":
        """Return the model of the CPU that runs this process."""
        return _host()

    @staticmethod
    def of(triple: str, cpu: str = "generic", features: str = "") -> "CpuModel":
        """Return the model of a CPU, given LLVM's triple, processor and features."""
        core = CORES.get(cpu, SMALL if triple.startswith("riscv") else USUAL)
        width, registers, fuses = _vectors(triple, _enabled(features))
        pointer = 4 if triple.startswith(("wasm32", "armv", "i686", "riscv32")) else 8
        return CpuModel(
            triple, cpu, features, width, registers, core.fma_ports if fuses else 0, core.l1,
            core.l2, core.l3, pointer, core.latency, core.loads, core.issue,
        )  # fmt: skip

    def lanes(self, dtype: DType) -> int:
        """Return the number of elements of `dtype` in one vector register.

        Half-precision numbers are computed in float32, so each takes the space of a float32.
        """
        bits = max(dtype.bits, 32) if dtype.is_float else max(dtype.bits, 8)
        return max(1, self.vector_bytes * 8 // bits)

    def has(self, feature: str) -> bool:
        """Return whether the machine has an instruction-set extension, such as LLVM's `avx512f`."""
        return feature in _enabled(self.features)

    @property
    def llvm(self) -> tuple[str, str, str]:
        """Return LLVM's description of the machine: the triple, the processor and the features."""
        return self.triple, self.cpu, self.features

    @property
    def is_x86(self) -> bool:
        """Whether the CPU is a 64-bit x86."""
        return self.triple.startswith("x86_64")

    @property
    def is_aarch64(self) -> bool:
        """Whether the CPU is a 64-bit ARM."""
        return self.triple.startswith(("aarch64", "arm64"))

    @property
    def is_wasm(self) -> bool:
        """Whether the machine is 32-bit WebAssembly."""
        return self.triple.startswith("wasm32")


@functools.cache
def _enabled(features: str) -> frozenset[str]:
    last = {name[1:]: name[:1] for name in features.split(",")}
    return frozenset(name for name, sign in last.items() if sign == "+")


def _vectors(triple: str, features: frozenset[str]) -> tuple[int, int, bool]:
    """Return the bytes of a vector, the number of vector registers, and whether there is an FMA."""
    if triple.startswith("x86_64"):
        fuses = "fma" in features
        if "avx512f" in features and "avx512vl" in features:
            return 64, 32, fuses
        return (32 if "avx2" in features else 16), 16, fuses
    if triple.startswith(("aarch64", "arm64")):
        return 16, 32, True
    if triple.startswith("riscv"):
        return (_risc_v_bytes(features) if "v" in features else 8), 32, True  # else pairs
    return 16, 16, False


def _risc_v_bytes(features: frozenset[str]) -> int:
    """Return the bytes of a vector: 16, or more if a feature such as `zvl512b` guarantees it."""
    promised = [int(name[3:-1]) for name in features if re.fullmatch(r"zvl\d+b", name)]
    return min(64, max([128, *promised]) // 8)  # 64: LLVM's longest fixed-length vectors


@functools.cache
def _host() -> CpuModel:
    triple, cpu, features = host()
    made = CpuModel.of(triple, cpu, features)
    l1, l2, l3 = _caches(Path("/sys/devices/system/cpu/cpu0/cache"), (made.l1, made.l2, made.l3))
    return replace(made, l1=l1, l2=l2, l3=l3)


def _caches(folder: Path, usual: tuple[int, int, int]) -> tuple[int, int, int]:
    """Return the sizes of the L1, L2 and L3 data caches; an unknown size is the usual one."""
    sizes = dict(zip((1, 2, 3), usual, strict=True))
    for entry in sorted(folder.glob("index*")):
        try:
            kind = (entry / "type").read_text().strip()
            level = int((entry / "level").read_text())
            size = (entry / "size").read_text().strip()
            if kind != "Instruction" and level in sizes:
                sizes[level] = int(size.removesuffix("K")) * _KIB
        except (OSError, ValueError):
            continue
    return sizes[1], sizes[2], sizes[3]
