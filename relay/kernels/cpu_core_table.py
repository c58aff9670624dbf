"""Performance parameters of processor cores, by their LLVM names.

The available instructions, and with them the vector width, follow from a machine's list of
features; the same features run on cores of different speed. The numbers are from the manufacturers'
guides and manuals, and from published measurements.
"""

from collections.abc import Mapping

from relay.support.node import Value, value

_KIB, _MIB = 1024, 1024 * 1024


@value
class Core(Value):
    """The speed of a core and the sizes of its caches.

    In each cycle, `issue` instructions start, among them `fma_ports` vector multiply-adds and
    `loads` vector loads. The result of an addition is available after `latency` cycles. Cache sizes
    are in bytes; of a shared cache, they count one core's share.
    """

    fma_ports: int = 2
    latency: int = 4
    loads: int = 2
    issue: int = 8
    l1: int = 32 * _KIB
    l2: int = 512 * _KIB
    l3: int = 8 * _MIB


USUAL = Core()
"""The parameters of a core without a name: close to most desktop and server cores."""

SMALL = Core(fma_ports=1, issue=2)
"""The parameters of a RISC-V core without a name."""

_SKYLAKE_X = Core(l2=_MIB, l3=1408 * _KIB)
_ICE_LAKE = Core(l1=48 * _KIB, l2=1280 * _KIB, l3=1536 * _KIB)
_SAPPHIRE = Core(l1=48 * _KIB, l2=2 * _MIB, l3=1920 * _KIB)
_GOLDEN_COVE = Core(loads=3, l1=48 * _KIB, l2=1280 * _KIB, l3=3 * _MIB)
_APPLE = Core(fma_ports=4, loads=3, l1=128 * _KIB, l2=3 * _MIB, l3=_MIB)

CORES: Mapping[str, Core] = {
    # x86: ports and loads are those of the widest vectors
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
    "gracemont": Core(fma_ports=1, loads=1, l2=512 * _KIB, l3=3 * _MIB),  # two 128-bit halves
    "znver2": Core(latency=5, l3=4 * _MIB),
    "znver3": Core(l3=4 * _MIB),
    "znver4": Core(l2=_MIB, l3=4 * _MIB),  # tiles were measured with full vectors' parameters
    "znver5": Core(l1=48 * _KIB, l2=_MIB, l3=4 * _MIB),
    # ARM: accumulators are forwarded early, so their latency is below that of products
    "cortex-a72": Core(latency=3, loads=1, issue=3, l3=_MIB),
    "cortex-a76": Core(latency=2, issue=4, l1=64 * _KIB),
    "neoverse-n1": Core(latency=2, issue=4, l1=64 * _KIB, l2=_MIB, l3=_MIB),
    "neoverse-v1": Core(fma_ports=4, latency=2, loads=3, l1=64 * _KIB, l2=_MIB, l3=_MIB),
    "neoverse-v2": Core(fma_ports=4, latency=2, loads=3, l1=64 * _KIB, l2=2 * _MIB, l3=_MIB),
    "apple-m1": _APPLE,
    "apple-m2": _APPLE,
    "apple-m3": _APPLE,
    "apple-m4": _APPLE,
    # RISC-V: a vector of 512 bits is processed in two halves
    "sifive-x280": Core(fma_ports=1, loads=1, issue=2, l2=256 * _KIB, l3=_MIB),
}
"""The parameters of known cores, by LLVM's names of the processors."""
