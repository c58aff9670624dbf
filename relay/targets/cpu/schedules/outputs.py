"""What kinds of formulas there are: one reduction and what follows from it, or anything else."""

from relay.kernels.schedule.schedule import copy_of, topological
from relay.kernels.te.imperative import Built
from relay.kernels.te.tensor import Computed, Reduce
from relay.targets.formulas import Formulas


def reduced_output(formulas: Formulas) -> Computed | None:
    """Return the one output of formulas that reduce, without loops written by hand, else None."""
    order = topological(formulas.outputs)
    by_hand = any(isinstance(tensor, Built) for tensor in order)
    reduces = any(isinstance(t, Computed) and isinstance(t.body, Reduce) for t in order)
    if by_hand or not reduces or len(formulas.outputs) > 1:
        return None
    (output,) = formulas.outputs
    assert isinstance(output, Computed)
    return output


def output_of_rows(formulas: Formulas) -> Computed | None:
    """Return that output as what is computed from reductions, and is none itself."""
    output = reduced_output(formulas)
    return copy_of(output) if output is not None and output.reduce_axes else output
