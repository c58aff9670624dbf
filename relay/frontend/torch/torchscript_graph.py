"""Translate a TorchScript graph, traced or scripted, to Relay expressions.

TorchScript has mutable variables: lists and dictionaries are represented by Python's during import,
loops of known length over them are unrolled, and `x.add_(y)` rebinds all variables that share the
memory of the tensor. Conditionals and loops that depend on data become Relay's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias, cast

import torch
from torch.utils import _pytree as pytree

from relay.frontend.builders.constant_folding import computed
from relay.frontend.builders.let_before_loops import bound_among
from relay.frontend.builders.tensors import constant, reshape
from relay.frontend.builders.while_loops import repeated
from relay.frontend.torch.assertions import Assertion, asserted
from relay.frontend.torch.check_supported import operators_not_supported
from relay.frontend.torch.dtypes import torch_dtype
from relay.frontend.torch.quantised_tensor import QuantisedTensor
from relay.frontend.torch.registry import Translation, translation
from relay.frontend.torch.script_aliases import (
    WRITES,
    Alias,
    Aliases,
    argument,
    attribute_path,
    is_held,
    is_of_attribute,
    is_read_after,
    writes,
)
from relay.frontend.torch.script_nodes import (
    all_nodes,
    call_of,
    constant_of,
    functional,
    has_tensors,
    plain_name,
    read_from_outside,
    sizes_of_tensor,
    span_of_node,
    tensor_of,
    with_numbers,
)
from relay.frontend.torch.script_scalars_and_lists import CHANGES, FUNCTIONS, UndecidedError
from relay.frontend.torch.symbolic_sizes import size_number
from relay.frontend.torch.translate.complex_numbers import called_with_complex
from relay.frontend.torch.translate.quantized_functions import called
from relay.frontend.torch.translate.type_promotion import converted
from relay.ir.dims import Dim, Symbolic
from relay.ir.expr import Call, Constant, Expr, If, Tuple, TupleGetItem
from relay.ops.binary import add
from relay.ops.comparison import Less
from relay.support.dtype import bool_, int64
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayImportError
from relay.support.span import Span
from relay.transform.effects import Unspeculatable

ENDLESS = 2**62  # the step count of a loop that only its condition ends

WRITTEN_OUT = 16
"""The most steps of a loop that is unrolled although it could be a Relay loop."""

EXPORT = "export the module instead, which replaces writes: torch.export.export(module, inputs)"


class RaisedError(Exception):
    """An error: the model raises an exception here; it contains the model's message."""


_Side: TypeAlias = "list[object] | RaisedError"
"""The results of a branch, or the exception it raises."""


