"""Translate branches and loops of TorchScript.

Those that depend on data become Relay's. Loops of known length over lists and dictionaries are
unrolled. A branch that raises an exception becomes an assertion.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import torch
from torch.utils import _pytree as pytree

from relay.frontend.builders.let_before_loops import bound_among
from relay.frontend.builders.size_expressions import size_number
from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.frontend.torch.assertions import Assertion
from relay.frontend.torch.dynamic_lists import followed_by
from relay.frontend.torch.script_aliases import argument, is_held, writes
from relay.frontend.torch.script_loops import lists_that_grow, script_loop
from relay.frontend.torch.script_nodes import (
    all_nodes,
    changes_attribute,
    changes_container,
    read_from_outside,
)
from relay.frontend.torch.script_scalars_and_lists import (
    FUNCTIONS,
    UNSET,
    Unset,
)
from relay.frontend.torch.script_values import (
    EXPORT,
    ScriptValues,
    shared_memory_error,
)
from relay.frontend.torch.uninitialized_values import blank, same_structure, with_blanks
from relay.ir.dims import Symbolic
from relay.ir.expr import Constant, Expr, If, Tuple, TupleGetItem, Var
from relay.ir.types import scalar_type
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span
from relay.transform.effects import Unspeculatable

WRITTEN_OUT = 16
"""The most steps of a loop that is unrolled although it could be a Relay loop."""


class RaisedError(Exception):
    """An error: the model raises an exception here; it contains the model's message."""


_Side: TypeAlias = "list[object] | RaisedError"
"""The results of a branch, or the exception it raises."""


