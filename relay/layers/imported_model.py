"""Use imported models as layers, whose constants become trainable weights."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from relay.frontend.builders.collect_loop_outputs import Collection, collecting
from relay.frontend.builders.counted_loops import at
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.builders.traceable_functions import builds_expressions
from relay.ir.expr import Call, Constant, Expr, Function, Tuple, TupleGetItem, Var
from relay.ir.module import HasModule, module_of
from relay.ir.types import TensorType, TupleType
from relay.ir.walk import post_order, rewrite, substitute
from relay.layers.layer import Layer
from relay.layers.parameter_tree import Tensor
from relay.ops.nn.batch_norm_dropout import BatchNorm
from relay.semantics.infer import infer
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError


@dataclass(eq=False)
class Imported(Layer):
    """A layer made of an imported program, with its weights by name; see `from_module`."""

    weights: dict[str, Tensor]
    apply: Callable[..., Expr]

    @builds_expressions
    def __call__(self, x: Expr, *more: object) -> Expr:
        """Return the result of the program for its first input `x` and its other inputs `more`."""
        others = (each for each in more if isinstance(each, Expr))
        return self.apply(x, *others, *self.weights.values())


def from_module(model: HasModule, *, batch: int | None = None) -> Imported:
    """Return a program as a layer; its floating-point constants become weights.

    Scalars and batch-normalisation statistics stay constant. With `batch`, the program is
    applied to each of `batch` inputs in turn; inputs and results have an additional leading
    axis. Raises `U337` for a program with several functions, or with `batch` for results that are
    not tensors.

    >>> import numpy as np, relay
    >>> x = relay.var("x", shape=(2,))
    >>> model = from_module(relay.Module.of(relay.Function([x], x * relay.const([3.0, 4.0]))))
    >>> model.weights
    {'weight0': array([3., 4.], dtype=float32)}
    """
    module = infer(module_of(model))
    if len(module.functions) > 1:
        others = ", ".join(name for name in module.functions if name != "main")
        message = f"a layer needs a program with one function, but this one also has {others}"
        help_ = "inline them with relay.transform.Inline, or differentiate the program directly"
        raise UsageError(ErrorCode.U337, message, help=help_)
    main = module.main
    named = {each: f"weight{number}" for number, each in enumerate(_weights(main.body))}
    variables: dict[Expr, Var] = {each: Var(name, each.type) for each, name in named.items()}
    body = rewrite(main.body, lambda expr: variables.get(expr, expr))
    params = (*main.params, *variables.values())

    def apply(*args: Expr) -> Expr:
        return substitute(body, dict(zip(params, args, strict=True)))

    called = apply if batch is None else _repeated(apply, main, batch)
    return Imported({name: each.array for each, name in named.items()}, called)


def _repeated(apply: Callable[..., Expr], main: Function, count: int) -> Callable[..., Expr]:
    """Return a function that applies a model to each slice along a new leading axis."""
    number, inputs = constant(count, int64), len(main.params)
    is_tuple, types = isinstance(main.body.type, TupleType), _result_types(main)
    results = [Collection(each, count, number) for each in types]

    def repeated(*args: Expr) -> Expr:
        def step(time: Expr, _: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
            here = (at(each, time) for each in args[:inputs])
            result = apply(*here, *args[inputs:])
            fields = [TupleGetItem(result, place) for place in range(len(types))]
            return (fields if is_tuple else [result]), None

        found = collecting(number, None, (), (), results, step)
        return Tuple(tuple(found)) if is_tuple else found[0]

    return repeated


def _result_types(main: Function) -> list[TensorType]:
    """Return the types of a model's results; raises `U337` if one is not a tensor."""
    ty = main.body.type
    types = ty.fields if isinstance(ty, TupleType) else (ty,)
    found = [each for each in types if isinstance(each, TensorType)]
    if len(found) < len(types):
        message = f"with batch, a program must return tensors, not {ty!r}"
        raise UsageError(ErrorCode.U337, message, help="apply the layer to one input at a time")
    return found


def _weights(body: Expr) -> Iterator[Constant]:
    """Yield each constant of the program that becomes a trainable weight, once."""
    order = post_order(body)
    kept = {arg for each in order if isinstance(each, Call) for arg in _statistics(each)}
    for each in order:
        if isinstance(each, Constant) and each not in kept and _is_weight(each.tensor_type):
            yield each


def _statistics(call: Call) -> tuple[Expr, ...]:
    return call.args[3:] if isinstance(call.op, BatchNorm) else ()


def _is_weight(ty: TensorType) -> bool:
    return ty.dtype.is_float and ty.rank > 0
