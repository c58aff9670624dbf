"""Run PyTorch's own sample inputs of its operators through export and import, and compare.

    python tools/torch_operators.py [--write] [NAME …]

All operators take about half an hour on two cores. It needs `pip install expecttest`, as PyTorch's
samples do. Each sample of each operator (`op_db` of PyTorch's tests, float32 or `--complex`) is a
module, which is exported, imported, and evaluated by the definition of the language, or with
`--compiled` compiled. The results are compared with PyTorch's, within the tolerances that its own
tests of the operator have; where these compare a function of the results, as of vectors with an
open sign, so does this. With `--write` the results, added to those of earlier runs, become
`benchmarks/results/torch_operators.md`.
"""

import argparse
import json
import signal
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
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
from relay.frontend.torch.unexported_functions import Exportable
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
DATA = PAGE.with_suffix(".json")


Pairs = Sequence[Sequence[Any]]
"""Results of Relay, each with that of PyTorch."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a sample: its kind, a reason, and the results if they differ."""

    kind: str
    reason: str = ""
    pairs: Pairs | None = None


AGREES, DIFFERS, UNSUPPORTED, FAILED = "agrees", "differs", "refused", "failed"
NOT_EXPORTED = "not exported"


@dataclass(frozen=True)
class Row:
    """Outcomes of an operator's samples, the most frequent reason, and the revision that ran."""

    counts: Mapping[str, int]
    reason: str
    revision: str

    @property
    def exportable(self) -> int:
        """Return the number of samples that PyTorch exports."""
        return sum(n for kind, n in self.counts.items() if kind != NOT_EXPORTED)

    @property
    def agree(self) -> int:
        """Return the number of samples that agree."""
        return self.counts.get(AGREES, 0)


def row(results: Sequence[Outcome], revision: str) -> Row:
    """Sum up the outcomes of an operator's samples."""
    reasons = Counter(f"{x.kind}: {x.reason}" for x in results if x.kind != AGREES)
    ((reason, _),) = reasons.most_common(1) or [("", 0)]
    return Row(dict(Counter(each.kind for each in results)), reason, revision)


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


Process = Callable[[Any], Any]
"""What PyTorch's tests compare of the results: most often all of them."""


def samples(
    info: Any, most: int, dtype: torch.dtype
) -> Iterator[tuple[Sample, list[torch.Tensor], Process]]:
    """List calls of an operator with their tensors."""
    found = info.sample_inputs("cpu", dtype, requires_grad=False)
    for each in islice(found, most):
        call = ((each.input, *each.args), each.kwargs)
        leaves, spec = pytree.tree_flatten(call)
        tensors = [x for x in leaves if isinstance(x, torch.Tensor)]
        yield Sample(info.op, spec, leaves), tensors, each.output_process_fn_grad


Limits = tuple[float, float]


def limits(info: Any, dtype: torch.dtype) -> Limits:
    """Return the widest relative and absolute tolerance of PyTorch's tests of an operator."""
    found = [(RELATIVE, ABSOLUTE)]
    for each in info.decorators:
        inner: list[Any] = getattr(each, "decorators", [each])
        tables: list[Any] = [x.d for x in inner if isinstance(x, toleranceOverride)]
        wider = [table[dtype] for table in tables if dtype in table]
        found += [(each.rtol, each.atol) for each in wider]
    relative, absolute = zip(*found, strict=True)
    return max(relative), max(absolute)


def outcome(
    sample: Sample, tensors: list[torch.Tensor], process: Process, within: Limits, *, compiled: bool
) -> Outcome:
    """Run one sample."""
    try:
        with torch.no_grad():
            expected = sample(*(x.clone() for x in tensors))
            with Exportable():
                exported = torch.export.export(sample, tuple(tensors), strict=False)
    except Exception as error:  # noqa: BLE001 - whatever PyTorch raises
        return Outcome(NOT_EXPORTED, f"{type(error).__name__}: {str(error).splitlines()[:1]}")
    try:
        imported = import_torch_model(exported)
        arrays: list[Any] = [_array(x) for x in tensors]
        arrays.extend(imported.defaults.values())
        if compiled:
            found: Any = relay.compile(imported, threads=1)(*arrays)
        else:
            found = evaluate(imported.module, *arrays)
    except RelayError as error:
        said = " ".join(str(error.message).split())[:150]
        return Outcome(UNSUPPORTED, f"{error.code} {said}")
    except Exception as error:  # noqa: BLE001 - a defect, which is counted
        return Outcome(FAILED, f"{type(error).__name__}: {str(error)[:150]}")
    listed: list[Any] = [*found] if isinstance(found, tuple | list) else [found]
    result = _compared([np.asarray(each) for each in listed], expected, process, within)
    if result.kind == DIFFERS and result.pairs is not None:
        exact = _in_double_precision(sample, tensors, process)
        if exact is not None and _is_nearer(result.pairs, exact):
            return Outcome(AGREES)
    return result


