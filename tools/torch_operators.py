"""Run PyTorch's own sample inputs of its operators through export and import, and compare.

`python tools/torch_operators.py --write` takes about half an hour on two cores and writes
`benchmarks/results/torch_operators.md`. It needs `pip install expecttest`, as PyTorch's samples do.
Each sample of each operator (`torch.testing._internal.common_methods_invocations.op_db`, float32)
is a module, which is exported, imported, and evaluated by the definition of the language, or
compiled with `--compiled`. The results are compared with PyTorch's, within the tolerances that
its own tests of the operator have.
"""

import argparse
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.testing._internal.common_device_type import toleranceOverride
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as pytree

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
import relay
from relay.frontend.pytorch import import_torch_model
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayError

RELATIVE, ABSOLUTE = 1.3e-6, 1e-5
"""How far apart PyTorch lets float32 results be; some operators have wider limits."""

UNINITIALISED = frozenset(
    ("empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided")
)
"""Operators whose results have any elements."""

SECONDS = 60
"""The time limit of a sample, in seconds."""

PAGE = Path("benchmarks/results/torch_operators.md")


@dataclass(frozen=True)
class Outcome:
    """The outcome of a sample: a word, and the message."""

    kind: str
    reason: str = ""


AGREES, DIFFERS, UNSUPPORTED, FAILED = "agrees", "differs", "unsupported", "failed"
NOT_EXPORTED = "not exported"


class Sample(torch.nn.Module):
    """A call of an operator as a module: tensors are its inputs, other arguments are fixed."""

    def __init__(self, function: Any, spec: Any, leaves: Sequence[Any]) -> None:
        super().__init__()
        self.function, self.spec, self.leaves = function, spec, leaves

    def forward(self, *tensors: torch.Tensor) -> Any:
        """Call the operator."""
        given = iter(tensors)
        leaves = [next(given) if isinstance(x, torch.Tensor) else x for x in self.leaves]
        args, named = pytree.tree_unflatten(leaves, self.spec)
        return self.function(*args, **named)


def samples(info: Any, most: int) -> Iterator[tuple[Sample, list[torch.Tensor]]]:
    """List calls of an operator with their tensors."""
    found = info.sample_inputs("cpu", torch.float32, requires_grad=False)
    for each in islice(found, most):
        call = ((each.input, *each.args), each.kwargs)
        leaves, spec = pytree.tree_flatten(call)
        tensors = [x for x in leaves if isinstance(x, torch.Tensor)]
        yield Sample(info.op, spec, leaves), tensors


Limits = tuple[float, float]


def limits(info: Any) -> Limits:
    """Return the widest relative and absolute tolerance of PyTorch's tests of an operator."""
    found = [(RELATIVE, ABSOLUTE)]
    for each in info.decorators:
        inner: list[Any] = getattr(each, "decorators", [each])
        tables: list[Any] = [x.d for x in inner if isinstance(x, toleranceOverride)]
        wider = [table[torch.float32] for table in tables if torch.float32 in table]
        found += [(each.rtol, each.atol) for each in wider]
    relative, absolute = zip(*found, strict=True)
    return max(relative), max(absolute)


def outcome(
    sample: Sample, tensors: list[torch.Tensor], within: Limits, *, compiled: bool
) -> Outcome:
    """Run one sample."""
    try:
        with torch.no_grad():
            expected = pytree.tree_leaves(sample(*(x.clone() for x in tensors)))
            exported = torch.export.export(sample, tuple(tensors), strict=False)
    except Exception as error:  # noqa: BLE001 - whatever PyTorch raises
        return Outcome(NOT_EXPORTED, f"{type(error).__name__}: {str(error).splitlines()[:1]}")
    try:
        imported = import_torch_model(exported)
        arrays: list[Any] = [x.detach().resolve_neg().numpy() for x in tensors]
        arrays.extend(imported.defaults.values())
        if compiled:
            found: Any = relay.compile(imported, threads=1)(*arrays)
        else:
            found = evaluate(imported.module, *arrays)
    except RelayError as error:
        said = str(error.message).splitlines()[0][:150]
        return Outcome(UNSUPPORTED, f"{error.code} {said}")
    except Exception as error:  # noqa: BLE001 - a defect, which is counted
        return Outcome(FAILED, f"{type(error).__name__}: {str(error)[:150]}")
    listed: list[Any] = [*found] if isinstance(found, tuple | list) else [found]
    return _compared(listed, expected, within)


