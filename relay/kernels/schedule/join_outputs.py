"""Computes all outputs of an elementwise kernel in the same loops."""

from relay.kernels.schedule.schedule import Schedule


def join_outputs(schedule: Schedule) -> None:
    """Compute all outputs of a schedule in the same loops.

    They must be elementwise and of one shape.

    Other tensors of that shape are inlined, and computed once for all outputs. Smaller tensors,
    which the outputs broadcast, keep their own loops.
    """
    outputs = schedule.outputs
    for stage in schedule.stages:
        if stage.tensor not in outputs and stage.tensor.shape == outputs[0].shape:
            schedule.inline(stage.tensor)
    schedule.join([stage.tensor for stage in schedule.stages if stage.tensor in outputs])
