"""Kernel loops of scatter operators: copy the data, then apply the updates one after another."""

from collections.abc import Callable, Sequence

from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.ops.tensor.loop_nests import copy, fill, nest
from relay.support.dtype import bool_, int64

_JOIN: dict[str, Callable[[te.Scalar, te.Scalar], te.Scalar]] = {
    "update": lambda _, new: new,
    "add": lambda old, new: old | new if old.dtype is bool_ else old + new,
    "mean": lambda old, new: old + new,
    "mul": lambda old, new: old & new if old.dtype is bool_ else old * new,
    "min": te.minimum,
    "max": te.maximum,
}

Target = Callable[[Buffer, Sequence[te.Scalar]], Sequence[te.Scalar]]


def scatter(
    data: te.Tensor,
    indices: te.Tensor,
    updates: te.Tensor,
    target: Target,
    reduction: str,
    outer: int,
    *,
    in_place: bool = False,
) -> te.Tensor:
    """Return `data` with each slice of `updates` combined at its position.

    `target(indices, i)` returns the position of slice `i`, an index into the first `outer` axes of
    the updates; it is evaluated once for each slice, before the loop over its elements. With
    `in_place`, the result buffer contains `data` already.
    """

    def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
        b = te.LoopBuilder()
        *old, places, new = inputs
        for each in old:
            copy(b, each, outputs[0])
        counts = b.scratch(outputs[0].shape, int64, "counts") if reduction == "mean" else None
        if counts is not None:
            fill(b, counts, 1)
        with nest(b, new.shape[:outer]) as i:
            part = [b.let(each, "place") for each in target(places, i)]
            with nest(b, new.shape[outer:]) as j:
                _update(b, new[(*i, *j)], outputs[0], counts, (*part, *j), reduction)
        if counts is not None:
            _divide(b, outputs[0], counts)
        return b.finish()

    read = [indices, updates] if in_place else [data, indices, updates]
    return te.loops([(data.shape, data.dtype)], read, build, "scatter")[0]


def _update(
    b: te.LoopBuilder,
    update: te.Scalar,
    out: Buffer,
    counts: Buffer | None,
    place: tuple[te.Scalar, ...],
    reduction: str,
) -> None:
    b.store(out, place, _JOIN[reduction](out[place], update))
    if counts is not None:
        b.store(counts, place, counts[place] + 1)


def _divide(b: te.LoopBuilder, out: Buffer, counts: Buffer) -> None:
    with nest(b, out.shape) as i:
        count = te.cast(counts[i], out.dtype)
        total = out[i]
        b.store(out, i, total / count if out.dtype.is_float else total // count)
