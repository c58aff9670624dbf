"""Recognises tensor expressions whose only output depends on a reduction."""

from relay.kernels.schedule.schedule import copy_of, topological
from relay.kernels.te.hand_written_loops import LoopOutput
from relay.kernels.te.tensor import Computed, Reduce
from relay.targets.kernel_expressions import Formulas


def reduced_output(formulas: Formulas) -> Computed | None:
    """Return the only output if it depends on a reduction and on no hand-written loops."""
    order = topological(formulas.outputs)
    by_hand = any(isinstance(tensor, LoopOutput) for tensor in order)
    reduces = any(isinstance(t, Computed) and isinstance(t.body, Reduce) for t in order)
    if by_hand or not reduces or len(formulas.outputs) > 1:
        return None
    (output,) = formulas.outputs
    assert isinstance(output, Computed)
    return output


def output_of_rows(formulas: Formulas) -> Computed | None:
    """Return `reduced_output`, or an elementwise copy of it if it is a reduction itself."""
    output = reduced_output(formulas)
    return copy_of(output) if output is not None and output.reduce_axes else output