def _in_double_precision(
    sample: Sample, tensors: list[torch.Tensor], process: Process
) -> list[Any] | None:
    """Return PyTorch's results for float64 inputs; None if the operator refuses them."""
    wide = [
        x.to(torch.complex128) if x.is_complex() else x.double() if x.is_floating_point() else x
        for x in tensors
    ]
    try:
        with torch.no_grad():
            found = process(sample(*wide))
    except Exception:  # noqa: BLE001 - whatever PyTorch raises
        return None
    return [np.asarray(_plain(x)) for x in pytree.tree_leaves(found)]


def _is_nearer(pairs: Pairs, exact: Sequence[Any]) -> bool:
    """Whether our results are as near to exact ones as PyTorch's, by the largest error."""
    for (ours, theirs), wanted in zip(pairs, exact, strict=True):
        if ours.shape != wanted.shape or (np.isnan(ours) != np.isnan(wanted)).any():
            return False
        errors = [np.nanmax(np.abs(_wide(x) - wanted)) for x in (ours, theirs)]
        if not errors[0] <= errors[1]:
            return False
    return True


def _array(x: torch.Tensor) -> Any:
    """Return a tensor as an array."""
    return x.detach().resolve_neg().resolve_conj().numpy()


def _wide(x: Any) -> Any:
    return x.astype(np.result_type(x, np.float64))


def _compared(found: Sequence[Any], expected: Any, process: Process, within: Limits) -> Outcome:
    leaves, spec = pytree.tree_flatten(expected)
    for array, wanted in zip(found, leaves, strict=False):
        if isinstance(wanted, torch.Tensor):
            theirs = _array(wanted)
            if array.shape != theirs.shape or array.dtype != theirs.dtype:
                said = f"{array.dtype}{array.shape}, not {theirs.dtype}{theirs.shape}"
                return Outcome(DIFFERS, said)
    ours = [_like(*pair) for pair in zip(found, leaves, strict=False)]
    ours += leaves[len(ours) :]  # what is known without running the program
    both = [
        pytree.tree_leaves(process(each)) for each in (pytree.tree_unflatten(ours, spec), expected)
    ]
    pairs = [[np.asarray(_plain(x)) for x in pair] for pair in zip(*both, strict=True)]
    return _close(pairs, within)


def _like(array: Any, wanted: Any) -> Any:
    """Return an array as a value of PyTorch like the expected one."""
    if not isinstance(wanted, torch.Tensor):
        return array
    tensor = torch.from_numpy(np.ascontiguousarray(array).reshape(array.shape))
    return tensor if array.size else torch.empty(array.shape, dtype=tensor.dtype)


def _plain(value: Any) -> Any:
    return _array(value) if isinstance(value, torch.Tensor) else value


def _close(pairs: Pairs, within: Limits) -> Outcome:
    relative, absolute = within
    for array, wanted in pairs:
        close = np.isclose(array, wanted, relative, absolute, equal_nan=True)
        if not close.all():
            wide = np.abs(_wide(array) - _wide(wanted))[~close]
            said = f"{np.sum(~close)} elements, by up to {wide.max():.1g}"
            return Outcome(DIFFERS, said, pairs)
    return Outcome(AGREES)


