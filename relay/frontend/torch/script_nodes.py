"""Read the nodes of a TorchScript graph: names, arguments, constants and locations."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from torch.utils import _pytree as pytree

from relay.frontend.builders.counted_loops import size_of
from relay.frontend.builders.size_expressions import size_number
from relay.frontend.source_lines import line_of
from relay.frontend.torch.dtypes import shared_array
from relay.frontend.torch.node import NOTHING, Argument, Memory, Place, TorchNode
from relay.frontend.torch.quantised_tensor import QuantisedTensor, quantised_constant
from relay.frontend.torch.registry import translation
from relay.frontend.torch.script_aliases import argument, writes
from relay.frontend.torch.script_decompositions import has_decomposition
from relay.frontend.torch.script_scalars_and_lists import CHANGES
from relay.ir.dims import ANY, Symbolic
from relay.ir.expr import Constant, Expr
from relay.support.span import Source, Span

_CONTAINERS: Any = torch.ListType | torch.DictType
_OPTIONAL: Any = torch.OptionalType
_SEVERAL: Any = torch.UnionType | torch.AnyType
_NONE: Any = torch.NoneType

_LIBRARY = "/site-packages/torch/"  # also in files that another machine wrote

_LINE = re.compile(
    r'File "(?P<file>[^"]+)", line (?P<line>\d+)|^(?P<short>\S+?)\((?P<number>\d+)\)'
)


def all_nodes(block: Any) -> list[Any]:
    """Return all nodes of a block and of its nested blocks."""
    found: list[Any] = []
    blocks = [block]
    while blocks:
        for node in blocks.pop().nodes():
            found.append(node)
            blocks.extend(node.blocks())
    return found


def read_from_outside(block: Any) -> list[str]:
    """Return the names of the values that a block reads but does not define."""
    nodes = all_nodes(block)
    blocks = [block, *(inner for node in nodes for inner in node.blocks())]
    read = [value for node in nodes for value in node.inputs()]
    read += [value for each in blocks for value in each.outputs()]
    made = [value for node in nodes for value in node.outputs()]
    made += [value for each in blocks for value in each.inputs()]
    own = {value.debugName() for value in made}
    return list(dict.fromkeys(v.debugName() for v in read if v.debugName() not in own))


def call_of(node: Any, inputs: Sequence[object], span: Span) -> TorchNode:
    """Return a node's call with its arguments by name, as a `TorchNode`."""
    schema: Any = torch._C.parse_schema(node.schema())  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - it has no public name
    arguments: dict[str, Argument] = {}
    for declared, value in zip(schema.arguments, inputs, strict=False):
        default = declared.default_value if declared.has_default_value() else NOTHING
        arguments[declared.name] = Argument(_dtype(declared.name, value), default)
    place = Place(span, size_number)
    return TorchNode(plain_name(node), arguments, place, memory=partial(_memory, node))


def _memory(node: Any) -> Memory | None:
    """Return the memory layout of a node's first argument, which traces record, or None."""
    ty = next(iter(node.inputs())).type()
    strides = ty.strides() if ty.isSubtypeOf(torch.TensorType.get()) else None
    return None if strides is None else Memory(tuple(strides), 0)


def plain_name(node: Any) -> str:
    """Return a node's operator; for an in-place operator, its functional variant."""
    text = node.schema()
    if text == "(no schema)":
        return str(node.kind())
    schema: Any = torch._C.parse_schema(text)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - it has no public name
    name = schema.name.removesuffix("_") if writes(node) else schema.name
    return f"{name}.{schema.overload_name}" if schema.overload_name else name


def functional(node: Any) -> str:
    """Return the kind of a node; for an in-place operator, that of the functional variant."""
    kind: str = node.kind()
    return kind.removesuffix("_") if writes(node) else kind


def with_numbers(node: Any, inputs: Sequence[Any]) -> list[Any]:
    """Return inputs with constant tensors as numbers, if another input is a number or a size.

    Traces compute with sizes as if these were tensors. Sizes become expressions if another input is
    a number that is known only at run time.
    """
    declared = [str(value.type()) for value in node.inputs()]
    pairs = list(zip(declared, inputs, strict=True))
    if all(isinstance(x, Expr) for ty, x in pairs if ty == "Tensor"):
        found = list(inputs)
    else:
        found = [
            x.array.item() if isinstance(x, Constant) and not x.tensor_type.rank else x
            for x in inputs
        ]
    if any(isinstance(x, Expr) for x in found):
        return [size_number(x) if isinstance(x, Symbolic) else x for x in found]
    return found


_WITH_NUMBER = frozenset(f"aten::{name}" for name in ("add", "sub", "mul", "div"))


def with_scalar_constant(node: Any, inputs: list[Any]) -> list[Any]:
    """Return the inputs of a node with a second operand that is a constant scalar as a number.

    So does PyTorch when it runs a sum, difference, product or quotient, and element types of
    numbers count less. Constants that were computed from others have a complete type, and are
    tensors: files do not record which of the other constants were numbers in Python.
    """
    if node.kind() not in _WITH_NUMBER or len(inputs) < 2:
        return inputs
    first, other, *rest = inputs
    value = list(node.inputs())[1]
    is_constant = value.node().kind() == "prim::Constant" and not value.isCompleteTensor()
    is_scalar = isinstance(other, Constant) and not other.tensor_type.rank
    if is_scalar and is_constant and isinstance(first, Expr):
        return [first, other.array.item(), *rest]
    return inputs