class ScriptImporter:
    """A translator of one model's graph; attributes are read from `module`."""

    def __init__(self, module: object, custom: Mapping[str, Translation]) -> None:
        self._module = module
        self._custom = custom
        self._values: dict[str, Any] = {}
        self._attributes: dict[str, object] = {}
        self._changed: set[str] = set()
        self._aliases = Aliases()
        self._unrolled = 0
        self._inside: list[set[str]] = []
        self._tests: list[Assertion] = []

    def run(self, graph: Any, inputs: Sequence[object]) -> list[object]:
        """Return the results of a graph as a flat list: a tuple is replaced by its fields."""
        self._check_supported(graph)
        setters = (each for each in all_nodes(graph) if each.kind() == "prim::SetAttr")
        self._changed.update(map(attribute_path, setters))
        for value, given in zip(graph.inputs(), inputs, strict=True):
            self._values[value.debugName()] = given
        results = self._block(graph)
        leaves: list[object] = pytree.tree_leaves(results)
        return asserted([each for each in leaves if each is not None], self._tests)

    def _check_supported(self, graph: Any) -> None:
        missing: dict[str, list[str]] = {}
        for node in all_nodes(graph):
            name = plain_name(node)
            known = functional(node) in FUNCTIONS or node.kind() in _CONTROL
            if not known and translation(name, self._custom) is None and translation(name) is None:
                missing.setdefault(name, []).append(str(span_of_node(node)).removesuffix(":1"))
        if missing:
            raise operators_not_supported(missing)

    def _block(self, block: Any) -> list[object]:
        """Return the results of a block."""
        for node in block.nodes():
            results = self._node(node)
            for value, result in zip(node.outputs(), results, strict=False):
                self._define(value.debugName(), result)
            self._aliases.record(node)
        return [self._values[value.debugName()] for value in block.outputs()]

    def _define(self, name: str, value: object) -> None:
        self._values[name] = value
        if self._inside:
            self._inside[-1].add(name)

    def _node(self, node: Any) -> Sequence[object]:
        span = span_of_node(node)
        try:
            return self._results(node, span)
        except RelayError as error:
            raise error.at(span) from None
        except UndecidedError as error:
            help_ = "specify static input sizes"
            raise RelayImportError(
                ErrorCode.F032, f"{node.kind()}: {error}", span=span, help=help_
            ) from None
        except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
            message = f"{node.kind()} has arguments that are not supported: {error!r}"
            raise RelayImportError(ErrorCode.F026, message, span=span) from error

    def _results(self, node: Any, span: Span) -> Sequence[object]:
        inputs = self._inputs(node)
        match node.kind():
            case "prim::Constant":
                return [constant_of(node, span)]
            case "prim::GetAttr":
                return [self._attribute(node, inputs[0], span)]
            case "prim::SetAttr":
                self._set_attribute(node, inputs[1], span)
                return []
            case "prim::ListConstruct" | "prim::TupleConstruct":
                return [inputs]
            case "prim::DictConstruct":
                return [dict(zip(inputs[::2], inputs[1::2], strict=True))]
            case "prim::ListUnpack" | "prim::TupleUnpack":
                return inputs[0]
            case "prim::TupleIndex":
                return [inputs[0][inputs[1]]]
            case "prim::RaiseException":
                raise RaisedError(str(inputs[0]))
            case "prim::If":
                return self._branch(node, inputs[0], span)
            case "prim::Loop":
                return self._loop(node, inputs, span)
            case _:
                return self._call(node, inputs, span)

    def _attribute(self, node: Any, owner: Any, span: Span) -> object:
        path = attribute_path(node)
        if path in self._attributes:
            return self._attributes[path]
        if path in self._changed:
            message = (
                f"the model reads {path} before it sets it, so that calls depend on earlier calls"
            )
            raise RelayImportError(ErrorCode.F056, message, span=span, help=EXPORT)
        found = getattr(owner, node.s("name"))
        return tensor_of(found, span) if isinstance(found, torch.Tensor) else found

    def _set_attribute(self, node: Any, value: object, span: Span) -> None:
        path = attribute_path(node)
        if self._inside:
            message = f"the model sets {path} in a data-dependent branch or loop"
            raise RelayImportError(ErrorCode.F056, message, span=span, help=EXPORT)
        self._attributes[path] = value

    def _call(self, node: Any, inputs: list[Any], span: Span) -> Sequence[object]:
        kind = node.kind()
        if kind in CHANGES:
            self._check_own(node, argument(node), span)
        if kind == "prim::dtype":
            return [torch_dtype(inputs[0].tensor_type.dtype)]
        if kind == "aten::size":
            return [sizes_of_tensor(*inputs)]
        if kind == "aten::dim":
            return [inputs[0].tensor_type.rank]
        numbers, function = with_numbers(node, inputs), FUNCTIONS.get(functional(node))
        if function is not None and not has_tensors(kind, node, numbers):
            result = function(*numbers)
            if writes(node):
                self._values[argument(node).debugName()] = result
            return [result]
        result = self._operator(node, inputs, span)
        if writes(node):
            self._write(node, result, span)
        return result if node.outputsSize() > 1 else [result]

    def _operator(self, node: Any, inputs: Sequence[object], span: Span) -> Any:
        call = replace(call_of(node, inputs, span), assertions=self._tests)
        own = translation(call.name, self._custom)
        translate = own or translation(call.name)
        assert translate is not None, f"{call.name} was found to be supported"
        result = called_with_complex(partial(called, translate), call)
        if own is None:
            call.check_all_read()
        return _folded(result) if _is_known(inputs) else result

    def _inputs(self, node: Any) -> list[Any]:
        return [self._values[value.debugName()] for value in node.inputs()]

    def _write(self, node: Any, result: Any, span: Span) -> None:
        """Rebind a tensor that a node writes, and all tensors that share its memory.

        Raises `F056` if a container, or a tensor that may or may not be a view, could still have
        the old value.
        """
        value, known = argument(node), set[str]()
        old = self._values[value.debugName()]
        is_tensor = isinstance(old, Expr)
        self._set(value, converted(result, old.tensor_type.dtype) if is_tensor else result)
        while (maker := self._aliases.maker(value)) is not None:
            known.add(value.debugName())
            self._check_held(node, value, span)
            new, base = self._values[value.debugName()], argument(maker)
            if writes(maker):
                self._set(base, new)
            elif maker.kind() in WRITES:
                call = call_of(maker, self._inputs(maker), span)
                self._set(base, WRITES[maker.kind()](call, new))
            elif self._is_read_after(base, node):
                raise _shared(node, span)
            else:
                break
            value = base
        known.add(value.debugName())
        self._check_held(node, value, span)
        self._check_own(node, value, span)
        for alias in self._aliases.others(value, known):
            self._set(alias.value, self._again(node, alias, span))

    def _is_read_after(self, value: Any, node: Any) -> bool:
        """Whether a value may be read after a node; in a loop, the next step may read it."""
        return self._unrolled > 0 or is_read_after(value, node)

    def _set(self, value: Any, new: object) -> None:
        self._values[value.debugName()] = new

    def _again(self, node: Any, alias: Alias, span: Span) -> object:
        """Return the new value of an alias after a write to its memory."""
        inputs = self._inputs(alias.maker)
        if writes(alias.maker):
            return inputs[0]
        if not alias.is_part:
            return self._operator(alias.maker, inputs, span)
        if self._is_read_after(alias.value, node):
            raise _shared(node, span)
        return self._values[alias.value.debugName()]

    def _check_held(self, node: Any, value: Any, span: Span) -> None:
        if is_held(value, node) or is_of_attribute(value):
            raise _shared(node, span)

    def _check_own(self, node: Any, changed: Any, span: Span) -> None:
        """Raise `F056` if a run-time conditional or loop mutates values from outside."""
        if self._inside and changed.debugName() not in self._inside[-1]:
            message = (
                f"{node.kind()} changes, in a data-dependent branch or loop, a value defined "
                "outside of it"
            )
            raise RelayImportError(ErrorCode.F056, message, span=span, help=EXPORT)

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
        (leaves, spec), (others, other_spec) = map(pytree.tree_flatten, sides)
        if spec != other_spec:
            help_ = "let both branches return lists of the same length, or tensors"
            message = "the branches return values of different structure"
            raise RelayImportError(ErrorCode.F041, message, span=span, help=help_)
        if not leaves:
            return []
        tuples = [Tuple(tuple(map(_number, side))) for side in (leaves, others)]
        chosen = If(reshape(condition, ()), *tuples, span=span)
        if chosen.ty is None:
            message = f"the branches return {tuples[0].type!r} and {tuples[1].type!r}"
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
            message = "an exception in a data-dependent branch or loop is not supported"
            raise RelayImportError(ErrorCode.F056, message, help=EXPORT)
        if isinstance(other, RaisedError):
            kept, holds, error = then, condition, other
        else:
            kept, holds, error = other, cast("Expr", FUNCTIONS["aten::__not__"](condition)), then
        if isinstance(kept, RaisedError):
            raise RelayImportError(ErrorCode.F026, f"the model always raises an exception: {kept}")
        self._tests.append((holds, str(error)))
        return kept

    def _loop(self, node: Any, inputs: list[Any], span: Span) -> Sequence[object]:
        trips, goes_on, *carried = inputs
        (block,) = node.blocks()
        plain = all(isinstance(each, Expr | Symbolic | int | float) for each in carried)
        is_known = isinstance(trips, int) and not isinstance(goes_on, Expr)
        changes = any(each.kind() in CHANGES for each in all_nodes(block))
        if is_known and (trips <= WRITTEN_OUT or changes or not plain):
            return self._written_out(block, trips, goes_on, carried, span)
        if changes or not plain:
            message = "the number of steps of a loop over a list is not known"
            raise RelayImportError(
                ErrorCode.F056, message, span=span, help="specify static input sizes"
            )
        return self._looped(block, trips, goes_on, carried)

    def _written_out(
        self, block: Any, trips: int, goes_on: Any, carried: list[Any], span: Span
    ) -> Sequence[object]:
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
                message = "the end of a loop over a list depends on data"
                raise RelayImportError(ErrorCode.F056, message, span=span, help=EXPORT)
        return carried

    def _looped(self, block: Any, trips: Any, goes_on: Any, carried: list[Any]) -> Sequence[object]:
        """Return the state after a loop whose number of steps is dynamic.

        If a step changes sizes of the state, for example by appending to a list, it is translated
        again with unknown sizes. Values that steps read from outside are bound before the loop.
        """
        count = _steps(trips)
        may_end = goes_on is not True or not _is_true(next(iter(block.outputs())))
        flags = [reshape(_number(goes_on), ())] if may_end else []

        def step(state: Sequence[Expr]) -> tuple[Expr, Sequence[Expr]]:
            time, *rest = state
            condition: Expr = Call(Less(), (time, count))
            for flag in rest[: len(flags)]:
                condition = If(condition, flag, constant(0, bool_))
            values = rest[len(flags) :]
            again, *results = self._step(block, time, values)
            dtypes = [each.tensor_type.dtype for each in values]
            new = [converted(_number(each), to) for each, to in zip(results, dtypes, strict=True)]
            more = [reshape(_number(again), ())] if may_end else []
            return condition, [add(time, constant(1, int64)), *more, *new]

        first = [constant(0, int64), *flags, *map(_number, carried)]
        outer = [name for name in read_from_outside(block) if name in self._values]

        def looped(given: Sequence[object]) -> Sequence[Expr]:
            before = [self._values[name] for name in outer]
            self._values.update(zip(outer, given, strict=True))
            results = repeated(first, step)[1 + len(flags) :]
            self._values.update(zip(outer, before, strict=True))
            return results

        return bound_among([self._values[name] for name in outer], Unspeculatable(), looped)

    def _step(self, block: Any, time: Expr, state: Sequence[Expr]) -> list[object]:
        """Translate one step of a dynamic loop; return the results of its body."""
        names = [value.debugName() for value in block.inputs()]
        self._inside.append(set())
        try:
            for name, value in zip(names, (time, *state), strict=True):
                self._define(name, value)
            return self._block(block)
        finally:
            self._inside.pop()