def run_operator(work: tuple[str, str, int, bool, torch.dtype]) -> tuple[str, list[Outcome]]:
    """Run the samples of an operator, each for a limited time."""
    name, variant, most, compiled, dtype = work
    warnings.simplefilter("ignore")
    (info,) = (each for each in op_db if (each.name, each.variant_test_name) == (name, variant))
    label = f"{name}.{variant}" if variant else name
    if name in UNINITIALISED:
        return label, [Outcome(NOT_EXPORTED, "its elements are not initialised")]
    results: list[Outcome] = []
    within = limits(info, dtype)
    signal.signal(signal.SIGALRM, _stop)
    try:
        for sample, tensors, process in samples(info, most, dtype):
            signal.alarm(SECONDS)
            results.append(outcome(sample, tensors, process, within, compiled=compiled))
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
    parser.add_argument("--complex", action="store_true", help="complex64 instead of float32")
    options = parser.parse_args()
    if options.complex and options.write:
        parser.error("the page has results for float32 only")
    dtype = torch.complex64 if options.complex else torch.float32
    chosen = [
        (each.name, each.variant_test_name, options.samples, options.compiled, dtype)
        for each in op_db
        if dtype in each.dtypes and (not options.names or each.name in options.names)
    ]
    known, revision = _read(), _revision()
    with ProcessPoolExecutor(options.jobs) as pool:
        for label, results in pool.map(run_operator, chosen, chunksize=1):
            known[label] = row(results, revision)
            reasons = Counter(each.reason for each in results if each.reason)
            said = [f"\n      {reason} ×{n}" for reason, n in reasons.most_common(4)]
            print(label, dict(known[label].counts), *said, flush=True)
            if options.write:
                rows = (f"{json.dumps(n)}: {json.dumps(asdict(r))}" for n, r in known.items())
                DATA.write_text("{" + ",\n".join(rows) + "}\n")
                PAGE.write_text(report(known))
    print(report(known).split("\n## ")[0])


def _revision() -> str:
    command = ["git", "rev-parse", "--short=8", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _read() -> dict[str, Row]:
    """Return the results of earlier runs."""
    read: Mapping[str, Any] = json.loads(DATA.read_text()) if DATA.exists() else {}
    return {name: Row(**each) for name, each in read.items()}


_HEAD = """\
# PyTorch's operators through export and import

PyTorch {version}, `python tools/torch_operators.py --write`, float32; up to six samples of each
operator. Ran at: {revisions}.

An operator is **supported** if some of its samples agree, and **wholly supported** if all samples
that PyTorch exports do. Samples agree within the tolerances of PyTorch's own tests: at least
{relative:g} relative, {absolute:g} absolute; or if they are at least as near to PyTorch's results
in double precision as its own.

- {supported} of {operators} operators are supported, {whole} of them wholly.
- Of the supported operators' exportable samples, {own} of {own_samples} agree ({own_share:.1%}).
- Of all exportable samples, {agree} of {exportable} agree ({share:.1%}).
- refused: {refused}, different: {differ}, failed: {failed}, not exported by PyTorch: {others}.

## Operators that are not, or not wholly, supported

| operator | agree | samples | most frequent reason |
|---|---|---|---|"""


def report(known: Mapping[str, Row]) -> str:
    """Return the page: totals, and every operator that is not wholly supported, with a reason."""
    counts = sum((Counter(each.counts) for each in known.values()), Counter[str]())
    supported = [each for each in known.values() if each.agree]
    whole = {n for n, each in known.items() if each.agree and each.agree == each.exportable}
    own, own_samples = (sum(x.agree for x in supported), sum(x.exportable for x in supported))
    exportable = sum(each.exportable for each in known.values())
    revisions = Counter(each.revision for each in known.values()).most_common()
    lines = [_HEAD.format(
        version=torch.__version__, supported=len(supported), whole=len(whole), own=own,
        own_samples=own_samples, own_share=own / max(own_samples, 1), operators=len(known),
        agree=counts[AGREES], exportable=exportable, share=counts[AGREES] / max(exportable, 1),
        relative=RELATIVE, absolute=ABSOLUTE, refused=counts[UNSUPPORTED], differ=counts[DIFFERS],
        failed=counts[FAILED], others=counts[NOT_EXPORTED],
        revisions=", ".join(f"{name} ({count} operators)" for name, count in revisions),
    )]  # fmt: skip
    for name, each in sorted(known.items()):
        if name not in whole:
            reason = each.reason.replace("|", "/")
            total = sum(each.counts.values())
            lines.append(f"| {name} | {each.agree} | {total} | {reason or 'no samples'} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