class ScriptControlFlow(ScriptValues, ABC):
    """The translation of branches and loops; a subclass translates the blocks in them."""

    def __init__(self, graph: Any) -> None:
        super().__init__(graph)
        self._tests: list[Assertion] = []

    @abstractmethod
    def _block(self, block: Any) -> list[object]:
        """Return the results of a block."""

    def _inner(self, block: Any) -> list[object]:
        """Return the results of a block that may not be executed at run time."""
        self._inside.append(set())
        try:
            return self._block(block)
        finally:
            self._inside.pop()

    def _branch(self, node: Any, condition: Any, span: Span) -> Sequence[object]:
        blocks = list(node.blocks())
        if not isinstance(condition, Expr):
            return self._block(blocks[0] if condition else blocks[1])
        sides = [self._side(block) for block in blocks]
        then, other = sides
        if isinstance(then, RaisedError) or isinstance(other, RaisedError):
            return self._asserted(condition, then, other)
        (leaves, spec), (others, other_spec) = map(pytree.tree_flatten, same_structure(then, other))
        if spec != other_spec:
            help_ = "let both branches return tensors, or lists of the same length"
            message = (
                "the two branches of an if return different numbers of values, or differently "
                "nested ones"
            )
            raise RelayImportError(ErrorCode.F041, message, span=span, help=help_)
        if not leaves:
            return []
        tuples = [Tuple(tuple(map(_number, side))) for side in with_blanks(leaves, others)]
        chosen = If(reshape(condition, ()), *tuples, span=span)
        if chosen.ty is None:
            message = (
                f"one branch of an if returns {tuples[0].type!r}, the other {tuples[1].type!r}"
            )
            raise RelayImportError(ErrorCode.F041, message, span=span)
        parts = [TupleGetItem(chosen, index) for index in range(len(leaves))]
        return cast("list[object]", pytree.tree_unflatten(parts, spec))

    def _side(self, block: Any) -> _Side:
        try:
            return self._inner(block)
        except RaisedError as error:
            return error

    def _asserted(
        self,
        condition: Expr,
        then: "list[object] | RaisedError",
        other: "list[object] | RaisedError",
    ) -> list[object]:
        """Return the results of the branch that does not raise an exception.

        `then` and `other` are the results of both branches; the condition is checked at the end of
        the program.
        """
        if self._inside:
            message = (
                "a branch or loop that depends on data raises an exception, which is not supported"
            )
            raise RelayImportError(ErrorCode.F056, message, help=EXPORT)
        if isinstance(other, RaisedError):
            kept, holds, error = then, condition, other
        else:
            kept, holds, error = other, cast("Expr", FUNCTIONS["aten::__not__"](condition)), then
        if isinstance(kept, RaisedError):
            raise always_raised(kept)
        self._tests.append((holds, str(error)))
        return kept

    def _loop(self, node: Any, inputs: list[Any], span: Span) -> Sequence[object]:
        trips, goes_on, *carried = inputs
        (block,) = node.blocks()
        plain = all(isinstance(each, Expr | Symbolic | int | float | Unset) for each in carried)
        is_known = isinstance(trips, int) and not isinstance(goes_on, Expr)
        changes = any(map(changes_container, all_nodes(block)))
        if is_known and (trips <= WRITTEN_OUT or changes or not plain):
            restore = self._saved()
            results = self._written_out(block, trips, goes_on, carried)
            if results is not None:
                return results
            if any(writes(each) or changes_attribute(each) for each in all_nodes(block)):
                message = "whether a loop with writes ends depends on data, which is not supported"
                raise RelayImportError(ErrorCode.F056, message, span=span, help=EXPORT)
            restore()
        before = self._lists_before(node, carried, span)
        return self._looped(block, inputs, before, span)

    def _saved(self) -> Callable[[], None]:
        """Return a function that restores the present values of variables, lists and assertions."""
        values, tests = dict(self._values), len(self._tests)
        known: Iterable[object] = values.values()
        found = [cast("list[object]", x) for x in known if isinstance(x, list)]
        lists = [(each, list(each)) for each in found]

        def restore() -> None:
            self._values.clear()
            self._values.update(values)
            for items, old in lists:
                items[:] = old
            del self._tests[tests:]

        return restore

    def _lists_before(self, node: Any, carried: Sequence[object], span: Span) -> dict[str, object]:
        """Return the lists to which each step of a loop appends a tensor, by their names in it.

        Raises `F056` if other values may refer to such a list.
        """
        (block,) = node.blocks()
        inner = [value.debugName() for value in block.inputs()][1:]
        given = dict(zip(inner, zip(list(node.inputs())[2:], carried, strict=True), strict=True))
        found: dict[str, object] = {}
        for name, change in lists_that_grow(block).items():
            value, items = given.get(name) or (argument(change), self._values[name])
            self._check_own(change, value, span)
            if is_held(value, node) or self._names_of(items) > 1:
                raise shared_memory_error(change, span)
            found[name] = items
        return found

    def _written_out(
        self, block: Any, trips: int, goes_on: Any, carried: list[Any]
    ) -> Sequence[object] | None:
        """Return the state after an unrolled loop; None if data end it."""
        names = [value.debugName() for value in block.inputs()]
        for index in range(trips):
            if not goes_on:
                break
            for name, value in zip(names, (index, *carried), strict=True):
                self._define(name, value)
            self._unrolled += 1
            goes_on, *carried = self._block(block)
            self._unrolled -= 1
            if isinstance(goes_on, Expr):
                return None
        return carried

    def _looped(
        self, block: Any, inputs: list[Any], before: Mapping[str, object], span: Span
    ) -> Sequence[object]:
        """Return the state after a loop whose number of steps is dynamic.

        Each step appends a tensor to each of the lists that are in `before`. Values that steps read
        from outside are bound before the loop.
        """
        trips, goes_on, *carried = inputs
        names = [value.debugName() for value in block.inputs()][1:]
        state = {name: x for name, x in zip(names, carried, strict=True) if name not in before}
        state = self._with_types(block, state, before)
        start, spec = pytree.tree_flatten(state)

        def step(time: Expr, given: Sequence[Expr]) -> tuple[Expr, Sequence[Expr], Sequence[Expr]]:
            old = pytree.tree_unflatten(given, spec)
            again, results, items = self._step(block, time, old, before)
            leaves, after = pytree.tree_flatten(results)
            if after != spec:
                raise _other_containers(span)
            dtypes = [each.tensor_type.dtype for each in given]
            new = [converted(_number(each), to) for each, to in zip(leaves, dtypes, strict=True)]
            return reshape(_number(again), ()), new, items

        is_counted = goes_on is True and _is_true(next(iter(block.outputs())))
        flag = None if is_counted else reshape(_number(goes_on), ())
        outer = [name for name in read_from_outside(block) if name in self._values]

        def looped(given: Sequence[object]) -> Sequence[Expr]:
            known = [self._values[name] for name in outer]
            self._values.update(zip(outer, given, strict=True))
            results = script_loop(trips, flag, list(map(_number, start)), step)
            self._values.update(zip(outer, known, strict=True))
            return results

        known = [self._values[name] for name in outer]
        results = bound_among(known, Unspeculatable(), looped)
        final = pytree.tree_unflatten(results[: len(start)], spec)
        for (name, items), more in zip(before.items(), results[len(start) :], strict=True):
            final[name] = followed_by(items, more)
            if name not in names:
                self._values[name] = final[name]
        return [final[name] for name in names]

    def _with_types(
        self, block: Any, state: dict[str, object], lists: Iterable[str]
    ) -> dict[str, object]:
        """Return the state before a loop; values that the first step sets become zeros."""
        if all(each is not UNSET for each in pytree.tree_leaves(state)):
            return state
        _, results, _ = self._step(block, Var("t", scalar_type(int64)), state, lists)
        return {
            name: pytree.tree_map(blank, results[name]) if each is UNSET else each
            for name, each in state.items()
        }

    def _step(
        self, block: Any, time: Expr, state: Mapping[str, object], lists: Iterable[str]
    ) -> tuple[object, dict[str, object], list[Expr]]:
        """Translate one step of a dynamic loop.

        Return whether the loop continues, the next state, and the items appended to each list.
        """
        first, *names = (value.debugName() for value in block.inputs())
        grown: dict[str, list[Expr]] = {name: [] for name in lists}
        self._inside.append(set())
        try:
            for name, value in ({first: time} | dict(state) | grown).items():
                self._define(name, value)
            again, *results = self._block(block)
        finally:
            self._inside.pop()
        after = {name: x for name, x in zip(names, results, strict=True) if name in state}
        return again, after, [item for (item,) in grown.values()]


