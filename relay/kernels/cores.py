"""Cores by the names that LLVM has for them: what a model of their speed must know.

What instructions there are, and so how wide vectors are, says a machine's list of features; the
same features run on cores of different strength. Numbers are those of the manufacturers' guides and
manuals, and of published measurements.
"""

from collections.abc import Mapping

from relay.support.node import Value, value

_KIB, _MIB = 1024, 1024 * 1024


@value
class Core(Value):
    """How fast a core is, and how large its caches are.

    `fma_ports` vector multiply-adds and `loads` of vectors start in a cycle. A sum can be added to
    again after `latency` cycles. Caches are in bytes; of one that cores share it is a core's part.
    """

    fma_ports: int = 2
    latency: int = 4
    loads: int = 2
    l1: int = 32 * _KIB
    l2: int = 512 * _KIB
    l3: int = 8 * _MIB


USUAL = Core()
"""What is assumed of a core without a name: most cores of desks and servers come close to it."""

SMALL = Core(fma_ports=1)
"""What is assumed of a RISC-V core without a name."""

_SKYLAKE_X = Core(l2=_MIB, l3=1408 * _KIB)
_ICE_LAKE = Core(l1=48 * _KIB, l2=1280 * _KIB, l3=1536 * _KIB)
_SAPPHIRE = Core(l1=48 * _KIB, l2=2 * _MIB, l3=1920 * _KIB)
_GOLDEN_COVE = Core(loads=3, l1=48 * _KIB, l2=1280 * _KIB, l3=3 * _MIB)
_APPLE = Core(fma_ports=4, loads=3, l1=128 * _KIB, l2=3 * _MIB, l3=_MIB)

CORES: Mapping[str, Core] = {
    # x86: ports and loads are of the widest vectors
    "haswell": Core(latency=5, l2=256 * _KIB, l3=2 * _MIB),
    "broadwell": Core(latency=5, l2=256 * _KIB, l3=2 * _MIB),
    "skylake": Core(l2=256 * _KIB, l3=2 * _MIB),
    "skylake-avx512": _SKYLAKE_X,
    "cascadelake": _SKYLAKE_X,
    "cooperlake": _SKYLAKE_X,
    "icelake-server": _ICE_LAKE,
    "sapphirerapids": _SAPPHIRE,
    "emeraldrapids": _SAPPHIRE,
    "graniterapids": _SAPPHIRE,
    "alderlake": _GOLDEN_COVE,
    "raptorlake": _GOLDEN_COVE,
    "gracemont": Core(fma_ports=1, loads=1, l2=512 * _KIB, l3=3 * _MIB),  # halves of 128 bits
    "znver2": Core(latency=5, l3=4 * _MIB),
    "znver3": Core(l3=4 * _MIB),
    "znver4": Core(l2=_MIB, l3=4 * _MIB),  # its tiles were measured with those of full vectors
    "znver5": Core(l1=48 * _KIB, l2=_MIB, l3=4 * _MIB),
    # ARM: sums are forwarded early, so that they wait less than products do
    "cortex-a72": Core(latency=3, loads=1, l3=_MIB),
    "cortex-a76": Core(latency=2, l1=64 * _KIB),
    "neoverse-n1": Core(latency=2, l1=64 * _KIB, l2=_MIB, l3=_MIB),
    "neoverse-v1": Core(fma_ports=4, latency=2, loads=3, l1=64 * _KIB, l2=_MIB, l3=_MIB),
    "neoverse-v2": Core(fma_ports=4, latency=2, loads=3, l1=64 * _KIB, l2=2 * _MIB, l3=_MIB),
    "apple-m1": _APPLE,
    "apple-m2": _APPLE,
    "apple-m3": _APPLE,
    "apple-m4": _APPLE,
    # RISC-V: vectors of 512 bits in two halves
    "sifive-x280": Core(fma_ports=1, loads=1, l2=256 * _KIB, l3=_MIB),
}
"""The cores that are known."""
