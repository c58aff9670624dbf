"""Wrap a compiled program as a PyTorch module."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

import numpy as np
import torch

from relay.autodiff.grad import jvp, vjp
from relay.build.compile import compile_module
from relay.frontend.vmap import vmap
from relay.interop.torch.tensors import as_tensors
from relay.ir.expr import Function, Tuple, TupleGetItem, Var
from relay.ir.module import ENTRY, HasModule, Module
from relay.ir.types import TensorType, TupleType, Type
from relay.ir.walk import substitute
from relay.runtime.executable import Executable
from relay.runtime.input_defaults import completed
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError, UsageError

Input = TypeVar("Input")

InAxes: TypeAlias = tuple[int | None, ...]
"""For each input, the axis along which calls are mapped; None for an input that they share."""

_autograd: Any = torch.autograd
_library: Any = torch
_is_transformed: Any = _library._C._functorch.is_functorch_wrapped_tensor  # noqa: SLF001 - it has no public name


class TorchModule(torch.nn.Module):
    """A PyTorch module whose forward pass is a compiled Relay program.

    Contiguous CPU tensors are read without copying, and results share the memory of the program's
    results. An executable is for inference: derivatives are made from the program, which it does
    not have. A Relay module is compiled here, with the options of `relay.compile`; PyTorch
    differentiates it by its vector-Jacobian product, which is compiled on first use, and that
    product by its own; the transforms of `torch.func` use its Jacobian-vector product and its form
    for many inputs, too. Raises `D…` errors for programs without a derivative, `U327` for gradients
    of an executable. The state of a loaded model has its initial value unless it is passed.

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
            self._program = None
            self.executable = program
        else:
            self._program = DifferentiableProgram(program.module, options)
            self.executable = self._program.executable
            state = program.module.defaults.items()
            self._initial = {name: as_tensors(np.array(each)) for name, each in state}

    def forward(self, *args: torch.Tensor, **named: torch.Tensor) -> Any:
        """Run the program on tensors, recording the call if gradients are enabled.

        Inputs are passed by position or by name; raises `R…` for others than the program takes.
        `torch.compile` ends its graph before the call, and begins the next one after it.
        """
        if torch.compiler.is_compiling():
            return _outside_of_graphs(self, args, named)
        return self.called(args, named)

    def called(self, args: Sequence[torch.Tensor], named: Mapping[str, torch.Tensor]) -> Any:
        """Run the program, or record the call of it, as `forward` does."""
        _check_tensors(self.executable.input_names, args, named)
        if self._program is not None:
            given = completed(self.executable.input_names, args, named, self._initial)
            inputs = self.executable.ordered(args, given)
            return _Differentiable.apply(self._program, *inputs)
        _check_inference(self.executable.input_names, args, named)
        return _run(self.executable, args, named)


@_library._disable_dynamo  # noqa: SLF001 - the public name loads TorchDynamo, which takes seconds
def _outside_of_graphs(
    module: TorchModule, args: Sequence[torch.Tensor], named: Mapping[str, torch.Tensor]
) -> Any:
    """Call a module without TorchDynamo, which cannot trace compiled programs."""
    return module.called(args, named)


def _check_tensors(
    names: Sequence[str], args: Sequence[object], named: Mapping[str, object]
) -> None:
    """Raise `R003` for an input that is not a tensor, such as an array of NumPy."""
    for name, each in _by_name(names, args, named):
        if not isinstance(each, torch.Tensor):
            found = type(each).__name__
            message = f"the input '{name}' of a TorchModule must be a tensor, not {found}"
            raise RunError(ErrorCode.R003, message, help="pass torch.as_tensor(x)")


def _by_name(
    names: Sequence[str], args: Sequence[Input], named: Mapping[str, Input]
) -> Sequence[tuple[str, Input]]:
    """Return the arguments of a call with the names of their inputs."""
    return [*zip(names, args, strict=False), *named.items()]


def _check_inference(
    names: Sequence[str], args: Sequence[torch.Tensor], named: Mapping[str, torch.Tensor]
) -> None:
    """Raise `U327` if PyTorch would record or transform the call of an executable."""
    for name, each in _by_name(names, args, named):
        is_recorded = torch.is_grad_enabled() and each.requires_grad
        if is_recorded or _is_transformed(each):
            what = "needs a gradient" if is_recorded else "is transformed by torch.func"
            message = f"the input '{name}' {what}, which an executable does not support"
            help_ = (
                "wrap the module instead of the executable, TorchModule(relay.load(model, "
                "example_inputs=(x,))), or call it in torch.no_grad() or with x.detach()"
            )
            raise UsageError(ErrorCode.U327, message, help=help_)


