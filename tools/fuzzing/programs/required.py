"""Modules with the properties that passes require."""

from collections.abc import Iterable
from functools import partial

from relay.ir.module import Module
from relay.transform.batched_region_records import region_of
from relay.transform.batching.batch_regions import BatchRegions
from relay.transform.forms.to_basic_block_form import ToBasicBlockForm
from relay.transform.fuse_operators import FuseOperators
from relay.transform.module_properties import Property
from relay.transform.monomorphize import Monomorphize
from relay.transform.pipeline import Pass
from relay.transform.to_a_normal_form import ToANormalForm

ENSURING: dict[Property, tuple[Pass, ...]] = {
    Property.MONOMORPHIC: (Monomorphize(),),
    Property.FUSED: (FuseOperators(),),
    Property.BASIC_BLOCKS: (ToBasicBlockForm(),),
    Property.A_NORMAL_FORM: (ToANormalForm(),),
    Property.NORMAL_REGIONS: (Monomorphize(), ToANormalForm(), BatchRegions()),
}
"""Passes for each property but that of being typed, in an order in which all are kept."""


def ensuring(wanted: Iterable[Property]) -> list[Pass]:
    """Return passes that ensure some properties of typed modules."""
    return [each for key, passes in ENSURING.items() if key in wanted for each in passes]


def with_required(each: Pass, module: Module) -> Module:
    """Return a module with the properties that a pass requires: itself, if it has them all."""
    if any(map(partial(_lacks, module), each.requires)):
        for first in ensuring(each.requires):
            module = first(module)
    return module


def _lacks(module: Module, wanted: Property) -> bool:
    """Whether a module lacks a property, or is to have regions in some form and has none."""
    if wanted is Property.NORMAL_REGIONS and not any(map(region_of, module.functions.values())):
        return True
    return wanted.violation(module) is not None
