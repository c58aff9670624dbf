"""Compile training steps and whole epochs to native functions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from relay.autodiff.fresh_names import Names
from relay.autodiff.grad import value_and_grad
from relay.build.compile import compile_module
from relay.frontend.builders.counted_loops import at, loop, size_of
from relay.ir.expr import Call, Expr, Function, GlobalVar, Let, Tuple, Var
from relay.ir.module import ENTRY
from relay.ir.types import TensorType
from relay.layers.optimizers import Optimizer, apply_updates
from relay.layers.parameter_tree import (
    Tensor,
    Tree,
    leaves,
    map_tree,
    require_alike,
    trained,
    types,
    with_leaves,
)
from relay.layers.trace_tree_functions import TreeFunction, TreeProgram, initialize, traced
from relay.layers.training_mode import Mode
from relay.ops.functions import core, random
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.transform.checkpoints.choose_checkpoints import ChooseCheckpoints

Loss = Callable[..., Expr]
"""A loss: from a model, the mode and a batch to one number, `loss(model, mode, images, labels)`."""


@dataclass
class TrainingState:
    """The state of training: a model, the optimizer's state, and a random key."""

    __relay_model__ = True  # as of layers
    model: Tree
    optimizer: Tree
    key: Tensor


def start(model: Tree, optimizer: Optimizer, seed: int = 0) -> TrainingState:
    """Return the initial state of training, with initialised weights."""
    key = random.threefry_key(seed + 1).array
    return initialize(TrainingState(model, optimizer.init(model), key), seed)


def training_step(
    loss: Loss,
    optimizer: Optimizer,
    state: TrainingState,
    *batch: Tree,
    memory_budget: int | None = None,
    **options: Any,
) -> TreeFunction:
    """Compile a training step, called as `state, value = step(state, *batch)`.

    `loss(model, mode, *batch)` returns a number for a model of expressions. One native function
    computes it, its gradient and the next state, which reuses the memory of `state`: do not use
    `state` afterwards. `state` and `batch` are examples, see `traced`; `options` are those of
    `relay.compile`. With a `memory_budget`, in bytes, the backward pass computes some values again
    instead of storing them (`relay.transform.ChooseCheckpoints`).

    Raises the errors of `relay.value_and_grad`, `U333` for a model without parameters, `U330` for
    the state of another optimizer, and `D011` for a budget that is too small.
    """
    program = step_program(loss, optimizer, state, *batch, memory_budget=memory_budget)
    count = len(leaves(program.arguments[0]))
    params = program.module.main.params[:count]
    donate = {param.name: number for number, param in enumerate(params)}
    return TreeFunction(program, compile_module(program.module, donate=donate, **options))


def training_epoch(
    loss: Loss, optimizer: Optimizer, state: TrainingState, *batches: Tree, **options: Any
) -> TreeFunction:
    """Compile a loop of training steps, called as `state, value = epoch(state, *batches)`.

    `batches` are those of `training_step` with an additional leading axis for the steps; the value
    is the mean of the losses. The whole loop is one native function; see `training_step`.
    """
    program = epoch_program(loss, optimizer, state, *batches)
    return TreeFunction(program, compile_module(program.module, **options))


def step_program(
    loss: Loss,
    optimizer: Optimizer,
    state: TrainingState,
    *batch: Tree,
    memory_budget: int | None = None,
) -> TreeProgram:
    """Return the program of `training_step` without compiling it."""
    require_alike(optimizer.init(state.model), state.optimizer)

    def forward(model: Tree, key: Expr, *batch: Tree) -> Tree:
        mode = Mode(key)
        value = loss(model, mode, *batch)
        return value, mode.updated(model), mode.rest

    known = traced(forward, state.model, state.key, *batch)
    by = [i for i, leaf in enumerate(leaves(known.arguments[0])) if leaf.is_trained]
    if not by:
        help_ = "store weights as float arrays in the fields of layers, not as buffers"
        raise UsageError(ErrorCode.U333, "the model has no parameters to train", help=help_)
    module = known.module
    if memory_budget is not None:
        module = ChooseCheckpoints(memory_budget)(module)
    derived = value_and_grad(module, by, has_aux=True)
    main = derived.main
    model, key, *given = with_leaves(known.arguments, main.params)
    memory = map_tree(lambda leaf: Var(f"optimizer.{leaf.path}", leaf.type), state.optimizer)

    found = Var("found", main.body.type)
    value, seen, rest = with_leaves(known.result, found[0])
    slopes = iter(found[1])
    gradients = map_tree(lambda leaf: next(slopes) if leaf.is_trained else None, model)
    updates, memory_then = optimizer.update(gradients, memory, trained(model))
    new = TrainingState(apply_updates(seen, updates), memory_then, rest)

    now = (TrainingState(model, memory, key), *given)
    result = (new, value)
    body = Let(found, main.body, Tuple(_tensors(result)))
    module = derived.with_function(ENTRY, Function(_tensors(now), body))
    return TreeProgram(module, types(now), types(result))


def epoch_program(
    loss: Loss, optimizer: Optimizer, state: TrainingState, *batches: Tree
) -> TreeProgram:
    """Return the program of `training_epoch` without compiling it."""
    first = map_tree(lambda leaf: TensorType(leaf.type.shape[1:], leaf.type.dtype), batches)
    program = step_program(loss, optimizer, state, *first)
    step = GlobalVar(Names(program.module).fresh("step"), ty=program.module.main.type)
    now = map_tree(lambda leaf: Var(f"state.{leaf.path}", leaf.type), state)
    given = map_tree(lambda leaf: Var(f"batches.{leaf.path}", leaf.type), batches)
    count = _count(_tensors(given))

    def body(time: Expr, variables: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
        *tensors, total = variables
        batch = (at(each, time) for each in _tensors(given))
        *new, value = Call(step, (*tensors, *batch))
        return [*new, total + value], None

    value = program.result[1]
    begin = (*_tensors(now), core.zeros(value.shape, value.dtype))
    *end, total = loop(count, None, begin, [each.type for each in begin], body)
    mean = total / core.cast(count, value.dtype)
    main = Function((*_tensors(now), *_tensors(given)), Tuple((*end, mean)))
    functions = {**program.module.functions, step.name: program.module.main, ENTRY: main}
    module = program.module.with_functions(functions)
    return TreeProgram(module, (types(state), *types(batches)), program.result)


def _tensors(tree: Tree) -> tuple[Any, ...]:
    return tuple(leaf.value for leaf in leaves(tree))


def _count(batches: Sequence[Expr]) -> Expr:
    """Return the number of steps; raises `U334` if the batches have different numbers."""
    sizes = {each.tensor_type.shape[0] for each in batches}
    if len(sizes) != 1:
        numbers = ", ".join(sorted(map(str, sizes))) or "no tensors"
        message = (
            f"the batches of an epoch differ in their number of steps (the first axis): {numbers}"
        )
        raise UsageError(
            ErrorCode.U334, message, help="stack the same number of batches for each argument"
        )
    return size_of(batches[0], 0)
