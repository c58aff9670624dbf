"""Wrap a compiled program as a PyTorch module."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, cast

import numpy as np
import torch
from torch.autograd.function import once_differentiable

from relay.autodiff.grad import vjp
from relay.build.compile import compile_module
from relay.interop.torch.tensors import as_tensors
from relay.ir.module import HasModule
from relay.runtime.executable import Executable

_autograd: Any = torch.autograd


class TorchModule(torch.nn.Module):
    """A PyTorch module whose forward pass is a compiled Relay program.

    Contiguous CPU tensors are read without copying, and results share the memory of the program's
    results. An executable is for inference: its results carry no gradient. A Relay module is
    compiled here, with the options of `relay.compile`; PyTorch differentiates it by its
    vector-Jacobian product, which is compiled on first use. Raises `D…` errors for programs without
    a derivative. The state of a loaded model has its initial value unless it is passed.

    >>> import relay
    >>> x = relay.var("x", shape=(2,), dtype="float32")
    >>> square = TorchModule(relay.IRModule.from_expr(relay.Function([x], x * x)))
    >>> data = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> square(data).sum().backward()
    >>> data.grad
    tensor([2., 4.])
    """

    def __init__(self, program: Executable | HasModule, **options: Any) -> None:
        super().__init__()
        if isinstance(program, Executable):
            self._pullback = None
            self.executable = program
        else:
            self._pullback = Pullback(program, options)
            self.executable = compile_module(program, **options)
            state = program.module.defaults.items()
            self._initial = {name: as_tensors(np.array(each)) for name, each in state}

    def forward(self, *inputs: torch.Tensor) -> Any:
        """Run the program on tensors, recording the call if gradients are enabled."""
        if self._pullback is not None and torch.is_grad_enabled():
            last = self.executable.input_names[len(inputs) :]
            state = [self._initial[name] for name in last if name in self._initial]
            return _Differentiable.apply(self.executable, self._pullback, *inputs, *state)
        return _run(self.executable, inputs)


class Pullback:
    """The vector-Jacobian product of a program with respect to all its floating-point inputs."""

    def __init__(self, program: HasModule, options: dict[str, Any]) -> None:
        self._module, self._options = program.module, options
        types = [param.tensor_type.dtype for param in self._module.main.params]
        self._by = [index for index, each in enumerate(types) if each.is_float]
        self._count = len(types)

    @cached_property
    def _executable(self) -> Executable:
        return compile_module(vjp(self._module, self._by), **self._options)

    def __call__(
        self, inputs: Sequence[torch.Tensor], weights: Sequence[Any]
    ) -> list[torch.Tensor | None]:
        """Return the gradient of the weighted results by each input; None for integer inputs."""
        weight = weights[0] if len(weights) == 1 else tuple(weights)
        _, found = as_tensors(self._executable(*(each.detach() for each in inputs), weight))
        gradients: list[torch.Tensor | None] = [None] * self._count
        for index, each in zip(self._by, cast("Sequence[torch.Tensor]", found), strict=True):
            gradients[index] = each
        return gradients


class _Differentiable(_autograd.Function):
    """A call of a program as a PyTorch autograd function."""

    @staticmethod
    def forward(ctx: Any, executable: Executable, pullback: Pullback, *inputs: Any) -> Any:
        """Run the program, and save its inputs for the backward pass."""
        ctx.pullback = pullback
        ctx.save_for_backward(*inputs)
        results = _run(executable, inputs)
        listed: Sequence[Any] = results if executable.signature.is_tuple else (results,)
        ctx.mark_non_differentiable(*(x for x in listed if not x.is_floating_point()))
        ctx.floats = [x.is_floating_point() for x in listed]
        return results

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *slopes: Any) -> Any:
        """Return the gradient with respect to each input."""
        pairs = zip(slopes, ctx.floats, strict=True)
        weights = [slope.contiguous() if is_float else () for slope, is_float in pairs]
        return None, None, *ctx.pullback(ctx.saved_tensors, weights)


def _run(executable: Executable, inputs: Sequence[torch.Tensor]) -> Any:
    return as_tensors(executable(*(each.detach() for each in inputs)))
