"""Run both programs: `python -m benchmarks.real_programs`.

Writes `benchmarks/results/real_programs.md`. Both engines run in this process on one thread, in
alternating passes; a time is the median over passes per frame or word, in processor time, which
other load affects little.
"""

import argparse
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from benchmarks.machine import machine_line
from benchmarks.real_programs import detector, romaniser
from benchmarks.report import RESULTS

Row = tuple[str, ...]

HEARD = """A voice detector hears a recording of 60 seconds; its state goes from frame to frame.
Speech is a probability above one half."""
WRITTEN = """Names of provinces are written in Latin letters. The package runs an encoder, and the
step of a decoder in a loop, with ONNX Runtime; here encoder, loop and decoder are one program."""


def main() -> None:
    """Measure both programs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--dry", action="store_true", help="print only, keep no results")
    options = parser.parse_args()
    frames = detector.frames_of_recording()
    heard = [detector.hear(form, frames, options.rounds).row() for form in detector.FORMS]
    _print(detector.HEADINGS, heard)
    romanised = romaniser.compare(romaniser.words(), options.rounds)
    for expected, found in romanised.others:
        print(f"{expected}: {found}")
    written = [romanised.row()]
    _print(romaniser.HEADINGS, written)
    if not options.dry:
        parts = ["# Pretrained programs, one thread", f"{machine_line()} Processor time."]
        parts += [HEARD, _markdown(detector.HEADINGS, heard)]
        parts += [WRITTEN, _markdown(romaniser.HEADINGS, written)]
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / "real_programs.md").write_text("\n\n".join(parts) + "\n")


def _print(headings: Row, rows: Sequence[Row]) -> None:
    table = Table(*headings)
    for row in rows:
        table.add_row(*row)
    Console(width=None if Console().is_terminal else 160).print(table)


def _markdown(headings: Row, rows: Sequence[Row]) -> str:
    ruler = ["---"] * len(headings)
    return "\n".join(f"| {' | '.join(row)} |" for row in (headings, ruler, *rows))


if __name__ == "__main__":
    main()
