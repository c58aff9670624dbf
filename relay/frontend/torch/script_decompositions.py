"""Decompose operators of TorchScript that have no translation, as an export decomposes them.

`torch.export` traces such a call alone, for arguments of the same shapes; the result is a graph of
operators that have translations.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch._ops import OpOverload
from torch.export import Dim as ExportDim
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind
from torch.fx import Node
from torch.utils import _pytree as pytree

from relay.frontend.torch.check_supported import (
    operator_name,
    operators_not_supported,
    unsupported,
)
from relay.frontend.torch.dtypes import shared_array, torch_dtype
from relay.frontend.torch.graph import GraphImporter
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.normalize_exported import decomposition, prepared
from relay.frontend.torch.registry import Translation
from relay.frontend.torch.safe_loading import first_line
from relay.frontend.torch.symbolic_sizes import Symbols
from relay.frontend.torch.unexported_functions import Exportable
from relay.ir.dims import ANY
from relay.ir.expr import Constant, Expr
from relay.support.error_codes import ErrorCode

_EXAMPLE_SIZE = 13
"""The example of a symbolic size: not one that operators treat specially, such as 0, 1 or 2."""


def has_decomposition(name: str) -> bool:
    """Whether PyTorch defines an operator, such as `aten::mse_loss`, by smaller ones."""
    target = _overload(name)
    if target is None:
        return False
    try:
        return decomposition(target) is not None
    except RuntimeError:  # an operator of TorchScript alone, which PyTorch's table does not have
        return False


def decomposed(call: TorchNode, custom: Mapping[str, Translation]) -> object:
    """Return the result of a call of an operator that has a decomposition.

    Raises `F051` if PyTorch cannot trace the call, and `F010` if the decomposition contains
    operators without a translation.
    """
    arguments = {name: each.value for name, each in call.arguments.items()}
    leaves, structure = pytree.tree_flatten(arguments)
    operands = [each for each in leaves if isinstance(each, Expr)]
    marks = [_OPERAND if isinstance(each, Expr) else each for each in leaves]
    module = _Call(_overload(call.name), marks, structure)
    program = _exported(call, module, operands)
    missing = unsupported(program.graph_module, custom)
    if missing:
        place = str(call.span).removesuffix(":1")
        raise operators_not_supported({operator_name(each) or "": [place] for each in missing})
    importer = GraphImporter(Symbols(), custom, call.span)
    inputs = list(_inputs(program, importer.symbols, operands, call))
    results = importer.run(program.graph_module, inputs)
    kinds = [spec.kind for spec in program.graph_signature.output_specs]
    own = [x for x, kind in zip(results, kinds, strict=True) if kind is OutputKind.USER_OUTPUT]
    return pytree.tree_unflatten(own, cast("Any", program.call_spec.out_spec))


@dataclass(frozen=True)
class _Operand:
    """The position of a tensor among the arguments of a call."""


_OPERAND = _Operand()


class _Call(torch.nn.Module):
    """A module that calls an operator; its inputs are the tensors among the arguments."""

    def __init__(self, target: Any, marks: Sequence[object], structure: Any) -> None:
        super().__init__()
        self._target, self._marks, self._structure = target, marks, structure

    def forward(self, *operands: torch.Tensor) -> object:
        """Return the result of the call for the values of its tensors."""
        given = iter(operands)
        leaves = [next(given) if each is _OPERAND else each for each in self._marks]
        return self._target(**pytree.tree_unflatten(leaves, self._structure))


def _overload(name: str) -> Any:
    """Return an operator of PyTorch by its name in a schema; None if there is none."""
    namespace, _, rest = name.partition("::")
    operator, _, overload = rest.partition(".")
    packet = getattr(getattr(torch.ops, namespace, None), operator, None)
    found: Any = getattr(packet, overload or "default", None)
    kind: Any = OpOverload
    return found if isinstance(found, kind) else None


def _exported(call: TorchNode, module: _Call, operands: Sequence[Any]) -> ExportedProgram:
    """Return a call as a program of operators that have translations, as far as possible."""
    examples = tuple(_example(each, call) for each in operands)
    sizes = tuple(
        {i: ExportDim.AUTO for i, n in enumerate(x.tensor_type.shape) if not isinstance(n, int)}
        for x in operands
    )
    dynamic: Any = (sizes,) if operands else ()
    try:
        with Exportable():
            program = torch.export.export(module.eval(), examples, dynamic_shapes=dynamic)
    except Exception as error:
        problem = f"PyTorch cannot decompose this call: {first_line(error)}"
        help_ = f'pass a translation of the operator: custom_convert_map={{"{call.name}": f}}'
        raise call.error(ErrorCode.F051, problem, help=help_) from error
    return prepared(program)


def _example(operand: Any, call: TorchNode) -> torch.Tensor:
    """Return a tensor of the type of an operand, whose elements are not read."""
    shape = operand.tensor_type.shape
    if ANY in shape:
        raise call.dynamic("the sizes of the arguments", *shape)
    sizes = [size if isinstance(size, int) else _EXAMPLE_SIZE for size in shape]
    return torch.empty(sizes, dtype=torch_dtype(operand.tensor_type.dtype))


def _inputs(
    program: ExportedProgram, symbols: Symbols, operands: Sequence[Any], call: TorchNode
) -> Iterator[object]:
    """Yield the values of the placeholders of a call's graph: operands, and constants."""
    given = iter(operands)
    nodes = [node for node in program.graph.nodes if node.op == "placeholder"]
    for node, spec in zip(nodes, program.graph_signature.input_specs, strict=True):
        if spec.kind is InputKind.USER_INPUT:
            operand = next(given)
            _check_sizes(program, node, operand, call)
            symbols.bind(node.meta["val"], operand.tensor_type.shape)
            yield operand
        elif spec.target is None:  # a token, which orders effects
            yield None
        else:
            tensor = cast("Any", program.constants)[spec.target]
            yield Constant(shared_array(tensor, call.span), span=call.span)


def _check_sizes(program: ExportedProgram, node: Node, operand: Any, call: TorchNode) -> None:
    """Raise `F032` if the decomposition is valid for some of the possible sizes only."""
    sizes = zip(operand.tensor_type.shape, node.meta["val"].shape, strict=True)
    for size, traced in sizes:
        if isinstance(size, int):
            continue
        if not isinstance(traced, torch.SymInt):
            raise call.dynamic("a size", size)
        limits = cast("Any", program.range_constraints).get(cast("Any", traced).node.expr)
        # PyTorch assumes sizes of at least 2, also where 0 and 1 are valid.
        if limits is not None and (limits.lower > 2 or limits.upper < _UNLIMITED):
            raise call.dynamic("a size", size)


_UNLIMITED = 2**31
"""No tensor has a size that a limit at or above this number excludes."""