def _compared(found: Sequence[Any], expected: Sequence[Any], within: Limits) -> Outcome:
    relative, absolute = within
    for one, other in zip(found, expected, strict=False):
        array, wanted = np.asarray(one), np.asarray(other)
        same_type = not isinstance(other, torch.Tensor) or array.dtype == wanted.dtype
        if array.shape != wanted.shape or not same_type:
            return Outcome(DIFFERS, f"{array.dtype}{array.shape}, not {wanted.dtype}{wanted.shape}")
        close = np.isclose(array, wanted, relative, absolute, equal_nan=True)
        if not close.all():
            wide = np.abs(array.astype(np.float64) - wanted.astype(np.float64))[~close]
            return Outcome(DIFFERS, f"{np.sum(~close)} elements, by up to {wide.max():.1g}")
    return Outcome(AGREES)


def run_operator(work: tuple[str, str, int, bool]) -> tuple[str, list[Outcome]]:
    """Run the samples of an operator, each for a limited time."""
    name, variant, most, compiled = work
    warnings.simplefilter("ignore")
    (info,) = (each for each in op_db if (each.name, each.variant_test_name) == (name, variant))
    label = f"{name}.{variant}" if variant else name
    if name in UNINITIALISED:
        return label, [Outcome(NOT_EXPORTED, "its elements are not initialised")]
    results: list[Outcome] = []
    within = limits(info)
    signal.signal(signal.SIGALRM, _stop)
    try:
        for sample, tensors in samples(info, most):
            signal.alarm(SECONDS)
            results.append(outcome(sample, tensors, within, compiled=compiled))
            signal.alarm(0)
    except TimeoutError:
        results.append(Outcome(FAILED, f"not ended after {SECONDS} s"))
    except Exception as error:  # noqa: BLE001 - whatever PyTorch raises
        results.append(Outcome(NOT_EXPORTED, f"no samples: {type(error).__name__}"))
    return label, results


def _stop(*_: object) -> None:
    raise TimeoutError


def main() -> None:
    """Run all operators, or those whose names contain a word; write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="only operators of these names")
    parser.add_argument("--samples", type=int, default=6, help="at most so many each")
    parser.add_argument("--compiled", action="store_true", help="compile instead of evaluate")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", action="store_true", help=f"write {PAGE}")
    options = parser.parse_args()
    chosen = [
        (each.name, each.variant_test_name, options.samples, options.compiled)
        for each in op_db
        if torch.float32 in each.dtypes and (not options.names or each.name in options.names)
    ]
    found: dict[str, list[Outcome]] = {}
    with ProcessPoolExecutor(options.jobs) as pool:
        for label, results in pool.map(run_operator, chosen, chunksize=4):
            found[label] = results
            counts = Counter(each.kind for each in results)
            reasons = Counter(each.reason for each in results if each.reason)
            said = [f"\n      {reason} ×{n}" for reason, n in reasons.most_common(4)]
            print(label, dict(counts), *said, flush=True)
    page = report(found)
    print(page.split("\n## ")[0])
    if options.write:
        PAGE.write_text(page)


_HEAD = """\
# PyTorch's operators through export and import

PyTorch {version}, `python tools/torch_operators.py --write`, float32.

- {supported} of {operators} operators are supported: some sample agrees, none is refused or
  differs.
- {agree} of {exportable} samples that PyTorch exports agree ({share:.1%}) within the tolerances of
  PyTorch's tests: at least {relative:g} relative, {absolute:g} absolute.
- refused: {refused}, different: {differ}, failed: {failed}, not exported by PyTorch: {others}.

## Operators that are not, or not wholly, supported

| operator | agree | samples | most frequent reason |
|---|---|---|---|"""


def report(found: dict[str, list[Outcome]]) -> str:
    """Return the page: totals, and every operator that is not supported, with a reason."""
    kinds = Counter(each.kind for results in found.values() for each in results)
    whole = [name for name, results in found.items() if _supported(results)]
    exportable = sum(count for kind, count in kinds.items() if kind != NOT_EXPORTED)
    lines = [_HEAD.format(
        version=torch.__version__, supported=len(whole), operators=len(found),
        agree=kinds[AGREES], exportable=exportable, share=kinds[AGREES] / max(exportable, 1),
        relative=RELATIVE, absolute=ABSOLUTE, refused=kinds[UNSUPPORTED], differ=kinds[DIFFERS],
        failed=kinds[FAILED], others=kinds[NOT_EXPORTED],
    )]  # fmt: skip
    for name, results in sorted(found.items()):
        if name not in whole:
            agree = sum(each.kind == AGREES for each in results)
            reasons = Counter(f"{x.kind}: {x.reason}" for x in results if x.kind != AGREES)
            ((reason, _),) = reasons.most_common(1) or [("no samples", 0)]
            lines.append(f"| {name} | {agree} | {len(results)} | {reason.replace('|', '/')} |")
    return "\n".join(lines) + "\n"


def _supported(results: Sequence[Outcome]) -> bool:
    kinds = {each.kind for each in results}
    return AGREES in kinds and not kinds & {DIFFERS, UNSUPPORTED, FAILED}


if __name__ == "__main__":
    main()
