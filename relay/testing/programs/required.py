"""Modules with the properties that passes require."""

from collections.abc import Iterable

from relay.ir.module import Module
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
    """Return a module with the properties that a pass requires."""
    for first in ensuring(each.requires):
        module = first(module)
    return module