def changes_container(node: Any) -> bool:
    """Whether a node changes a list or a dictionary, its first argument."""
    return node.kind() in CHANGES and isinstance(argument(node).type(), _CONTAINERS)


def changes_attribute(node: Any) -> bool:
    """Whether a node sets an attribute, or changes a container that is one."""
    if node.kind() == "prim::SetAttr":
        return True
    return changes_container(node) and argument(node).node().kind() == "prim::GetAttr"


def is_instance(node: Any, value: object) -> bool:
    """Return the result of `isinstance`, which the declared type of the value determines.

    Raises `TypeError` for a declared type such as `Any`, of which values have different types.
    """
    declared: Any = argument(node).type()
    if isinstance(declared, _OPTIONAL):
        declared = _NONE.get() if value is None else declared.getElementType()
    if isinstance(declared, _SEVERAL):
        raise TypeError(f"isinstance of a value of type {declared}")
    return any(bool(declared.isSubtypeOf(each)) for each in node.tys("types"))


def is_gradient_mode(node: Any) -> bool:
    """Whether a node enters or leaves a `with` block such as `torch.no_grad()`."""
    if node.kind() not in ("prim::Enter", "prim::Exit"):
        return False
    return "autograd.grad_mode" in str(argument(node).type().qualified_name())


def has_tensors(kind: str, node: Any, inputs: Sequence[object]) -> bool:
    """Whether an operator takes tensors, rather than numbers, lists or dictionaries."""
    name = plain_name(node)
    if kind.startswith("prim::") or not (translation(name) or has_decomposition(name)):
        return False
    declared = [str(value.type()) for value in node.inputs()]
    pairs = zip(declared, inputs, strict=True)
    kinds = Expr | QuantisedTensor
    return any(ty in ("Tensor", "Optional[Tensor]") and isinstance(x, kinds) for ty, x in pairs)


def constant_of(node: Any, span: Span) -> object:
    """Return the value of a constant node; tensors become expressions."""

    def known(leaf: object) -> object:
        return tensor_of(leaf, span) if isinstance(leaf, torch.Tensor) else leaf

    found: Any = node.output().toIValue()
    if isinstance(found, torch.Tensor | list | tuple | dict):
        return pytree.tree_map(known, found)
    return found


def tensor_of(tensor: torch.Tensor, span: Span) -> object:
    """Return a tensor of the model without copying it; a quantised one as `QuantisedTensor`."""
    if tensor.is_quantized:
        return quantised_constant(tensor)
    return Constant(shared_array(tensor, span), span=span)


def sizes_of_tensor(x: "Expr | QuantisedTensor", axis: int | None = None) -> object:
    """Return the sizes of a tensor, or one of them; unknown sizes are run-time expressions."""
    if isinstance(x, QuantisedTensor):
        x = x.data
    shape = x.tensor_type.shape
    if axis is None:
        return [sizes_of_tensor(x, each) for each in range(len(shape))]
    return size_of(x, axis) if shape[axis] is ANY else shape[axis]


_SCALAR_TYPES = (
    torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.float32,
    torch.float64, torch.complex32, torch.complex64, torch.complex128, torch.bool, torch.qint8,
    torch.quint8, torch.qint32, torch.bfloat16,
)  # fmt: skip

_DTYPES_BY_NUMBER = dict(enumerate(_SCALAR_TYPES)) | {
    23: torch.float8_e5m2, 24: torch.float8_e4m3fn, 25: torch.float8_e5m2fnuz,
    26: torch.float8_e4m3fnuz, 27: torch.uint16, 28: torch.uint32, 29: torch.uint64,
    44: torch.float8_e8m0fnu,
}  # fmt: skip
"""Element types by TorchScript's numbers for them."""

_NUMBERS_OF_DTYPES = {dtype: number for number, dtype in _DTYPES_BY_NUMBER.items()}


def number_of_dtype(dtype: torch.dtype) -> int:
    """Return the number by which TorchScript represents an element type."""
    return _NUMBERS_OF_DTYPES[dtype]


def _dtype(name: str, value: object) -> object:
    """Return an argument; the number of a known element type is replaced by the type."""
    if name != "dtype" or not isinstance(value, int):
        return value
    return _DTYPES_BY_NUMBER.get(value, value)


def span_of_node(node: Any) -> Span:
    """Return the innermost line outside of PyTorch of a node, or inside of it if there is none."""
    try:
        text = node.sourceRange()
    except (UnicodeDecodeError, RuntimeError):  # debug data are damaged; the program may be intact
        text = ""
    found = [m for m in map(_LINE.search, text.splitlines()) if m is not None]
    if not found:
        return Span(Source(str(node.kind())))
    frames = [(m["file"] or m["short"], int(m["line"] or m["number"])) for m in found]
    own = [each for each in frames if _LIBRARY not in each[0]]
    return line_of(*(own or frames)[0])