def _number(value: object) -> Expr:
    """Return a value as a tensor; numbers become scalar tensors."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, Symbolic):
        return size_number(value)
    if value is UNSET:
        return constant(0, int64)
    if isinstance(value, bool | int | float):
        return Constant(torch.tensor(value).numpy())
    raise RelayImportError(
        ErrorCode.F021,
        f"a branch or loop that depends on data can return tensors and numbers only, not {value!r}",
        help="return tensors from both branches, and keep other values out of the loop",
    )


def always_raised(error: RaisedError) -> RelayImportError:
    """Return the error `F026` for a model that raises an exception for all inputs."""
    message = f"the model always raises an exception for these inputs: {error}"
    return RelayImportError(ErrorCode.F026, message)


def _other_containers(span: Span | None) -> RelayImportError:
    """Return the error `F041` for a loop that changes the structure of its state."""
    message = (
        "an iteration of the loop returns a tuple, list or dictionary with other items or keys "
        "than before"
    )
    help_ = (
        "keep the same items in each iteration, or load the module with"
        " torch.export.export(module, inputs)"
    )
    return RelayImportError(ErrorCode.F041, message, span=span, help=help_)


def _is_true(value: Any) -> bool:
    """Whether a TorchScript value is the constant True."""
    node = value.node()
    return node.kind() == "prim::Constant" and value.toIValue() is True
