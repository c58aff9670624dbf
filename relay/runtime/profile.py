"""The run time of a program by step."""

from relay.support.node import Value, set_field, value


@value
class StepTime(Value):
    """The fastest time of one step, and its work.

    A kernel inside a native program is one step for all its `calls`.
    """

    label: str
    symbol: str
    milliseconds: float
    flops: int = 0
    bytes: int = 0
    calls: int = 1

    @property
    def gflops(self) -> float:
        """Return 10⁹ floating-point operations per second; 0 if the work is unknown."""
        return self.flops / self.milliseconds / 1e6 if self.milliseconds else 0.0

    @property
    def gbytes(self) -> float:
        """Return 10⁹ bytes per second; 0 if the traffic is unknown."""
        return self.bytes / self.milliseconds / 1e6 if self.milliseconds else 0.0


@value
class Profile(Value):
    """The steps of a program in order, with their times.

    >>> print(Profile([StepTime("conv", "k0", 2.0, flops=10**9)]))
    step              ms      %    MFLOP     MB  GFLOP/s   GB/s
    conv          2.0000  100.0   1000.0   0.00    500.0    0.0
    total         2.0000  100.0   1000.0   0.00    500.0    0.0
    """

    steps: tuple[StepTime, ...]

    def __post_init__(self) -> None:
        set_field(self, "steps", tuple(self.steps))

    @property
    def total(self) -> StepTime:
        """Return the sum of all steps."""
        return StepTime(
            "total",
            "",
            sum(s.milliseconds for s in self.steps),
            sum(s.flops for s in self.steps),
            sum(s.bytes for s in self.steps),
            sum(s.calls for s in self.steps),
        )

    def __str__(self) -> str:
        total = self.total
        rows = (*self.steps, total)
        width = max(8, *(len(s.label) for s in rows))
        head = f"{'step':<{width}}{'ms':>12}{'%':>7}{'MFLOP':>9}{'MB':>7}{'GFLOP/s':>9}{'GB/s':>7}"
        return "\n".join([head, *(_row(s, total, width) for s in rows)])


def _row(step: StepTime, total: StepTime, width: int) -> str:
    share = 100 * step.milliseconds / total.milliseconds if total.milliseconds else 0.0
    return (
        f"{step.label:<{width}}{step.milliseconds:>12.4f}{share:>7.1f}{step.flops / 1e6:>9.1f}"
        f"{step.bytes / 1e6:>7.2f}{step.gflops:>9.1f}{step.gbytes:>7.1f}"
    )
