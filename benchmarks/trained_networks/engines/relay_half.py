"""Relay with half the memory for the backward part, by recomputing some values."""

from benchmarks.contenders.case import Binding, Case
from benchmarks.trained_networks.engines import relay
from benchmarks.trained_networks.networks import FULL
from benchmarks.trained_networks.relay_layers import loss_module
from relay.transform.checkpoints.choose_checkpoints import ChooseCheckpoints

COMPILES = True
version = relay.version


def load(case: Case) -> Binding:
    """Compile a training step within a memory budget."""
    assert case.network is not None, "every network has a name"
    whole = ChooseCheckpoints(budget=0x7FFF_FFFF_FFFF).plan(loss_module(FULL[case.network]))
    return relay.bound(case, whole.peak_before // 2)
