"""Export functions of PyTorch that `torch.export` refuses.

While a module is exported, calls of these functions become calls of others:

1. PyTorch does not know the shapes of intermediate results of `ctc_loss`. It becomes an operator
   that has the shape of the result.
2. Functions that PyTorch defines by operators whose results depend on data, such as checks of
   their arguments, become definitions without those.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, combinations_with_replacement
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


_torch: Any = torch

_AUTOGRAD = (_torch.autograd.grad, _torch.Tensor.backward, _torch.autograd.backward)
"""Functions that use the graph which PyTorch records for derivatives."""


class Exportable(TorchFunctionMode):
    """A mode in which functions that PyTorch cannot export call operators of Relay.

    `uses_autograd` says whether the exported module has called `torch.autograd.grad` or `backward`
    (outside of the branches and loops that TorchDynamo traces, where a mode must have no effects).
    """

    uses_autograd = False

    def __torch_function__(
        self, func: Callable[..., Any], types: Sequence[type], args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        """Return the result of a function that the exported module calls."""
        del types
        named = kwargs or {}
        if not torch.compiler.is_dynamo_compiling() and func in _AUTOGRAD:
            self.uses_autograd = True
        if func not in _REPLACEMENTS:
            return func(*args, **named)
        if "self" in named:  # the name in an operator's schema
            named = {"input" if name == "self" else name: each for name, each in named.items()}
        return _REPLACEMENTS[func](*args, **named)


def _called_ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int = 0,
    reduction: int | str = 1, zero_infinity: bool = False,
) -> Tensor:  # fmt: skip
    code = reduction if isinstance(reduction, int) else _REDUCTIONS[reduction]
    lengths = (torch.as_tensor(each) for each in (input_lengths, target_lengths))
    return _ctc_loss(log_probs, targets, *lengths, blank, code, zero_infinity)


def _covariance(
    input: Tensor, *, correction: int = 1, fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Return the covariance of variables, whose observations are columns and may be weighted."""
    rows = input.reshape(1, -1) if input.ndim < 2 else input
    if fweights is None and aweights is None:
        centred = rows - rows.sum(1, keepdim=True) / rows.shape[1]
        return (centred @ centred.mT.conj() / max(rows.shape[1] - correction, 0)).squeeze()
    one = torch.ones((), device=input.device, dtype=input.dtype)
    counts, importance = (one if each is None else each for each in (fweights, aweights))
    weights = (counts * importance).broadcast_to(rows.shape[1:])
    total = weights.sum()
    centred = rows - (rows * weights).sum(1, keepdim=True) / total
    lost = correction * ((weights * importance).sum() / total if aweights is not None else 1)
    return (centred * weights @ centred.mT.conj() / (total - lost).clamp(min=0)).squeeze()


def _correlation(input: Tensor) -> Tensor:
    """Return the covariance of variables, divided by their standard deviations."""
    covariance = _covariance(input)
    if covariance.ndim == 0:
        return covariance / covariance
    deviations = covariance.diagonal().real.sqrt()
    found = covariance / deviations[:, None] / deviations[None]
    if found.is_complex():
        return torch.complex(found.real.clamp(-1, 1), found.imag.clamp(-1, 1))
    return found.clamp(-1, 1)


def _combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Return the combinations of `r` elements of a vector as rows."""
    choose = combinations_with_replacement if with_replacement else combinations
    rows = list(choose(range(input.shape[0]), r))
    return input[torch.tensor(rows, dtype=torch.int64).reshape(len(rows), r)]


_aten: Any = torch.ops.aten

_REPLACEMENTS: Mapping[Any, Callable[..., Any]] = {
    torch.ctc_loss: _called_ctc_loss,
    functional.ctc_loss: _called_ctc_loss,
    **dict.fromkeys((torch.cov, Tensor.cov, _aten.cov.default), _covariance),
    **dict.fromkeys((torch.corrcoef, Tensor.corrcoef, _aten.corrcoef.default), _correlation),
    **dict.fromkeys((torch.combinations, _aten.combinations.default), _combinations),
}