_CONTROL = frozenset(
    f"prim::{name}" for name in (
        "Constant", "GetAttr", "ListConstruct", "TupleConstruct", "DictConstruct", "ListUnpack",
        "TupleUnpack", "TupleIndex", "RaiseException", "If", "Loop", "SetAttr", "dtype",
    )
) | {"aten::size", "aten::dim"}  # fmt: skip
"""Node kinds that the importer handles itself."""


FOLDED = 64
"""The most elements of constants that are computed at import, such as sizes."""


def _is_known(inputs: Sequence[object]) -> bool:
    """Whether all tensors among `inputs` are small constants, so that results can be folded."""
    tensors = [x for x in pytree.tree_leaves(inputs) if isinstance(x, Expr | QuantisedTensor)]
    return all(isinstance(x, Constant) and x.data.size <= FOLDED for x in tensors)


def _folded(result: object) -> object:
    """Return results that depend only on constants, folded to constants."""

    def folded(leaf: object) -> object:
        return computed(leaf, FOLDED) if isinstance(leaf, Expr) else leaf

    return pytree.tree_map(folded, result)


def _shared(node: Any, span: Span) -> RelayImportError:
    message = f"{node.kind()} writes to a tensor that shares its memory with another one"
    return RelayImportError(ErrorCode.F056, message, span=span, help=EXPORT)


def _number(value: object) -> Expr:
    """Return a value as a tensor; numbers become scalar tensors."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, Symbolic):
        return size_number(value)
    if isinstance(value, bool | int | float):
        return Constant(torch.tensor(value).numpy())
    raise RelayImportError(
        ErrorCode.F021, f"{value!r} is not a tensor, but is selected by a condition on data"
    )


def _is_true(value: Any) -> bool:
    """Whether a TorchScript value is the constant True."""
    node = value.node()
    return node.kind() == "prim::Constant" and value.toIValue() is True


def _steps(trips: Any) -> Expr:
    if isinstance(trips, Expr):
        return converted(reshape(trips, ()), int64)
    count: Dim = min(trips, ENDLESS) if isinstance(trips, int) else trips
    return size_number(count) if isinstance(count, Symbolic) else constant(count, int64)
