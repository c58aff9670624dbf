"""Export functions of PyTorch that `torch.export` refuses, as operators of Relay.

PyTorch does not know the shapes of intermediate results of `ctc_loss`. While a module is exported,
calls of it become calls of an operator that has the shape of the result.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

_REDUCTIONS: Mapping[str, int] = {"none": 0, "mean": 1, "sum": 2}


@torch.library.custom_op("relay::ctc_loss", mutates_args=())
def _ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor, blank: int,
    reduction: int, zero_infinity: bool,
) -> Tensor:  # fmt: skip
    lengths = input_lengths, target_lengths
    return torch.ctc_loss(log_probs, targets, *lengths, blank, reduction, zero_infinity)


@_ctc_loss.register_fake
def _ctc_loss_type(
    log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor, blank: int,
    reduction: int, zero_infinity: bool,
) -> Tensor:  # fmt: skip
    del targets, input_lengths, target_lengths, blank, zero_infinity
    return log_probs.new_empty(log_probs.shape[1:-1] if reduction == 0 else ())


class Exportable(TorchFunctionMode):
    """A mode in which functions that PyTorch cannot export call operators of Relay."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Sequence[type], args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        """Return the result of a function that the exported module calls."""
        del types
        if func in (torch.ctc_loss, functional.ctc_loss):
            return _called_ctc_loss(*args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))


def _called_ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int = 0,
    reduction: int | str = 1, zero_infinity: bool = False,
) -> Tensor:  # fmt: skip
    code = reduction if isinstance(reduction, int) else _REDUCTIONS[reduction]
    lengths = (torch.as_tensor(each) for each in (input_lengths, target_lengths))
    return _ctc_loss(log_probs, targets, *lengths, blank, code, zero_infinity)
