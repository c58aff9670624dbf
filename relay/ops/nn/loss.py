"""Loss functions of classifiers: cross entropy and negative log-likelihood."""

from collections.abc import Callable, Sequence

import numpy as np

from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.definition import Fusion, OperatorDef, Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import add, divide, multiply, opposite
from relay.ops.comparison import NotEqual
from relay.ops.creation import number
from relay.ops.elementwise import Negative
from relay.ops.families import FLOATS
from relay.ops.nn.accumulation_dtype import narrow, widen
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Mean, Sum
from relay.ops.tensor.gather import Gather, GatherGrad, Take, TakeGrad
from relay.ops.tensor.index_bounds import out_of_range
from relay.ops.tensor.reshape import ExpandDims, Squeeze
from relay.ops.transcendental import Log
from relay.support.node import set_field


class CrossEntropyBase(OperatorDef):
    """The base of `-Σ targets · log p / N` over `(N, classes)`; the result is a scalar."""

    precision = Precision.NEVER

    __slots__ = ()

    def infer(self, predictions: TensorType, targets: TensorType) -> TensorType:
        """Return the type of the loss, a scalar; both arguments have one type of rank 2."""
        checks.rank(self.name, "predictions", predictions, 2)
        checks.rank(self.name, "targets", targets, 2)
        checks.same_dtype(self.name, predictions, targets)
        checks.kind(self.name, "predictions", predictions, *FLOATS)
        for expected, found in zip(predictions.shape, targets.shape, strict=True):
            checks.size(self.name, "targets", expected, found)
        return TensorType((), predictions.dtype)

    def mean(self, logarithms: Expr, targets: Expr) -> Expr:
        """Return the negative mean, over the batch, of the sums of products over the classes."""
        sums = Call(Sum((1,)), (multiply(logarithms, targets),))
        return Call(Negative(), (Call(Mean(), (sums,)),))


@operator("nn.cross_entropy")
class CrossEntropy(CrossEntropyBase):
    """`-Σ targets · log(predictions) / N`, of probabilities `(N, classes)`. Takes floats."""

    examples = (Example("f32[3, 5]", "f32[3, 5]", domain=(0.1, 1.0)),)

    def decompose(self, predictions: Expr, targets: Expr) -> Expr:
        """Return the loss as an expression of the logarithms of the predictions."""
        return self.mean(Call(Log(), (predictions,)), targets)

    def reference(self, predictions: Array, targets: Array) -> Array:
        """Return the loss by NumPy, computed in a wider type."""
        total = (widen(targets) * np.log(widen(predictions))).sum()
        return narrow(-total / len(targets), predictions.dtype)


@operator("nn.cross_entropy_with_logits")
class CrossEntropyWithLogits(CrossEntropyBase):
    """`-Σ targets · predictions / N`, where the predictions are results of log_softmax."""

    examples = (Example("f32[3, 5]", "f32[3, 5]"),)

    def decompose(self, predictions: Expr, targets: Expr) -> Expr:
        """Return the loss as an expression of the predictions, which are logarithms."""
        return self.mean(predictions, targets)

    def reference(self, predictions: Array, targets: Array) -> Array:
        """Return the loss by NumPy, computed in a wider type."""
        total = (widen(targets) * widen(predictions)).sum()
        return narrow(-total / len(targets), predictions.dtype)


