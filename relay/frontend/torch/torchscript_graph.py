"""Translate a TorchScript graph, traced or scripted, to Relay expressions.

TorchScript has mutable variables: lists and dictionaries are represented by Python's during import,
and `x.add_(y)` rebinds all variables that share the memory of the tensor.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from torch.utils import _pytree as pytree

from relay.frontend.builders.constant_folding import computed
from relay.frontend.torch import gradient_modes
from relay.frontend.torch.assertions import asserted
from relay.frontend.torch.check_supported import operators_not_supported
from relay.frontend.torch.dtypes import torch_dtype
from relay.frontend.torch.dynamic_lists import DynamicList, of_list, unbound
from relay.frontend.torch.output_names import script_names
from relay.frontend.torch.quantised_tensor import QuantisedTensor
from relay.frontend.torch.registry import Translation, translation
from relay.frontend.torch.script_aliases import argument, attribute_path, writes
from relay.frontend.torch.script_control_flow import RaisedError, ScriptControlFlow, always_raised
from relay.frontend.torch.script_decompositions import decomposed, has_decomposition
from relay.frontend.torch.script_nodes import (
    all_nodes,
    call_of,
    changes_container,
    constant_of,
    functional,
    has_tensors,
    is_gradient_mode,
    is_instance,
    number_of_dtype,
    plain_name,
    sizes_of_tensor,
    span_of_node,
    with_numbers,
    with_scalar_constant,
)
from relay.frontend.torch.script_scalars_and_lists import (
    CHANGES,
    FUNCTIONS,
    UndecidedError,
)
from relay.frontend.torch.script_state import ScriptState
from relay.frontend.torch.script_values import (
    EXPORT,
    ScriptObject,
)
from relay.frontend.torch.translate.complex_numbers import checked_complex
from relay.frontend.torch.translate.quantized_functions import called
from relay.ir.expr import Constant, Expr
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayImportError
from relay.support.span import Span


class ScriptImporter(ScriptControlFlow):
    """A translator of one model's graph."""

    def __init__(self, graph: Any, custom: Mapping[str, Translation]) -> None:
        super().__init__(graph)
        self._graph = graph
        self._custom = custom
        self._modes = gradient_modes.GradientModes()

    @property
    def state(self) -> ScriptState:
        """Return the attributes that a call changes."""
        return self._state

    def run(self, inputs: Sequence[object]) -> tuple[list[str], list[object]]:
        """Return the names and the results of the graph; a tuple is replaced by its fields.

        The new values of attributes that the graph changes follow.
        """
        graph = self._graph
        self._check_supported(graph)
        for value, given in zip(graph.inputs(), inputs, strict=True):
            self._values[value.debugName()] = given
        try:
            results = self._block(graph)
        except RaisedError as error:
            raise always_raised(error) from None
        changed = self._state.results()
        leaves: list[object] = [*pytree.tree_leaves(results), *changed.values()]
        kept = asserted([each for each in leaves if each is not None], self._tests)
        return [*script_names(graph, results), *changed], kept

    def _check_supported(self, graph: Any) -> None:
        missing: dict[str, list[str]] = {}
        for node in all_nodes(graph):
            name = plain_name(node)
            known = (
                functional(node) in FUNCTIONS or node.kind() in _CONTROL or is_gradient_mode(node)
            )
            if not known and not self._is_supported(name):
                missing.setdefault(name, []).append(str(span_of_node(node)).removesuffix(":1"))
        if missing:
            raise operators_not_supported(missing)

    def _is_supported(self, name: str) -> bool:
        own = translation(name, self._custom)
        return own is not None or translation(name) is not None or has_decomposition(name)

    def _block(self, block: Any) -> list[object]:
        """Return the results of a block."""
        for node in block.nodes():
            results = self._node(node)
            for value, result in zip(node.outputs(), results, strict=False):
                self._define(value.debugName(), result)
            self._aliases.record(node, is_same=self._is_same(node))
        return [self._values[value.debugName()] for value in block.outputs()]

    def _node(self, node: Any) -> Sequence[object]:
        span = span_of_node(node)
        try:
            return self._results(node, span)
        except RelayError as error:
            error.at(span)
            raise
        except UndecidedError as error:
            help_ = "specify the input sizes as numbers"
            raise RelayImportError(
                ErrorCode.F032, f"{node.kind()}: {error}", span=span, help=help_
            ) from None
        except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
            message = (
                f"the operator {node.kind()} has arguments that are not supported "
                f"({type(error).__name__}: {error})"
            )
            raise RelayImportError(ErrorCode.F026, message, span=span) from error

    def _results(self, node: Any, span: Span) -> Sequence[object]:
        inputs = self._modes.inputs(with_scalar_constant(node, self._inputs(node)))
        match node.kind():
            case "prim::Constant":
                return [constant_of(node, span)]
            case "prim::GetAttr":
                return [self._attribute(node, inputs[0], span)]
            case "prim::SetAttr":
                self._set_attribute(node, inputs[0], inputs[1], span)
                return []
            case "prim::CreateObject":
                return [ScriptObject()]
            case "prim::Enter":
                self._modes.enter(argument(node).type())
                return inputs
            case "prim::Exit":
                self._modes.leave()
                return inputs
            case gradient_modes.ALIAS:
                return [gradient_modes.stopped(inputs[0])]
            case "prim::ListConstruct" | "prim::TupleConstruct":
                return [inputs]
            case "prim::DictConstruct":
                return [dict(zip(inputs[::2], inputs[1::2], strict=True))]
            case "prim::ListUnpack" | "prim::TupleUnpack":
                return inputs[0]
            case "prim::TupleIndex":
                return [inputs[0][inputs[1]]]
            case "prim::isinstance":
                return [is_instance(node, inputs[0])]
            case "prim::RaiseException":
                raise RaisedError(str(inputs[0]))
            case "prim::If":
                return self._branch(node, inputs[0], span)
            case "prim::Loop":
                return self._loop(node, inputs, span)
            case _:
                return self._call(node, inputs, span)

    def _attribute(self, node: Any, owner: Any, span: Span) -> object:
        if isinstance(owner, ScriptObject):
            return owner.fields[node.s("name")]
        path = attribute_path(node)
        self._getters.setdefault(path, []).append(node.output())
        return self._state.read(path, getattr(owner, node.s("name")), span)

    def _set_attribute(self, node: Any, owner: Any, value: object, span: Span) -> None:
        if isinstance(owner, ScriptObject):
            self._check_own(node, argument(node), span)
            owner.fields[node.s("name")] = value
            return
        path = attribute_path(node)
        if self._inside:
            message = (
                f"the model assigns {path} in a branch or loop that depends on data, which is not "
                "supported"
            )
            raise RelayImportError(ErrorCode.F056, message, span=span, help=EXPORT)
        self._state.assign(path, value, span)

    def _call(self, node: Any, inputs: list[Any], span: Span) -> Sequence[object]:
        kind = node.kind()
        if changes_container(node):
            self._check_own(node, argument(node), span)
        if inputs and isinstance(inputs[0], DynamicList):
            return [of_list(kind, inputs)]
        if changes_container(node):
            return [CHANGES[kind](*inputs)]
        if kind == "aten::unbind" and not isinstance(sizes_of_tensor(*inputs), int):
            return [unbound(*inputs)]
        if kind == "prim::dtype":
            return [number_of_dtype(torch_dtype(inputs[0].tensor_type.dtype))]
        if kind == "aten::len" and isinstance(inputs[0], Expr):
            return [sizes_of_tensor(inputs[0], 0)]
        if kind == "aten::size":
            return [sizes_of_tensor(*inputs)]
        if kind == "aten::dim":
            return [inputs[0].tensor_type.rank]
        numbers, function = with_numbers(node, inputs), FUNCTIONS.get(functional(node))
        if function is not None and not has_tensors(kind, node, numbers):
            result = function(*numbers)
            if writes(node):
                self._check_own(node, argument(node), span)
                self._set(argument(node), result)
            return [result]
        result = self._operator(node, inputs, span)
        if writes(node):
            self._write(node, result, span)
        return result if node.outputsSize() > 1 else [result]

    def _operator(self, node: Any, inputs: Sequence[object], span: Span) -> Any:
        call = replace(call_of(node, inputs, span), assertions=self._tests)
        own = translation(call.name, self._custom)
        translate = own or translation(call.name)
        if translate is None:
            return decomposed(call, self._custom)
        result = checked_complex(partial(called, translate), call)
        if own is None:
            call.check_all_read()
        return _folded(result) if _is_known(inputs) else result


_CONTROL = frozenset(
    f"prim::{name}" for name in (
        "Constant", "GetAttr", "ListConstruct", "TupleConstruct", "DictConstruct", "ListUnpack",
        "TupleUnpack", "TupleIndex", "RaiseException", "If", "Loop", "SetAttr", "dtype",
        "CreateObject", "isinstance",
    )
) | {"aten::size", "aten::dim"}  # fmt: skip
"""Node kinds that the importer handles itself."""


FOLDED = 64
"""The most elements of constants that are computed at import, such as sizes."""


def _is_known(inputs: Sequence[object]) -> bool:
    """Whether all tensors among `inputs` are small constants, so that results can be folded."""
    tensors = [x for x in pytree.tree_leaves(inputs) if isinstance(x, Expr | QuantisedTensor)]
    return all(isinstance(x, Constant) and x.array.size <= FOLDED for x in tensors)


def _folded(result: object) -> object:
    """Return results that depend only on constants, folded to constants."""

    def folded(leaf: object) -> object:
        return computed(leaf, FOLDED) if isinstance(leaf, Expr) else leaf

    return pytree.tree_map(folded, result)
