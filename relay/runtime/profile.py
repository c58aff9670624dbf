"""The run time of a program, by step."""

import json
from csv import DictWriter
from io import StringIO

from relay.support.errors import missing
from relay.support.missing_member import MissingMember
from relay.support.node import Value, set_field, value


@value
class StepTime(Value):
    """The fastest time of one step, and its operations and bytes.

    A kernel in a native program is one step for all its `calls`.

    >>> steps = StepTime("conv", "k0", 2.0, 10**9, 10**8), StepTime("view", "", 0.0)
    >>> [(step.gflops, step.gbytes) for step in steps]
    [(500.0, 50.0), (0.0, 0.0)]
    """

    label: str
    symbol: str
    milliseconds: float
    flops: int = 0
    bytes: int = 0
    calls: int = 1

    @property
    def gflops(self) -> float:
        """Return the speed in 10⁹ floating-point operations per second; 0 if unknown."""
        return self.flops / self.milliseconds / 1e6 if self.milliseconds else 0.0

    @property
    def gbytes(self) -> float:
        """Return the speed in 10⁹ bytes per second; 0 if unknown."""
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
        """Return one step with the sums of all steps' times, operations and bytes."""
        return StepTime(
            "total",
            "",
            sum(s.milliseconds for s in self.steps),
            sum(s.flops for s in self.steps),
            sum(s.bytes for s in self.steps),
            sum(s.calls for s in self.steps),
        )

    def __str__(self) -> str:
        return self.table(sort=False)

    # TVM's attributes of a report

    from_json = MissingMember("read the rows: json.loads(text)['calls']; or pickle the report")

    @property
    def configuration(self) -> dict[str, object]:
        """Return what was measured: the device, and the number of steps."""
        return {"Device": "cpu0", "Steps": len(self.steps)}

    @property
    def device_metrics(self) -> dict[str, dict[str, object]]:
        """Return the sums of each device: there is only `cpu0`."""
        share = 100.0 if self.total.milliseconds else 0.0
        return {"cpu0": {"Duration (us)": self.total.milliseconds * 1e3, "Percent": share}}

    @property
    def calls(self) -> list[dict[str, object]]:
        """Return the steps as rows of a report: dictionaries by column name."""
        total = self.total.milliseconds
        return [
            {
                "Name": step.label,
                "Duration (us)": step.milliseconds * 1e3,
                "Percent": 100 * step.milliseconds / total if total else 0.0,
                "Count": step.calls,
                "Hash": step.symbol,
            }
            for step in self.steps
        ]

    def table(self, sort: bool = True, aggregate: bool = True, col_sums: bool = True) -> str:
        """Return the steps as a text table, sorted by time if requested, with a row of sums.

        The calls of a kernel are always one row.
        """
        del aggregate
        total, steps = self.total, self.steps
        rows = sorted(steps, key=lambda step: -step.milliseconds) if sort else [*steps]
        width = max(8, *(len(s.label) for s in (*rows, total)))
        head = f"{'step':<{width}}{'ms':>12}{'%':>7}{'MFLOP':>9}{'MB':>7}{'GFLOP/s':>9}{'GB/s':>7}"
        sums = [total] if col_sums else []
        return "\n".join([head, *(_row(s, total, width) for s in (*rows, *sums))])

    def csv(self) -> str:
        """Return the rows as comma-separated values, with a header line."""
        file = StringIO()
        rows = DictWriter(file, ["Name", "Duration (us)", "Percent", "Count", "Hash"])
        rows.writeheader()
        rows.writerows(self.calls)
        return file.getvalue()

    def json(self) -> str:
        """Return the rows as JSON, under the key `calls`."""
        return json.dumps({"calls": self.calls})


def refuse_collectors(collectors: object) -> None:
    """Raise `U072` if TVM's additional counters of a profile are passed."""
    if collectors is not None:
        help_ = "omit them: time, operations and bytes are always measured"
        raise missing("the option collectors", help_)


def _row(step: StepTime, total: StepTime, width: int) -> str:
    share = 100 * step.milliseconds / total.milliseconds if total.milliseconds else 0.0
    return (
        f"{step.label:<{width}}{step.milliseconds:>12.4f}{share:>7.1f}{step.flops / 1e6:>9.1f}"
        f"{step.bytes / 1e6:>7.2f}{step.gflops:>9.1f}{step.gbytes:>7.1f}"
    )
