"""Chooses external compilers for parts of a program, by measuring which are faster.

1. Each compiler's regions are found as `MergeComposite`, `AnnotateTarget`, `MergeCompilerRegions`
   and `PartitionGraph` find them. A region is compiled alone, by Relay and by the compiler, and
   both are run on the same generated inputs; their results must agree.
2. A region is given to the compiler if that is faster by more than `MARGIN`. Of several compilers,
   the one whose regions save the most time comes first, whatever their order.
3. If the entry takes only tensors of static sizes, the whole program is measured, too: the fused
   kernels of a program without regions may be faster than its regions alone suggest.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeAlias

from relay.build.compare_times import TOLERANCE, disagreement, fastest, is_faster
from relay.build.compile_kernels import label
from relay.build.rounding_sensitive_results import rounds_to_integers
from relay.ir.equality import structural_key
from relay.ir.expr import Call, Function, GlobalVar, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.runtime.native_executable import NativeExecutable
from relay.runtime.program import Program
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.support.node import node, replace
from relay.transform.compilers.external_compiler import is_plain
from relay.transform.compilers.inline_external_functions import ReturnRegions, opened_region
from relay.transform.compilers.partition_for import PartitionFor
from relay.transform.compilers.region_attributes import COMPILER, EXTERN
from relay.transform.fold_constants import FoldConstants
from relay.transform.run_passes import run_passes
from relay.transform.to_graph_form import ToGraphForm

Build: TypeAlias = Callable[[Module], Program]


@node
class RegionCost:
    """The measured seconds of a region, compiled by Relay (`ours`) and by another compiler."""

    region: str
    compiler: str
    ours: float
    theirs: float

    @property
    def is_faster(self) -> bool:
        """Whether the external compiler is faster by more than the measurement error."""
        return is_faster(self.theirs, self.ours)

    def __str__(self) -> str:
        chosen = self.compiler if self.is_faster else "relay"
        times = f"relay {self.ours * 1e3:.4f} ms, {self.compiler} {self.theirs * 1e3:.4f} ms"
        return f"{self.region}: {times}: {chosen}"


def choose_compilers(
    module: Module, names: Sequence[str], build: Build, threads: int | None
) -> tuple[Module, tuple[str, ...]]:
    """Return a module whose regions call faster external compilers, and a note on each measurement.

    `names` are the compilers to try.

    Raises `C162` for an unknown compiler, and `C165` for one whose results differ from Relay's.
    """
    plain, _ = run_passes(module, [ToGraphForm(), FoldConstants()])
    choice = _Choice(build, threads)
    saved = {name: choice.saved(_partitioned(plain, name)) for name in dict.fromkeys(names)}
    mixed = plain
    for name in sorted(saved, key=lambda each: -saved[each]):
        mixed = choice.of(mixed, _partitioned(mixed, name))
    notes = tuple(map(str, choice.costs))
    if mixed is plain:
        return module, notes
    if not _can_be_measured(module.main):
        return mixed, notes
    whole = choice.whole(module, mixed)
    return (mixed if whole.is_faster else module), (*notes, str(whole))


def _partitioned(module: Module, name: str) -> Module:
    """Return a module with the regions of one external compiler as functions."""
    return run_passes(module, [PartitionFor(name, f"{len(module.functions)}")])[0]


def _regions(module: Module, partitioned: Module) -> dict[str, Function]:
    return {n: f for n, f in partitioned.functions.items() if n not in module.functions}


def _can_be_measured(function: Function) -> bool:
    """Whether a function takes tensors of static sizes, and returns such tensors."""
    tensors = all(isinstance(param.type, TensorType) for param in function.params)
    return tensors and all(map(is_plain, (function.body.type, *(p.type for p in function.params))))


class _Choice:
    """The measured costs of regions in one compilation, so that equal regions are measured once."""

    def __init__(self, build: Build, threads: int | None) -> None:
        self._build = build
        self._threads = threads
        self._known: dict[Hashable, RegionCost] = {}

    @property
    def costs(self) -> Sequence[RegionCost]:
        """Return the costs of all measured regions, in the order of measurement."""
        return list(self._known.values())

    def saved(self, partitioned: Module) -> float:
        """Return the seconds that faster regions of a partitioned module save, each run once."""
        costs = self._costs(partitioned, partitioned.functions).values()
        return sum(cost.ours - cost.theirs for cost in costs if cost.is_faster)

    def of(self, module: Module, partitioned: Module) -> Module:
        """Return `module` with those additional regions of `partitioned` that are faster."""
        regions = _regions(module, partitioned)
        costs = self._costs(partitioned, regions)
        faster = {name for name, cost in costs.items() if cost.is_faster}
        if not faster:
            return module
        return ReturnRegions(frozenset(regions.keys() - faster))(partitioned)

    def whole(self, module: Module, mixed: Module) -> RegionCost:
        """Return the measured cost of the whole program, without and with external regions."""
        names = sorted({str(f.attrs[COMPILER]) for f in mixed.functions.values() if _is_region(f)})
        return self._measured("the whole program", "+".join(names), module, mixed)

    def _costs(self, partitioned: Module, names: Mapping[str, Function]) -> dict[str, RegionCost]:
        regions = {name: partitioned[name] for name in names if _is_region(partitioned[name])}
        return {n: self._cost(n, f) for n, f in regions.items() if _can_be_measured(f)}

    def _cost(self, name: str, region: Function) -> RegionCost:
        key = structural_key(replace(region, attrs={COMPILER: region.attrs[COMPILER]}))
        if key not in self._known:
            params = [Var(param.name, param.type) for param in region.params]
            call = Call(GlobalVar(name, ty=region.ty), tuple(params))
            theirs = Module({"main": Function(tuple(params), call), name: region})
            compiler = str(region.attrs[COMPILER])
            known_as = label(replace(region, attrs={EXTERN: compiler}))
            ours = Module.of(opened_region(region))
            self._known[key] = self._measured(known_as, compiler, ours, theirs)
        return self._known[key]

    def _measured(self, region: str, compiler: str, ours: Module, theirs: Module) -> RegionCost:
        """Return the fastest times of two programs in alternating runs; results must agree."""
        one, other = (
            NativeExecutable(self._build(m), threads=self._threads) for m in (ours, theirs)
        )
        arrays = one.samples()
        error = disagreement(one, other, arrays, rounds=rounds_to_integers(ours))
        if not error <= TOLERANCE:
            raise CompileError(
                ErrorCode.C165,
                f"the results that the external compiler '{compiler}' computes for {region} differ "
                f"from Relay's by up to {error:.3g} of the largest element",
                help=(
                    f"report this to the authors of the package '{compiler}', or compile "
                    "without this compiler"
                ),
            )
        return RegionCost(region, compiler, *fastest(one, other, arrays))


def _is_region(function: Function) -> bool:
    return COMPILER in function.attrs
