"""Normalise exported programs: remove mutation, and decompose unsupported operators.

`torch.export` keeps operators such as `linear` or `layer_norm`, which Relay also has. A program is
therefore decomposed only where it writes to tensors that others share, in regions with other rules
(`autocast`), and where an operator has a decomposition but no translation.
"""

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import _decomp
from torch._export import utils as _utils
from torch.ao.quantization.fx import _decomposed  # the import declares the PT2E operators
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

from relay.frontend.torch.check_supported import nodes_of, operator_name, unsupported
from relay.frontend.torch.gradient_modes import with_detached_regions
from relay.frontend.torch.safe_loading import first_line
from relay.frontend.torch.unaliased_writes import is_local_write, qualified, writes
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError

_DECOMPOSE = (
    "call exported.run_decompositions() to see the full error, or translate operators with "
    "custom_convert_map"
)

_ROUNDS = 4
"""The most rounds of decomposition: the results of one round may need another."""


def prepared(program: ExportedProgram, known: Iterable[str] = ()) -> ExportedProgram:
    """Return the program without mutation, and with unsupported operators decomposed.

    `known` are the names of operators that the user has translations for.
    """
    others = tuple(known)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's warnings about its own code
        try:
            return _prepared(program, others)
        except (RuntimeError, AssertionError, TypeError, ValueError) as error:
            message = (
                f"PyTorch cannot break the model down into smaller operators: {first_line(error)}"
            )
            raise RelayImportError(ErrorCode.F051, message, help=_DECOMPOSE) from error


def _prepared(program: ExportedProgram, others: Sequence[str]) -> ExportedProgram:
    program = with_detached_regions(program)
    nodes = list(nodes_of(program.graph_module))
    if any(_is_retraced(node) or (writes(node) and not is_local_write(node)) for node in nodes):
        program = program.run_decompositions(_decompositions(program.graph_module, others))
    for _ in range(_ROUNDS):
        table = _decompositions(program.graph_module, others)
        if not table:
            break
        program = program.run_decompositions(table)
    return program


def _is_retraced(node: Node) -> bool:
    """Whether PyTorch replaces a node when it traces the program again.

    1. Nodes that begin a region with other rules, without gradients, `autocast` or `vmap`, are
       replaced by the contents of the region.
    2. Reads of a tensor inside of a tensor subclass, such as torchao's quantised weights, are
       replaced by that tensor, which becomes a parameter of its own.
    """
    target: Any = node.target
    if node.op != "call_function":
        return False
    name = operator_name(node) or ""
    is_vmap = getattr(target, "__module__", "") == "torch._functorch.predispatch"
    is_region = is_vmap or name.startswith("higher_order::wrap_with_")
    return is_region or name == "export::access_subclass_inner_tensor"


def _decompositions(module: GraphModule, known: Iterable[str]) -> dict[Any, Callable[..., Any]]:
    """Return PyTorch's decompositions of operators that have no translation."""
    targets = {node.target for node in unsupported(module, known)}
    found: dict[Any, Callable[..., Any]] = {}
    for target in targets:
        rule = decomposition(target)
        if rule is not None:
            found[target] = rule
    return found


def decomposition(target: Any) -> Callable[..., Any] | None:
    """Return PyTorch's decomposition of an operator, or None if there is none."""
    if str(target).startswith("quantized_decomposed."):
        return _quantized_rule(target)
    tables: Any = _decomp
    rule: Callable[..., Any] | None = tables.decomposition_table.get(target)
    # In PyTorch's table a composite's reduction is a string; in graphs it is an integer.
    misread = rule is not None and "reduction" in _argument_names(target)
    if (rule is None or misread) and hasattr(target, "decompose") and _is_composite(target):
        own: Any = _utils
        return own._get_decomp_for_cia(target)  # noqa: SLF001 - as the export does it
    return rule


def _quantized_rule(target: Any) -> Callable[..., Any] | None:
    """Return the definition of a quantised operator, which is a function of PyTorch."""
    name = qualified(target).partition("::")[2].replace(".", "_")
    return getattr(_decomposed, name, None)


def _argument_names(target: Any) -> set[str]:
    schema = getattr(target, "_schema", None)
    return set() if schema is None else {each.name for each in schema.arguments}


def _is_composite(target: Any) -> bool:
    """Whether an operator's decomposition is implemented in C++."""
    keys: Any = torch._C.DispatchKey  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - it has no public name
    return target.has_kernel_for_dispatch_key(keys.CompositeImplicitAutograd)
