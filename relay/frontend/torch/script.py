"""Translate a TorchScript graph, traced or scripted, to Relay expressions.

TorchScript has mutable variables: lists and dictionaries become Python's own here, loops of known
length over them are unrolled, and `x.add_(y)` rebinds its variable if no view of the tensor could
observe it. Conditionals and loops that depend on data become Relay's.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

import torch
from torch.utils import _pytree as pytree

from relay.frontend.builders.bound import bound
from relay.frontend.builders.loops import loop, size_of
from relay.frontend.builders.tensors import constant, reshape
from relay.frontend.lines import line_of
from relay.frontend.torch.dtypes import shared_array, torch_dtype
from relay.frontend.torch.node import NOTHING, Argument, Place, TorchNode
from relay.frontend.torch.quantised_tensor import QuantisedTensor, quantised_constant
from relay.frontend.torch.registry import Translation, translation
from relay.frontend.torch.script_functions import CHANGES, FUNCTIONS, UndecidedError
from relay.frontend.torch.sizes import size_number
from relay.frontend.torch.supported import not_supported
from relay.frontend.torch.translate.promotion import converted
from relay.frontend.torch.translate.quantized_functions import called
from relay.ir.dims import ANY, Dim, Symbolic
from relay.ir.expr import Constant, Expr, If, Tuple, TupleGetItem
from relay.ir.failure import failure
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayImportError
from relay.support.span import Source, Span
from relay.transform.effects import Unspeculatable

ENDLESS = 2**62  # the step count of a loop that only its condition ends

WRITTEN_OUT = 16
"""The most steps of a loop that is unrolled although it could be a Relay loop."""

VIEWS = frozenset(
    f"aten::{name}" for name in (
        "select", "slice", "view", "reshape", "transpose", "permute", "t", "unsqueeze", "squeeze",
        "expand", "narrow", "chunk", "split", "unbind", "flatten", "detach", "diagonal", "unfold",
        "view_as", "expand_as", "split_with_sizes", "unflatten", "numpy_T", "contiguous",
    )
)  # fmt: skip
"""Operators whose result may alias their argument."""

EXPORT = "export the module instead: torch.export.export(module, inputs) knows what writes mean"

_LINE = re.compile(
    r'File "(?P<file>[^"]+)", line (?P<line>\d+)|^(?P<short>\S+?)\((?P<number>\d+)\)'
)


class RaisedError(Exception):
    """The place where the model raises an exception, with its message."""


_Side: TypeAlias = "list[object] | RaisedError"
"""The results of a branch, or the exception it raises."""


class ScriptImporter:
    """A translator of one model's graph; attributes are read from `module`."""

    def __init__(self, module: object, custom: Mapping[str, Translation]) -> None:
        self._module = module
        self._custom = custom
        self._values: dict[str, Any] = {}
        self._inside: list[set[str]] = []
        self._tests: list[tuple[Expr, str]] = []

    def run(self, graph: Any, inputs: Sequence[object]) -> list[object]:
        """Return the results of a graph, flattened; a tuple gives its fields."""
        self._check_supported(graph)
        for value, given in zip(graph.inputs(), inputs, strict=True):
            self._values[value.debugName()] = given
        results = self._block(graph)
        leaves: list[object] = pytree.tree_leaves(results)
        return self._tested([each for each in leaves if each is not None])

    def _tested(self, results: list[object]) -> list[object]:
        """Return results that are defined only if the model's assertions hold."""
        for condition, said in reversed(self._tests):
            whole = Tuple(tuple(_number(each) for each in results))
            chosen = If(reshape(condition, ()), whole, failure(whole.type, said))
            results = [TupleGetItem(chosen, index) for index in range(len(results))]
        return results

    def _check_supported(self, graph: Any) -> None:
        missing: dict[str, list[str]] = {}
        for node in _all_nodes(graph):
            name = _plain_name(node)
            known = node.kind() in FUNCTIONS or node.kind() in _CONTROL
            if not known and translation(name, self._custom) is None and translation(name) is None:
                missing.setdefault(name, []).append(str(_span(node)).removesuffix(":1"))
        if missing:
            raise not_supported(missing)

    def _block(self, block: Any) -> list[object]:
        """Return the results of a block."""
        for node in block.nodes():
            results = self._node(node)
            for value, result in zip(node.outputs(), results, strict=False):
                self._define(value.debugName(), result)
        return [self._values[value.debugName()] for value in block.outputs()]

    def _define(self, name: str, value: object) -> None:
        self._values[name] = value
        if self._inside:
            self._inside[-1].add(name)

    def _node(self, node: Any) -> Sequence[object]:
        span = _span(node)
        try:
            return self._results(node, span)
        except RelayError as error:
            raise error.at(span) from None
        except UndecidedError as error:
            help_ = "give the inputs known sizes"
            raise RelayImportError(
                ErrorCode.F032, f"{node.kind()}: {error}", span=span, help=help_
            ) from None
        except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
            message = f"{node.kind()} has arguments that are not supported: {error!r}"
            raise RelayImportError(ErrorCode.F026, message, span=span) from error

    def _results(self, node: Any, span: Span) -> Sequence[object]:
        inputs = [self._values[value.debugName()] for value in node.inputs()]
        match node.kind():
            case "prim::Constant":
                return [_constant(node, span)]
            case "prim::GetAttr":
                return [self._attribute(node, inputs[0], span)]
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
        found = getattr(owner, node.s("name"))
        return _tensor(found, span) if isinstance(found, torch.Tensor) else found

    def _call(self, node: Any, inputs: list[Any], span: Span) -> Sequence[object]:
        kind = node.kind()
        if kind in CHANGES:
            self._check_own(node, span)
        if kind == "prim::dtype":
            return [torch_dtype(inputs[0].tensor_type.dtype)]
        if kind == "aten::size":
            return [_sizes(*inputs)]
        if kind == "aten::dim":
            return [inputs[0].tensor_type.rank]
        if kind in FUNCTIONS and not _has_tensors(kind, node, inputs):
            return [FUNCTIONS[kind](*inputs)]
        result = self._operator(node, inputs, span)
        if _writes(node):
            self._rebind(node, result, span)
        return result if node.outputsSize() > 1 else [result]

    def _operator(self, node: Any, inputs: Sequence[object], span: Span) -> Any:
        name, schema = _plain_name(node), torch._C.parse_schema(node.schema())  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - it has no public name
        arguments: dict[str, Argument] = {}
        for argument, value in zip(schema.arguments, inputs, strict=False):
            default = argument.default_value if argument.has_default_value() else NOTHING
            arguments[argument.name] = Argument(_dtype(argument.name, value), default)
        call = TorchNode(name, arguments, Place(span, size_number))
        own = translation(name, self._custom)
        translate = own or translation(name)
        assert translate is not None, f"{name} was found to be supported"
        result = called(translate, call)
        if own is None:
            call.check_all_read()
        return result

    def _rebind(self, node: Any, result: object, span: Span) -> None:
        """Rebind the variable that an operator writes to its new value (`F056` for views)."""
        value = next(iter(node.inputs()))
        uses = [use.user.kind() for use in value.uses()]
        if value.node().kind() in VIEWS or any(kind in VIEWS for kind in uses):
            message = f"{node.kind()} writes to a tensor that shares its memory with another one"
            raise RelayImportError(ErrorCode.F056, message, span=span, help=EXPORT)
        self._check_own(node, span)
        self._values[value.debugName()] = result

    def _check_own(self, node: Any, span: Span) -> None:
        """Raise `F056` if a conditional or loop of the program mutates outer values."""
        name = next(iter(node.inputs())).debugName()
        if self._inside and name not in self._inside[-1]:
            message = f"{node.kind()} changes, in a branch or loop on data, what is outside of it"
            raise RelayImportError(ErrorCode.F056, message, span=span, help=EXPORT)

    def _inner(self, block: Any) -> list[object]:
        """Return the results of a block that may not be executed."""
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
            help_ = "let both branches give lists of one length, and tensors"
            message = "the branches give values of different structure"
            raise RelayImportError(ErrorCode.F041, message, span=span, help=help_)
        if not leaves:
            return []
        tuples = [Tuple(tuple(map(_number, side))) for side in (leaves, others)]
        chosen = If(reshape(condition, ()), *tuples, span=span)
        if chosen.ty is None:
            message = f"the branches give {tuples[0].type!r} and {tuples[1].type!r}"
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
        """Return the results of the branch that does not raise; the condition is checked later."""
        if self._inside:
            message = "an exception in a branch or loop on data is not supported"
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
        changes = any(each.kind() in CHANGES for each in _all_nodes(block))
        if is_known and (trips <= WRITTEN_OUT or changes or not plain):
            return self._written_out(block, trips, goes_on, carried, span)
        if changes or not plain:
            message = "the number of steps of a loop over a list is not known"
            raise RelayImportError(
                ErrorCode.F056, message, span=span, help="give the inputs known sizes"
            )
        return self._looped(block, trips, goes_on, carried, span)

    def _written_out(
        self, block: Any, trips: int, goes_on: Any, carried: list[Any], span: Span
    ) -> Sequence[object]:
        names = [value.debugName() for value in block.inputs()]
        for index in range(trips):
            if not goes_on:
                break
            for name, value in zip(names, (index, *carried), strict=True):
                self._define(name, value)
            goes_on, *carried = self._block(block)
            if isinstance(goes_on, Expr):
                message = "a loop over a list ends where data say"
                raise RelayImportError(ErrorCode.F056, message, span=span, help=EXPORT)
        return carried

    def _looped(
        self, block: Any, trips: Any, goes_on: Any, carried: list[Any], span: Span
    ) -> Sequence[object]:
        """Return the state after a loop whose number of steps is dynamic."""
        names = [value.debugName() for value in block.inputs()]
        first = [_number(each) for each in carried]

        def body(time: Expr, state: Sequence[Expr]) -> list[object]:
            self._inside.append(set())
            for name, value in zip(names, (time, *state), strict=True):
                self._define(name, value)
            results = self._block(block)
            self._inside.pop()
            return results

        def looped(given: Sequence[Expr]) -> Sequence[Expr]:
            types = [each.tensor_type for each in given]

            def step(time: Expr, state: Sequence[Expr]) -> tuple[Sequence[Expr], Expr | None]:
                again, *results = body(time, state)
                pairs = zip(results, types, strict=True)
                new = [converted(_number(each), ty.dtype) for each, ty in pairs]
                if any(a.type is not b for a, b in zip(new, types, strict=True)):
                    message = "a step of a loop changes the shape of a value"
                    raise RelayImportError(ErrorCode.F042, message, span=span)
                forever = again is True and goes_on is True
                return new, None if forever else reshape(_number(again), ())

            flag = reshape(_number(goes_on), ())
            return loop(_steps(trips), flag, given, types, step)

        return bound(first, Unspeculatable(), looped)