class DifferentiableProgram:
    """A program from tensors to tensors; it and its derivative are compiled on first use."""

    def __init__(self, module: Module, options: dict[str, Any]) -> None:
        self._module, self._options = module, options
        self._mapped: dict[InAxes, DifferentiableProgram] = {}
        dtypes = [param.tensor_type.dtype for param in module.main.params]
        self.is_float = [each.is_float for each in dtypes]

    @cached_property
    def executable(self) -> Executable:
        """Return the compiled program."""
        return compile_module(self._module, **self._options)

    @cached_property
    def pullback(self) -> "DifferentiableProgram":
        """Return the vector-Jacobian product with respect to all floating-point inputs.

        It takes the inputs, and a weight for each floating-point result; it returns the tuple of
        the gradients of the weighted results.
        """
        by = [index for index, is_float in enumerate(self.is_float) if is_float]
        return DifferentiableProgram(_gradients_only(vjp(self._module, by)), self._options)

    @cached_property
    def pushforward(self) -> "DifferentiableProgram":
        """Return the Jacobian-vector product with respect to all floating-point inputs.

        It takes the inputs, and a direction for each floating-point one; it returns the derivatives
        of the floating-point results, as a tuple if the program has several results.
        """
        by = [index for index, is_float in enumerate(self.is_float) if is_float]
        return DifferentiableProgram(_slopes_only(jvp(self._module, by)), self._options)

    def mapped(self, axes: InAxes) -> "DifferentiableProgram":
        """Return the program for many inputs; `axes` has the new axis of each input, or None."""
        if axes not in self._mapped:
            made = vmap(self._module, in_axes=axes).module
            self._mapped[axes] = DifferentiableProgram(made, self._options)
        return self._mapped[axes]


def _slopes_only(pushed: Module) -> Module:
    """Return the program of a Jacobian-vector product without its first result."""
    slope = TupleGetItem(pushed.main.body, 1)
    pair = pushed.main.body.type
    assert isinstance(pair, TupleType), "the program returns the result and its derivative"
    ty = pair.fields[1]
    if isinstance(ty, TupleType):
        floats = [index for index, each in enumerate(ty.fields) if isinstance(each, TensorType)]
        slope = Tuple(tuple(TupleGetItem(slope, index) for index in floats))
    return pushed.with_function(ENTRY, Function(pushed.main.params, slope))


def _gradients_only(pulled: Module) -> Module:
    """Return the program of a vector-Jacobian product without its first result.

    The program takes the fields of a covector that is a tuple as separate inputs.
    """
    *params, covector = pulled.main.params
    ty = covector.type
    parts: Sequence[Type] = ty.fields if isinstance(ty, TupleType) else (ty,)
    fields = [
        Var(f"{covector.name}_{index}", part) if isinstance(part, TensorType) else Tuple(())
        for index, part in enumerate(parts)
    ]
    whole = Tuple(tuple(fields)) if isinstance(ty, TupleType) else fields[0]
    weights = [each for each in fields if isinstance(each, Var)]
    body = TupleGetItem(substitute(pulled.main.body, {covector: whole}), 1)
    return pulled.with_function(ENTRY, Function((*params, *weights), body))


class _Differentiable(_autograd.Function):
    """A call of a program as a PyTorch autograd function."""

    @staticmethod
    def forward(program: DifferentiableProgram, *inputs: Any) -> Any:
        """Run the program."""
        return _run(program.executable, inputs, {})

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Save the inputs for derivatives, which can be differentiated again."""
        ctx.program, *tensors = inputs
        ctx.save_for_backward(*tensors)
        ctx.save_for_forward(*tensors)
        is_tuple = ctx.program.executable.signature.is_tuple
        listed: Sequence[Any] = output if is_tuple else (output,)
        ctx.mark_non_differentiable(*(x for x in listed if not x.is_floating_point()))
        ctx.floats = [x.is_floating_point() for x in listed]

    @staticmethod
    def backward(ctx: Any, *slopes: Any) -> Any:
        """Return the gradient with respect to each input."""
        pairs = zip(slopes, ctx.floats, strict=True)
        weights = [slope.contiguous() for slope, is_float in pairs if is_float]
        found = iter(_Differentiable.apply(ctx.program.pullback, *ctx.saved_tensors, *weights))
        return None, *(next(found) if is_float else None for is_float in ctx.program.is_float)

    @staticmethod
    def jvp(ctx: Any, _: None, *directions: Any) -> Any:
        """Return the derivatives of the results along directions of the inputs."""
        inputs = ctx.saved_tensors
        given = [
            torch.zeros_like(x) if direction is None else direction.contiguous()
            for x, direction in zip(inputs, directions, strict=True)
            if x.is_floating_point()
        ]
        program = ctx.program.pushforward
        found = _Differentiable.apply(program, *inputs, *given)
        if not program.executable.signature.is_tuple:
            return found
        slopes = iter(found)
        return tuple(next(slopes) if is_float else None for is_float in ctx.floats)

    @staticmethod
    def vmap(_: Any, in_dims: tuple[Any, ...], program: DifferentiableProgram, *inputs: Any) -> Any:
        """Return the results for many inputs, whose new axes are the first, and these axes."""
        many = program.mapped(in_dims[1:])
        results = _Differentiable.apply(many, *inputs)
        return results, (0,) * len(results) if many.executable.signature.is_tuple else 0


def _run(
    executable: Executable, args: Sequence[torch.Tensor], named: Mapping[str, torch.Tensor]
) -> Any:
    known = {name: each.detach() for name, each in named.items()}
    return as_tensors(executable(*(each.detach() for each in args), **known))
