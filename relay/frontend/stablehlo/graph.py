"""Translate a StableHLO module to a Relay module."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from relay.frontend.builders.expansion_limits import Expansion
from relay.frontend.stablehlo.attributes import attributes_of, tensor_type
from relay.frontend.stablehlo.check_supported import check_supported, key
from relay.frontend.stablehlo.node import HloNode, Region, Surroundings
from relay.frontend.stablehlo.registry import TRANSLATIONS, Translation
from relay.frontend.stablehlo.source_locations import span_of
from relay.ir.expr import Call, Expr, Function, GlobalVar, Tuple, TupleGetItem, Var
from relay.ir.module import ENTRY, Module
from relay.ir.types import FuncType, TensorType, TupleType, Type
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayImportError
from relay.support.span import Span

_SENSELESS = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)
"""Exceptions of Python for invalid attributes that have no check of their own."""

_WRAPPED = "_wrapped_jax_export_main"
"""The user's function if sizes are symbolic; the entry checks them and calls it."""

_RETURNS = ("func.return", "stablehlo.return")

Values = Mapping[Any, Expr]


@dataclass(frozen=True)
class Input:
    """An input of an exported function; the module lacks inputs that are not used."""

    type: TensorType
    name: str
    is_used: bool


class ModuleImporter:
    """A translator of the functions of one MLIR module; `custom` has the user's translations."""

    def __init__(self, module: Any, custom: Mapping[str, Translation]) -> None:
        self._custom = custom
        self._expansion = Expansion()
        self._functions = {each.name.value: each for each in module.body.operations}
        if ENTRY not in self._functions:
            raise RelayImportError(ErrorCode.F091, f"the exported module has no function {ENTRY}")
        self._types: dict[str, FuncType] = {}
        check_supported(self._functions.values(), custom)

    def module(self, inputs: Sequence[Input] | None = None) -> Module:
        """Return the Relay module, with names for the inputs and outputs of its `main`.

        Called functions become functions of the Relay module, too. `inputs` are those of the
        exported function, in order, including unused ones.
        """
        reached = [ENTRY, *self._called_from(ENTRY)]
        for name in reached:
            self._types[name] = self._type(name)
        functions = {_valid_name(name): self._function(name, inputs) for name in reached}
        return Module(functions)

    @staticmethod
    def argument_names(module: Any) -> list[str]:
        """Return unique names for the entry function's arguments, from those that JAX records."""
        functions = {each.name.value: each for each in module.body.operations}
        entry = functions[ENTRY].regions[0].blocks[0].arguments
        if _WRAPPED not in functions:
            return _names(entry)
        behind = functions[_WRAPPED].regions[0].blocks[0].arguments  # sizes precede arguments
        return _names(list(behind)[len(behind) - len(entry) :])

    def _called_from(self, name: str) -> list[str]:
        """Return the functions that a function calls, directly or indirectly, each once."""
        found: dict[str, None] = {}
        waiting = [name]
        while waiting:
            for operation in _operations(self._functions[waiting.pop()]):
                callee = _callee(operation)
                if callee is not None and callee not in found:
                    found[callee] = None
                    waiting.append(callee)
        return list(found)

    def _type(self, name: str) -> FuncType:
        function = self._functions[name]
        span = span_of(function.location)
        of = function.type
        params = tuple(tensor_type(each, span) for each in of.inputs)
        results: tuple[Type, ...] = tuple(tensor_type(each, span) for each in of.results)
        return FuncType(params, results[0] if len(results) == 1 else TupleType(results))

    def _function(self, name: str, inputs: Sequence[Input] | None) -> Function:
        block = self._functions[name].regions[0].blocks[0]
        types, names = self._types[name].arg_types, _names(block.arguments)
        if name == ENTRY and inputs is not None:
            names = [each.name for each in inputs if each.is_used]
        used = [
            Var(names[index], ty, span=span_of(argument.location))
            for index, (ty, argument) in enumerate(zip(types, block.arguments, strict=True))
        ]
        results = self._block(block, {}, used)
        body = results[0] if len(results) == 1 else Tuple(tuple(results))
        result = self._types[name].ret_type
        if name != ENTRY:
            return Function(tuple(used), body, result)
        attrs = {"outputs": tuple(f"output_{index}" for index in range(len(results)))}
        return Function(tuple(_with_unused(used, inputs)), body, result, attrs=attrs)

    def _block(self, block: Any, outer: Values, given: Sequence[Expr]) -> list[Expr]:
        """Return the results of a block for the arguments `given`.

        A block can use the values of enclosing blocks, `outer`.
        """
        values = {**outer, **dict(zip(block.arguments, given, strict=True))}
        with self._expansion.inside(block):
            for operation in block.operations:
                plain = operation.operation
                operands = [values[each] for each in plain.operands]
                if plain.name in _RETURNS:
                    return operands
                results = self._operation(plain, operands, values)
                values.update(zip(plain.results, results, strict=True))
        return []

    def _operation(self, operation: Any, operands: Sequence[Expr], values: Values) -> list[Expr]:
        self._expansion.count_node()
        span = span_of(operation.location)
        declared = [tensor_type(each.type, span) for each in operation.operands]
        try:
            node = HloNode(
                operation.name,
                tuple(operands),
                tuple(tensor_type(each.type, span) for each in operation.results),
                attributes_of(operation),
                span,
                Surroundings(self._regions(operation, values, span), self._call),
            )
            results = self._translated(node, key(operation))
        except RelayError as error:
            error.at(span)
            raise
        except _SENSELESS as error:
            message = (
                f"the operation {operation.name} has invalid operands or attributes: {error!r}"
            )
            raise RelayImportError(ErrorCode.F026, message, span=span) from error
        if declared == [each.type for each in operands]:
            _check(node, results)
        return results

    def _translated(self, node: HloNode, name: str) -> list[Expr]:
        own = self._custom.get(name)
        found = (own or TRANSLATIONS[name])(node)
        results = [found] if isinstance(found, Expr) else list(found)
        if own is None:
            node.check_all_read()
        return results

    def _regions(self, operation: Any, values: Values, span: Span) -> tuple[Region, ...]:
        blocks = [region.blocks[0] for region in operation.regions]
        return tuple(
            Region(
                tuple(tensor_type(each.type, span) for each in block.arguments),
                partial(self._block, block, values),
            )
            for block in blocks
        )

    def _call(self, name: str, values: Sequence[Expr]) -> Sequence[Expr]:
        ty = self._types[name]
        call = Call(GlobalVar(_valid_name(name), ty=ty), tuple(values))
        if not isinstance(ty.ret_type, TupleType):
            return [call]
        return [TupleGetItem(call, index) for index in range(len(ty.ret_type.fields))]