_CONTROL = frozenset(
    f"prim::{name}" for name in (
        "Constant", "GetAttr", "ListConstruct", "TupleConstruct", "DictConstruct", "ListUnpack",
        "TupleUnpack", "TupleIndex", "RaiseException", "If", "Loop", "dtype",
    )
) | {"aten::size", "aten::dim"}  # fmt: skip
"""Node kinds that the importer handles itself."""


def _all_nodes(block: Any) -> list[Any]:
    """List the nodes of a block and of nested blocks."""
    found: list[Any] = []
    blocks = [block]
    while blocks:
        for node in blocks.pop().nodes():
            found.append(node)
            blocks.extend(node.blocks())
    return found


def _plain_name(node: Any) -> str:
    """Return the name of a node's operator; for an in-place one that of the functional one."""
    text = node.schema()
    if text == "(no schema)":
        return str(node.kind())
    schema: Any = torch._C.parse_schema(text)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - it has no public name
    name = schema.name.removesuffix("_") if _writes(node) else schema.name
    return f"{name}.{schema.overload_name}" if schema.overload_name else name


def _writes(node: Any) -> bool:
    return node.kind().endswith("_") and not node.kind().endswith("__")


def _has_tensors(kind: str, node: Any, inputs: Sequence[object]) -> bool:
    """Whether an operator works on tensors, rather than on numbers, lists or dictionaries."""
    if kind.startswith("prim::") or kind in CHANGES or translation(_plain_name(node)) is None:
        return False
    declared = [str(value.type()) for value in node.inputs()]
    pairs = zip(declared, inputs, strict=True)
    kinds = Expr | QuantisedTensor
    return any(ty in ("Tensor", "Optional[Tensor]") and isinstance(x, kinds) for ty, x in pairs)


