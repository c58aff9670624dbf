"""Networks for other machines, under emulators: `python -m benchmarks.other_machines [machine …]`.

Each network is compiled for each machine, run under an emulator, and compared with ONNX Runtime
here. Besides the error, the table shows the inner loops of the kernels with the most operations:
the number of instructions for each vector multiply-add. A tile that stays in registers has little
more than one. Times would be those of the emulator, so none are shown.

Writes `benchmarks/results/other_machines.md`.
"""

import argparse
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import onnxruntime

import relay
from benchmarks.harness import relative_error
from benchmarks.other_machines.emulators import missing, run
from benchmarks.other_machines.networks import CASES, Case
from benchmarks.page import Page
from relay.build.kernel_listing import listings
from tools.assembly import count_lines, inner_loop, instructions

RESULT = Path(__file__).parents[1] / "results" / "other_machines.md"
HEAD = """
Every network is linked for the machine, run under an emulator (QEMU, Node.js), and compared with
ONNX Runtime on the processor above. The last column has the inner loop with the most multiply-adds
of each kernel: its instructions / its multiply-adds of vectors. WebAssembly has no fused
multiply-add: a product and a sum are two instructions, and locals and constants count as none.

| network | machine | error | kernel: instructions / multiply-adds |
|---|---|---|---|
"""

MACHINES: Mapping[str, str] = {
    "x86-64-v3": r"vfmadd\d+ps\b.*ymm",
    "aarch64-linux-gnu -mcpu=neoverse-n1": r"fmla\s+v\d+\.4s",
    "riscv64-linux-gnu -mattr=+v": r"vfmacc\.v[vf]\b",
    "wasm32": r"f32x4\.mul\b",
}
"""The machines, with the pattern of a vector multiply-add in their assembly."""

_KERNELS = 3  # of each network, those with the most operations


def error_of(case: Case, machine: str) -> float:
    """Return the relative error of a network on a machine against ONNX Runtime."""
    session = onnxruntime.InferenceSession(str(case.path), providers=["CPUExecutionProvider"])
    expected: Any = session.run(None, case.feeds)
    program = relay.compile(relay.load(case.path), target=machine)
    inputs = [case.feeds[spec.name] for spec in program.signature.inputs]
    with tempfile.TemporaryDirectory() as folder:
        found = run(program, machine, inputs, expected, Path(folder))
    return relative_error(found, expected)


def loops_of(case: Case, machine: str) -> str:
    """Return the instructions of the inner loops of the most costly kernels."""
    model = relay.load(case.path)
    program: Any = relay.compile(model, target=machine)
    operations = Counter[str]()
    for step in program.program.steps:
        operations[step.label.split("#")[0]] += step.flops
    cells: list[str] = []
    for name, _ in operations.most_common(_KERNELS):
        best = max(
            (
                inner_loop(each.assembly, MACHINES[machine])
                for each in listings(model, name, target=machine)
            ),
            key=lambda body: count_lines(MACHINES[machine], body),
        )
        cells.append(f"{name} {instructions(best)} / {count_lines(MACHINES[machine], best)}")
    return ", ".join(cells)


def main() -> None:
    """Run the networks on the chosen machines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("machines", nargs="*", default=[*MACHINES], metavar="machine")
    parser.add_argument("--networks", nargs="*", default=[*CASES], choices=CASES)
    options = parser.parse_args()
    page = Page(RESULT, "Networks on other machines, under emulators")
    page.add(HEAD)
    for name in options.networks:
        case = CASES[name]()
        for machine in options.machines:
            lacks = missing(machine)
            error = f"{lacks.name} is not installed" if lacks else f"{error_of(case, machine):.1e}"
            page.add_row((name, machine, error, loops_of(case, machine)))
    page.save()


if __name__ == "__main__":
    main()
