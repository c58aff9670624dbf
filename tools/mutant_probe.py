"""Show what a mutant of a pass does to programs.

`named` is the report of verification on golden cases and other trials: the first that fails, its
error code, the number of nodes of the minimised program, and whether it is the smallest: no edit of
the minimiser makes it smaller and keeps the failure. `drawn` is the first failure among random
programs checked with a pass from the mutated file or, if it has none, from the golden cases.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
from relay.build.reproduce_failures import SMALLEST, run_verified
from relay.build.verify_passes import Verifier
from relay.frontend.text import parse
from relay.ir.expr import Operator
from relay.ir.walk import post_order
from relay.support.errors import RelayError
from relay.transform.pipeline import Pass
from tools.fuzzing.programs import pass_draws
from tools.fuzzing.programs.pass_cases import PassCase
from tools.fuzzing.programs.seeds import Seeds, registered_rules
from tools.mutant_programs import FEW, FIRST, RandomTrials, Trial, golden_case, passes_of

SECONDS = 60.0
"""The time limit of a pass, of an evaluation, and of the search for a small program."""

STEPS = 100_000
"""The limit of evaluation steps: a mutant may make a program endless."""


def probe(
    file: str, names: Sequence[str], draws: int, say: Callable[[Mapping[str, Any]], None]
) -> None:
    """Report the results on golden cases and on `draws` random programs through `say`."""
    cases = [found for name in names if (found := golden_case(name))]
    result = {"named": named(map(golden_trial, cases))}
    say(result)
    if draws:
        say(result | {"drawn": drawn(cases, passes_of(file, cases), draws)})


def main() -> None:
    """Print what verification says of this checkout, on golden cases and on random programs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", help="the file whose passes are run on random programs")
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--cases", nargs="*", default=[], help="names of golden cases")
    options = parser.parse_args()
    golden = [golden_trial(found) for name in options.cases if (found := golden_case(name))]
    random = RandomTrials(options.draws).of(options.file, options.cases[:FEW])
    print(json.dumps({"named": named([*golden, *random]), "programs": len(random)}))


def golden_trial(case: PassCase) -> Trial:
    """Return the trial of a golden case."""
    return Trial(case.name, case.module, case.passes)


def named(trials: Iterable[Trial]) -> Any:
    """Return the report of verification on the first trial that fails; None if there is none."""
    with tempfile.TemporaryDirectory() as folder, registered_rules():
        path = Path(folder) / "small.rly"
        for trial in trials:
            check = Verifier(values=True, most_steps=STEPS, seconds=SECONDS)
            try:
                run_verified(trial.module, trial.passes, check=check, path=path)
            except Exception as error:  # noqa: BLE001 - a mutant may break anything
                return {"case": trial.name, "code": _code(error), **_size(path)}
    return None


def _code(error: Exception) -> str:
    return str(error.code) if isinstance(error, RelayError) else type(error).__name__


def _size(path: Path) -> Mapping[str, Any]:
    """Return the size of a minimised program, and whether it is the smallest.

    The program itself is returned if the mutant makes parsing it fail.
    """
    if not path.exists():
        return {"nodes": None}
    text = path.read_text(encoding="utf-8")
    try:
        return size_of(text)
    except Exception:  # noqa: BLE001 - as above
        return {"nodes": None, "text": text}


def size_of(text: str) -> Mapping[str, Any]:
    """Return the size of a minimised program, and whether it is the smallest."""
    module = parse(text)
    everything = (e for f in module.functions.values() for e in post_order(f.body))
    nodes = sum(not isinstance(each, Operator) for each in everything)
    return {"nodes": nodes, "smallest": SMALLEST in text}


def drawn(cases: Sequence[PassCase], chosen: Sequence[Pass], count: int) -> str | None:
    """Return the first failure among random programs with some passes."""
    seeds = Seeds(cases)
    pass_draws.drawn_passes = lambda: chosen
    for number in range(FIRST, FIRST + (count if chosen else 0)):
        try:
            pass_draws.draw(number, every=1 << 30, gradients=1 << 30, seeds=seeds)
        except Exception as error:  # noqa: BLE001 - as above
            return f"{number}: {type(error).__name__}: {str(error).partition(chr(10))[0]}"
    return None


if __name__ == "__main__":
    main()