def _constant(node: Any, span: Span) -> object:
    def known(leaf: object) -> object:
        return _tensor(leaf, span) if isinstance(leaf, torch.Tensor) else leaf

    found: Any = node.output().toIValue()
    if isinstance(found, torch.Tensor | list | tuple | dict):
        return pytree.tree_map(known, found)
    return found


def _tensor(tensor: torch.Tensor, span: Span) -> object:
    """Return a tensor of the model, which may be quantised, in its own memory."""
    if tensor.is_quantized:
        return quantised_constant(tensor)
    return Constant(shared_array(tensor, span), span=span)


def _sizes(x: "Expr | QuantisedTensor", axis: int | None = None) -> object:
    """Return the sizes of a tensor, or one of them; unknown sizes are computed at run time."""
    x = x.data if isinstance(x, QuantisedTensor) else x
    shape = x.tensor_type.shape
    if axis is None:
        return [_sizes(x, each) for each in range(len(shape))]
    return size_of(x, axis) if shape[axis] is ANY else shape[axis]


def _number(value: object) -> Expr:
    """Return a tensor, or a number as one of rank 0."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, Symbolic):
        return size_number(value)
    if isinstance(value, bool | int | float):
        return Constant(torch.tensor(value).numpy())
    raise RelayImportError(ErrorCode.F021, f"{value!r} is no tensor, where data decide about it")


def _steps(trips: Any) -> Expr:
    if isinstance(trips, Expr):
        return converted(reshape(trips, ()), int64)
    count: Dim = min(trips, ENDLESS) if isinstance(trips, int) else trips
    return size_number(count) if isinstance(count, Symbolic) else constant(count, int64)


_SCALAR_TYPES = (
    torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.float32,
    torch.float64, torch.complex32, torch.complex64, torch.complex128, torch.bool, torch.qint8,
    torch.quint8, torch.qint32, torch.bfloat16,
)  # fmt: skip
"""Element types by TorchScript's numbers for them."""


def _dtype(name: str, value: object) -> object:
    """Return an argument; the number of an element type is converted to the type."""
    return _SCALAR_TYPES[value] if name == "dtype" and isinstance(value, int) else value


def _span(node: Any) -> Span:
    """Return the source location of a node."""
    text = node.sourceRange()
    found = [m for m in map(_LINE.search, text.splitlines()) if m is not None]
    if not found:
        return Span(Source(str(node.kind())))
    file, line = found[0]["file"] or found[0]["short"], found[0]["line"] or found[0]["number"]
    return line_of(file, int(line))