@operator("nn.nll_loss")
class NLLLoss(OperatorDef):
    """`-weights[t] · predictions[n, t, …]`, where `t` is the target class of each position.

    Predictions are `(N, classes, …)`, targets integers `(N, …)`, weights `(classes,)`. Positions
    whose target is `ignore_index` contribute 0; any other target outside the classes traps
    (`R056`). `reduction`: `none`, `sum`, or `mean` (over the weights of the counted positions).
    """

    reduction: str = "mean"
    ignore_index: int = -100

    fusion = Fusion.OPAQUE  # a scalar over everything
    examples = (
        Example("f32[4, 3]", "i32[4]", "f32[3]", values={1: [0, 2, 1, 2]}),
        Example("f32[4, 3]", "i64[4]", "f32[3]", values={1: [0, 2, 1, 2]}, ignore_index=2),
        Example(
            "f32[2, 3, 2]", "i32[2, 2]", "f32[3]", values={1: [[0, 2], [1, 1]]}, reduction="none"
        ),
        Example(
            "f32[2, 3, 2]", "i32[2, 2]", "f32[3]", values={1: [[0, 2], [1, 1]]}, reduction="sum"
        ),
    )

    def __post_init__(self) -> None:
        set_field(self, "ignore_index", int(self.ignore_index))
        known = self.reduction in ("none", "sum", "mean")
        checks.attribute(
            self.name, known, f"reduction must be none, sum or mean, not {self.reduction}"
        )

    @property
    def may_trap(self) -> bool:
        """Whether the operator may trap: always, because a target may be outside of the classes."""
        return True

    def infer(
        self, predictions: TensorType, targets: TensorType, weights: TensorType
    ) -> TensorType:
        """Return the type of the loss: for each position, or a scalar for a sum or mean."""
        checks.same_dtype(self.name, predictions, weights)
        checks.kind(self.name, "predictions", predictions, *FLOATS)
        checks.rank(self.name, "targets", targets, predictions.rank - 1)
        checks.rank(self.name, "weights", weights, 1)
        checks.size(self.name, "classes", predictions.shape[1], weights.shape[0])
        places = (predictions.shape[0], *predictions.shape[2:])
        for expected, found in zip(places, targets.shape, strict=True):
            checks.size(self.name, "targets", expected, found)
        shape = targets.shape if self.reduction == "none" else ()
        return TensorType(shape, predictions.dtype)

    def compute(self, predictions: te.Tensor, targets: te.Tensor, weights: te.Tensor) -> te.Tensor:
        """Return the formula: the weighted losses of all positions, which are then summed."""
        zero = te.const(0, predictions.dtype)

        def weight(*i: te.Scalar) -> te.Scalar:
            target = te.cast(targets[i], "int64")
            counted = te.not_equal(target, self.ignore_index)
            return te.select(counted, weights[self._class(target, weights)], zero)

        def loss(*i: te.Scalar) -> te.Scalar:
            target = self._class(te.cast(targets[i], "int64"), weights)
            return -(predictions[(i[0], target, *i[1:])] * weight(*i))

        if self.reduction == "none":
            return te.compute(targets.shape, loss, name=self.name)
        total = self._sum(loss, targets, "total")
        if self.reduction == "sum":
            return total
        weights_ = self._sum(weight, targets, "weights")
        return te.compute((), lambda: total[()] / weights_[()], name=self.name)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivatives by the predictions and by the weights of their classes."""
        predictions, targets, weights = call.args
        counted = Call(NotEqual(), (targets, number(self.ignore_index, targets)))
        classes = where(counted, targets, number(0, targets))
        row = Call(ExpandDims(1), (classes,))
        zero = number(0, weights)
        weight = where(counted, Call(Take(axis=0), (weights, classes)), zero)
        share = opposite(d_out)
        loss = Call(Squeeze((1,)), (Call(Gather(1), (predictions, row)),))
        if self.reduction == "mean":
            share = divide(share, Call(Sum(), (weight,)))
            loss = add(loss, call)
        share = where(counted, share, zero)
        back = GatherGrad(1)
        d_picked = Call(ExpandDims(1), (multiply(share, weight),))
        d_weights = Call(TakeGrad(axis=0), (multiply(share, loss), classes, weights))
        return Call(back, (d_picked, row, predictions)), None, d_weights

    def _class(self, target: te.Scalar, weights: te.Tensor) -> te.Scalar:
        """Return the class of a position; if it is ignored, any class."""
        counted = te.not_equal(target, self.ignore_index)
        return te.inside(te.select(counted, target, 0), weights.shape[0], 1, from_end=False)

    def _sum(self, element: Callable[..., te.Scalar], targets: te.Tensor, name: str) -> te.Tensor:
        places = [te.reduce_axis(size, f"k{n}") for n, size in enumerate(targets.shape)]
        return te.compute((), lambda: te.sum(element(*places), places), name=name)

    def reference(self, predictions: Array, targets: Array, weights: Array) -> Array:
        """Return the loss by NumPy's `take_along_axis`, computed in a wider type."""
        counted = targets != self.ignore_index
        classes = np.where(counted, targets, 0).astype(np.int64)
        outside = classes[(classes < 0) | (classes >= len(weights))]
        if outside.size:
            raise out_of_range(int(outside.flat[0]), 1, len(weights))
        picked = np.take_along_axis(widen(predictions), np.expand_dims(classes, 1), 1).squeeze(1)
        weight = np.where(counted, widen(weights)[classes], 0)
        loss = -picked * weight
        if self.reduction == "none":
            return narrow(loss, predictions.dtype)
        total = loss.sum()
        whole = total if self.reduction == "sum" else total / weight.sum()
        return narrow(np.asarray(whole), predictions.dtype)
