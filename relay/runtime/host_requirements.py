"""The machine that native code requires, and the check that this machine provides it."""

import platform

from relay.support.error_codes import ErrorCode
from relay.support.errors import ArtefactError
from relay.support.llvm_targets import host
from relay.support.node import Value, value


@value
class HostRequirements(Value):
    """A machine that code is compiled for: LLVM triple, CPU name, and features as `+name,-name`.

    All features that the code may use must be listed, because a CPU name does not imply any.

    >>> haswell = HostRequirements("x86_64-unknown-linux-gnu", "haswell", "+avx2,-avx512f,+fma")
    >>> sorted(haswell.required)
    ['avx2', 'fma']
    """

    triple: str
    cpu: str = "generic"
    features: str = ""

    @staticmethod
    def host() -> "HostRequirements":
        """Return the machine that this process runs on."""
        return HostRequirements(*host())

    @property
    def required(self) -> frozenset[str]:
        """Return the names of the CPU features that the code may use."""
        return frozenset(f[1:] for f in self.features.split(",") if f.startswith("+"))

    @property
    def platform(self) -> tuple[str, str]:
        """Return architecture and operating system, which must equal those of the host."""
        parts = [*self.triple.split("-"), "", "", ""]
        return parts[0], parts[2].rstrip("0123456789.")

    def check_runs_here(self) -> None:
        """Raise `A007` for another architecture or system, `A008` if the CPU lacks features."""
        host = HostRequirements.host()
        if self.platform != host.platform:
            raise ArtefactError(
                ErrorCode.A007,
                f"the program was compiled for {self.triple}, but this machine is {host.triple}",
                help="compile the model on this machine, or for it",
            )
        missing = sorted(self.required - host.required)
        if missing:
            raise ArtefactError(
                ErrorCode.A008,
                f"the program needs CPU features that this machine lacks: {', '.join(missing)}",
                notes=[f"compiled for {self.cpu}; this is {host.cpu} ({platform.machine()})"],
                help="compile the model on this machine, or for a more general CPU",
            )
