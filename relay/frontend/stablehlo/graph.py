"""Translate a StableHLO module to a Relay module."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from relay.frontend.builders.expansion_limits import Expansion
from relay.frontend.node_errors import located
from relay.frontend.stablehlo.attributes import attributes_of, tensor_type
from relay.frontend.stablehlo.check_supported import check_supported, key
from relay.frontend.stablehlo.entry_arguments import (
    Input,
    entry_names,
    equal_sizes,
    names_of,
    open_inputs,
    valid_name,
    with_unused,
)
from relay.frontend.stablehlo.mlir_bindings import ir
from relay.frontend.stablehlo.narrow_elements import (
    has_narrow_elements,
    translated_in_wider_types,
)
from relay.frontend.stablehlo.node import HloNode, Region, Surroundings
from relay.frontend.stablehlo.registry import TRANSLATIONS, Translation
from relay.frontend.stablehlo.result_types import (
    as_declared,
    check_types,
    has_known_sizes,
    needs_sizes,
)
from relay.frontend.stablehlo.shape_arithmetic import SizeValues
from relay.frontend.stablehlo.size_divisions import SizeDivisions
from relay.frontend.stablehlo.source_locations import span_of, span_of_operation
from relay.ir.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.module import ENTRY, Module
from relay.ir.trap import failure
from relay.ir.types import FuncType, TupleType, Type
from relay.opdef.complex_rules import is_complex
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError, RelayTypeError
from relay.support.span import Span

_RETURNS = ("func.return", "stablehlo.return")

Values = Mapping[Any, Expr]


class ModuleImporter:
    """A translator of the functions of one MLIR module; `custom` has the user's translations.

    A module with symbolic sizes becomes one function, because the functions that it calls have
    sizes as arguments; `least` is the least value of a symbolic size.
    """

    def __init__(self, module: Any, custom: Mapping[str, Translation], least: int = 0) -> None:
        self._custom = custom
        self._least = least
        self._sizes = SizeValues(least)
        self._divisions = SizeDivisions()
        self._assertions: list[tuple[Expr, str]] = []
        self._expansion = Expansion()
        self._functions = {each.name.value: each for each in module.body.operations}
        if ENTRY not in self._functions:
            raise RelayImportError(ErrorCode.F091, f"the exported module has no function {ENTRY}")
        self._types: dict[str, FuncType] = {}
        check_supported(self._functions.values(), custom)
        self._is_open = not all(map(_is_closed, self._functions.values()))

    def module(self, inputs: Sequence[Input] | None = None) -> Module:
        """Return the Relay module, with names for the inputs and outputs of its `main`.

        Called functions become functions of the Relay module, too. `inputs` are those of the
        exported function, in order, including unused ones.
        """
        if self._is_open:
            return Module({ENTRY: self._open_function(inputs)})
        reached = [ENTRY, *self._called_from(ENTRY)]
        for name in reached:
            self._types[name] = self._type(name)
        functions = {valid_name(name): self._function(name, inputs) for name in reached}
        return Module(functions)

    @staticmethod
    def argument_names(module: Any) -> list[str]:
        """Return unique names for the entry function's arguments, from those that JAX records."""
        return entry_names({each.name.value: each for each in module.body.operations})

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
        types, names = self._types[name].arg_types, names_of(block.arguments)
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
        return Function(tuple(with_unused(used, inputs)), body, result, attrs=attrs)

    def _open_function(self, inputs: Sequence[Input] | None) -> Function:
        """Return the entry function with symbolic sizes; called functions are inlined.

        Inputs without names of sizes get one for each size, until assertions say that sizes are
        equal; then they are translated again.
        """
        if inputs is not None:
            return self._with_sizes(inputs)
        arguments = self._functions[ENTRY].regions[0].blocks[0].arguments
        opened: list[Input] = open_inputs(entry_names(self._functions), arguments)
        found = self._with_sizes(opened)
        while equal := equal_sizes(self._sizes.requirement(each) for each, _ in self._assertions):
            opened = [each.with_sizes(equal) for each in opened]
            self._sizes, self._assertions = SizeValues(self._least), []
            found = self._with_sizes(opened)
        return found

    def _with_sizes(self, inputs: Sequence[Input]) -> Function:
        block = self._functions[ENTRY].regions[0].blocks[0]
        params = [Var(each.name, each.type) for each in inputs]
        pairs = zip(params, inputs, strict=True)
        results = self._block(block, {}, [param for param, each in pairs if each.is_used])
        results = self._asserted(results)
        body = results[0] if len(results) == 1 else Tuple(tuple(results))
        attrs = {"outputs": tuple(f"output_{index}" for index in range(len(results)))}
        return Function(tuple(params), body, body.type, attrs=attrs)

    def _asserted(self, results: Sequence[Expr]) -> list[Expr]:
        """Return results that trap unless the assertions hold; the first result has the checks."""
        found = list(results)
        for condition, said in self._assertions:
            check = self._sizes.requirement(condition)
            if check is not None:
                found[0] = Call(check, (found[0],))
            else:
                found[0] = If(condition, found[0], failure(found[0].type, said))
        return found

    def _assert(self, condition: Expr, said: str) -> None:
        is_known = isinstance(condition, Constant) and bool(condition.array)
        if not is_known:
            self._assertions.append((condition, said))

    def _block(
        self, block: Any, outer: Values, given: Sequence[Expr], function: str | None = None
    ) -> list[Expr]:
        """Return the results of a block for the arguments `given`.

        A block can use the values of enclosing blocks, `outer`. `function` is the name of the
        function whose body it is.
        """
        values = {**outer, **dict(zip(block.arguments, given, strict=True))}
        with self._expansion.inside(function or block):
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
        span = span_of_operation(operation)
        declared = [tensor_type(each.type, span) for each in operation.operands]
        with located(span, f"the operation {operation.name} has invalid operands or attributes"):
            try:
                node = HloNode(
                    operation.name,
                    tuple(operands),
                    tuple(tensor_type(each.type, span) for each in operation.results),
                    attributes_of(operation),
                    span,
                    Surroundings(
                        self._regions(operation, values, span),
                        self._call,
                        self._sizes,
                        self._assert,
                    ),
                )
                results = self._translated(node, key(operation))
                if self._is_open:
                    results = self._sizes.follow(node, results)
            except AssertionError as error:
                if all(map(has_known_sizes, operands)):
                    raise
                raise needs_sizes(operation.name, operands, span) from error
        if self._is_open:
            return as_declared(node, results)
        if declared == [each.type for each in operands]:
            check_types(node, results)
        return results

    def _translated(self, node: HloNode, name: str) -> list[Expr]:
        own = self._custom.get(name)
        if own is None and has_narrow_elements(node):
            found = translated_in_wider_types(TRANSLATIONS[name], node)
        else:
            found = own(node) if own else self._called(TRANSLATIONS[name], node)
        results = [found] if isinstance(found, Expr) else list(found)
        if own is None:
            node.check_all_read()
        return results

    @staticmethod
    def _called(translate: Translation, node: HloNode) -> Expr | Sequence[Expr]:
        """Return the results of a translation; `F030` for operations without complex numbers."""
        try:
            return translate(node)
        except RelayTypeError as error:
            if not any(map(is_complex, (each.ty for each in node.operands))):
                raise
            help_ = (
                f'pass a translation, custom_convert_map={{"{node.name}": f}}, to which complex '
                "tensors are passed"
            )
            raise node.error(
                ErrorCode.F030, "the operation is not supported for complex operands", help=help_
            ) from error

    def _inlined(self, name: str, values: Sequence[Expr]) -> Sequence[Expr]:
        """Return the results of a function; divisions of sizes become formulas of sizes."""
        whole = self._divisions.of(name, values, partial(self._body, name))
        found = None if whole is None else self._sizes.divided(whole, *values[-2:])
        return self._body(name, values) if found is None else [found]

    def _body(self, name: str, values: Sequence[Expr]) -> Sequence[Expr]:
        block = self._functions[name].regions[0].blocks[0]
        self._expansion.check_not_inside(name)
        return self._block(block, {}, values, name)

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
        if self._is_open:
            return self._inlined(name, values)
        if name not in self._types:  # a function that is an argument of a custom call
            return self._body(name, values)
        ty = self._types[name]
        call = Call(GlobalVar(valid_name(name), ty=ty), tuple(values))
        if not isinstance(ty.ret_type, TupleType):
            return [call]
        return [TupleGetItem(call, index) for index in range(len(ty.ret_type.fields))]


def _is_closed(function: Any) -> bool:
    """Whether no operand or result of a function, or of an operation in it, has an open size."""
    types = [*function.type.inputs, *function.type.results]
    for operation in _operations(function):
        types += [each.type for each in operation.results]
    ranked = [each for each in types if isinstance(each, ir.RankedTensorType)]
    return all(each.has_static_shape for each in ranked)


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
