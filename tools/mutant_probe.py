"""Show what a mutant of a pass does to programs.

`named` is the report of verification on golden cases: the first that fails, its error code, the
number of nodes of the minimised program, and whether it is the smallest: no edit of the minimiser
makes it smaller and keeps the failure. `drawn` is the first failure among random programs checked
with a pass from the mutated file or, if it has none, from the golden cases.
"""

import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
from relay.build.reproduce_failures import SMALLEST, run_verified
from relay.frontend.text import parse
from relay.ir.expr import Operator
from relay.ir.walk import post_order
from relay.support.errors import RelayError
from relay.transform.pipeline import Pass
from tools.fuzzing.programs import pass_draws
from tools.fuzzing.programs.pass_cases import PassCase, read_case
from tools.fuzzing.programs.seeds import Seeds, expanded

GOLDEN = Path(__file__).parents[1] / "tests/transform/golden"
FIRST = 1 << 20
"""The first case number drawn, chosen so that other tools do not use the same numbers."""


def probe(
    file: str, names: Sequence[str], draws: int, say: Callable[[Mapping[str, Any]], None]
) -> None:
    """Report the results on golden cases and on `draws` random programs through `say`."""
    cases = [found for name in names if (found := _case(name))]
    result = {"named": named(cases)}
    say(result)
    if draws:
        say(result | {"drawn": drawn(cases, passes_of(file, cases), draws)})


def _case(name: str) -> PassCase | None:
    """Return a golden case; None if the mutant makes parsing it fail."""
    try:
        return read_case(GOLDEN / f"{name}.rly")
    except Exception:  # noqa: BLE001 - a mutant may break anything
        return None


def named(cases: Sequence[PassCase]) -> Any:
    """Return the report of verification on golden cases."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.rly"
        for case in cases:
            try:
                run_verified(case.module, case.passes, path=path)
            except Exception as error:  # noqa: BLE001 - as above
                return {"case": case.name, "code": _code(error), **_size(path)}
    return None


def _code(error: Exception) -> str:
    return str(error.code) if isinstance(error, RelayError) else type(error).__name__


def _size(path: Path) -> Mapping[str, Any]:
    """Return the size of a minimised program, and whether it is the smallest."""
    if not path.exists():
        return {"nodes": None}
    text = path.read_text(encoding="utf-8")
    module = parse(text)
    everything = (e for f in module.functions.values() for e in post_order(f.body))
    nodes = sum(not isinstance(each, Operator) for each in everything)
    return {"nodes": nodes, "smallest": SMALLEST in text}


def passes_of(file: str, cases: Sequence[PassCase]) -> list[Pass]:
    """Return the passes of a file or else those of some cases, as they are drawn."""
    known = pass_draws.drawn_passes()
    module = file.removesuffix(".py").replace("/", ".")
    own = [each for each in known if type(each).__module__ == module]
    titles = {each.title() for case in cases for each in expanded(case.passes)}
    return own or [each for each in known if each.title() in titles]


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