def _check(node: HloNode, results: Sequence[Expr]) -> None:
    """Raise the internal error `F053` if a result's type differs from the type in the module.

    Bodies of reductions, which are defined for scalars, are also translated for tensors.
    """
    for result, wanted in zip(results, node.result_types, strict=True):
        if result.type is not wanted:
            raise node.error(
                ErrorCode.F053,
                (
                    f"the translation of the operation returns type {result.type!r}, but must "
                    f"return {wanted!r}"
                ),
            )


def _with_unused(used: Sequence[Var], inputs: Sequence[Input] | None) -> list[Var]:
    """Return the parameters of the entry function, with new ones for unused inputs."""
    if inputs is None:
        return list(used)
    named = iter(used)
    return [next(named) if each.is_used else Var(each.name, each.type) for each in inputs]


def _names(arguments: Sequence[Any]) -> list[str]:
    """Return JAX's names of arguments, such as `params['w']`, or their indices without a name."""
    found: list[str] = []
    for index, argument in enumerate(arguments):
        noted = _NAME.fullmatch(str(argument.location))
        name = noted["name"] if noted else f"arg{index}"
        found.append(name if name not in found else f"{name}_{index}")
    return found


_NAME = re.compile(r'loc\("(?P<name>[^"/]+)"\)')


def _valid_name(name: str) -> str:
    """Return the Relay name for a function: other characters are replaced by underscores."""
    return "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in name)


def _operations(function: Any) -> list[Any]:
    """Return all operations of a function, including those in nested regions."""
    found: list[Any] = []
    waiting = [block for region in function.regions for block in region.blocks]
    while waiting:
        for each in waiting.pop().operations:
            found.append(each.operation)
            waiting += [block for region in each.operation.regions for block in region.blocks]
    return found


def _callee(operation: Any) -> str | None:
    """Return the name of the function that an operation calls, or None."""
    for name in ("callee", "decomposition"):
        if name in operation.attributes:
            return str(operation.attributes[name].value)
    return None
