"""Builds the module that computes a derivative, in reverse or in forward mode."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from relay.autodiff.activity_analysis import Activity
from relay.autodiff.backward_steps import reverse
from relay.autodiff.cotangent_accumulation import Cotangent
from relay.autodiff.custom_derivative_calls import CustomCalls
from relay.autodiff.errors import named_twice, no_floats, no_parameter, not_a_covector
from relay.autodiff.forward_mode import Forward
from relay.autodiff.fresh_names import Names
from relay.autodiff.let_emitter import Emitter
from relay.autodiff.linearity import check_linear
from relay.autodiff.prepare_program import prepared
from relay.autodiff.public_data_types import with_public_types
from relay.autodiff.public_gradient_form import Gradients
from relay.autodiff.reference_cells import ShadowCells
from relay.autodiff.reverse_mode import Reverse
from relay.autodiff.tangent_types import Tangents
from relay.autodiff.transposed_jvps import with_backward_functions
from relay.ir.alpha_rename import with_distinct_variables
from relay.ir.analysis.call_graph import reached
from relay.ir.custom_derivatives import BACKWARD
from relay.ir.expr import (
    NO_ATTRIBUTES,
    Attributes,
    Constant,
    Expr,
    Function,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.fresh_names import free_name
from relay.ir.module import ENTRY, HasModule, Module, TypeData, module_of
from relay.ir.types import TupleType
from relay.ir.walk import free_vars, substitute
from relay.support.node import replace
from relay.transform.drop_dead_lets import DropDeadLets
from relay.transform.rewrite_types import with_rewritten_types

ArgNums: TypeAlias = "int | str | Sequence[int | str]"
"""The parameters to differentiate by, as numbers or names; a sequence gives a tuple."""


class Derivation:
    """The base of derivations in both modes: the prepared program and its activity analysis.

    `by` are the parameters with respect to which the program is differentiated. New names are also
    unused in the given module, to which the derivative may be added, and not only in the program,
    which is the part of the module that the entry needs.
    """

    def __init__(self, model: HasModule | Function, argnums: ArgNums, entry: str) -> None:
        given = Module.of(model) if isinstance(model, Function) else module_of(model)
        module = self.completed(prepared(given, entry))
        self.names = Names(given, module)
        self.tangents = Tangents(module, self.names)
        cells = ShadowCells(self.tangents)
        self.program = self.tangents.module = with_rewritten_types(module, cells)
        self.shadow_cells = cells.shadow_cells
        self.gradients = Gradients(self.program, self.tangents, self.names)
        self.custom = CustomCalls(self.program, self.gradients)
        self.params = self.program.main.params
        self.is_one = isinstance(argnums, int | str)
        self.by = self._selected_params(argnums)
        numbers = [self.params.index(param) for param in self.by]
        self.activity = Activity(self.program, self.tangents, ENTRY, numbers, self.shadow_cells)
        self.emitter = Emitter()

    def completed(self, module: Module) -> Module:
        """Return a prepared module with the functions that a derivation in this mode calls."""
        return module

    def _selected_params(self, argnums: ArgNums) -> list[Var]:
        """Return the parameters that `argnums` selects; raises `D003` for duplicates."""
        several = not isinstance(argnums, int | str)
        if several and not isinstance(argnums, Sequence):  # pyright: ignore[reportUnnecessaryIsInstance] - as callers may
            raise no_parameter(argnums, self.params)
        found = [self._selected_param(each) for each in (argnums if several else (argnums,))]
        for index, param in enumerate(found):
            if param in found[:index]:
                raise named_twice(param)
        return found

    def _selected_param(self, wanted: int | str) -> Var:
        """Return the parameter with a number or name; raises `D003` unless it contains floats."""
        names = [param.name for param in self.params]
        if isinstance(wanted, str) and wanted in names:
            wanted = names.index(wanted)
        if not isinstance(wanted, int) or not -len(names) <= wanted < len(names):
            raise no_parameter(wanted, self.params)
        param = self.params[wanted]
        if not self.tangents.has(param.type):
            raise no_floats(param)
        return param

    def fresh_names(self, hints: Sequence[str]) -> Sequence[str]:
        """Return names for additional parameters, derived from `hints`, that no parameter has."""
        taken = [each.name for each in self.params]
        for hint in hints:
            taken.append(free_name(hint, taken))
        return taken[len(self.params) :]

    def module_with_main(
        self,
        result: Expr,
        more: Sequence[Var],
        functions: Mapping[str, Function],
        types: Mapping[str, TypeData],
        attrs: Attributes = NO_ATTRIBUTES,
    ) -> Module:
        """Return a module whose `main` computes `result` from the parameters and `more`.

        `functions` and `types` are added to those of the program; `attrs` are those of `main`.
        """
        main = Function((*self.params, *more), self.emitter.around(result), attrs=attrs)
        filling = self.gradients.functions  # filling in zeros may need more tangents
        types = {**types, **self.tangents.definitions, **self.gradients.definitions}
        others = {**self.tangents.functions, **filling, **functions, ENTRY: main}
        known = self.program
        made = replace(
            known, functions={**known.functions, **others}, types={**known.types, **types}
        )
        return with_public_types(DropDeadLets()(with_distinct_variables(reached(made))))


class ReverseDerivation(Derivation):
    """A reverse-mode derivation: the entry's forward part, with its result and recorded steps."""

    def __init__(self, model: HasModule | Function, argnums: ArgNums, entry: str = ENTRY) -> None:
        super().__init__(model, argnums, entry)
        self._reverse = Reverse(
            self.program, self.activity, self.tangents, self.names, self.shadow_cells, self.custom
        )
        self.result, self._steps = self._reverse.derive_entry(self.program.main.body, self.emitter)

    def completed(self, module: Module) -> Module:
        """Return the module with a backward function for each forward-mode derivative of a user."""
        return with_backward_functions(module, _transposed)

    def pullback(self, d_result: Var) -> Expr:
        """Return the gradients for the covector `d_result`, which has the form that users write."""
        tangent = self.gradients.tangent(self.result.type, d_result)
        return self.gradient(self.emitter.let(tangent))

    def gradient(self, d_result: Cotangent) -> Expr:
        """Return the gradients by the selected parameters, given the result's cotangent."""
        cotangents = self._reverse.cotangents(self.emitter)
        cotangents.start(self.result, d_result)
        reverse(self._steps, cotangents)
        tangents = [(param, cotangents.take_dense(param)) for param in self.by]
        found = [self.gradients.from_tangent(*pair) for pair in tangents]
        return found[0] if self.is_one else Tuple(tuple(found))

    def module(self, result: Expr, more: Sequence[Var] = ()) -> Module:
        """Return a module whose `main` computes `result` from the parameters and `more`."""
        functions, residuals = self._reverse.finish()
        return self.module_with_main(result, more, functions, residuals)

    def split(self, d_result: Var, seed: Callable[[Emitter], Expr], kept: Expr) -> Module:
        """Return a module with the forward and the backward part of the entry.

        `main`, the forward part, returns `kept` and the residuals, which are the values of the
        forward part that the backward part reads. The backward part, which the attribute
        `VjpBackward` of `main` names, takes the residuals and `d_result`, from which `seed`
        computes the cotangent of the result; it returns the gradients by the selected parameters.
        """
        emitter = Emitter()
        cotangents = self._reverse.cotangents(emitter)
        cotangents.start(self.result, seed(emitter))
        reverse(self._steps, cotangents)
        tangents = [(param, cotangents.take_dense(param)) for param in self.by]
        found = Tuple(tuple(self.gradients.from_tangent(*pair) for pair in tangents))
        body = emitter.around(found)
        read = [var for var in free_vars(body) if var is not d_result]
        residuals = Var("residuals", TupleType(tuple(var.type for var in read)))
        parts: dict[Var, Expr] = {var: TupleGetItem(residuals, i) for i, var in enumerate(read)}
        backward = Function((residuals, d_result), substitute(body, parts))
        name = self.names.fresh("backward")
        functions, types = self._reverse.finish()
        forward = Tuple((kept, Tuple(tuple(read))))
        attrs = {BACKWARD: name}
        return self.module_with_main(forward, (), {**functions, name: backward}, types, attrs)


def vector_jacobian_product(derivation: ReverseDerivation) -> Module:
    """Return a program for the result and the vector-Jacobian product; see `relay.autodiff.grad`.

    Raises `D002` for a result that contains no floats.
    """
    result = derivation.result
    if not derivation.tangents.has(result.type):
        raise not_a_covector(result)
    (name,) = derivation.fresh_names(["d_result"])
    d_result = Var(name, derivation.gradients.of(result.type))
    gradient = derivation.pullback(d_result)
    return derivation.module(Tuple((result, gradient)), (d_result,))


def _transposed(module: Module, by: Sequence[int], entry: str, function: Function) -> Module:
    """Return the transpose of the custom forward-mode derivative `entry` of a function.

    Its forward part returns the result of the function; see `ReverseDerivation.split`. Raises
    `D009` unless the derivative is linear in the tangents, which are the parameters `by`.
    """
    derivation = ReverseDerivation(module, by, entry)
    check_linear(derivation.program, derivation.activity, function)
    pair = derivation.result.type
    assert isinstance(pair, TupleType), "a result and its tangent"
    result = derivation.emitter.field(derivation.result, 0)
    d_result = Var("d_result", derivation.gradients.of(pair.fields[1]))

    def seed(emitter: Emitter) -> Expr:
        zero = emitter.let(derivation.tangents.zero(result))
        tangent = emitter.let(derivation.gradients.tangent(pair.fields[1], d_result))
        return Tuple((zero, tangent))

    return derivation.split(d_result, seed, result)


class ForwardDerivation(Derivation):
    """A forward-mode derivation of an entry: its `result`, and that result's derivative `slope`.

    The directions of the derivative are additional parameters of `main`. If `unit`, a constant 1,
    is given, it is the direction, and the single parameter must be a number.
    """

    def __init__(
        self,
        model: HasModule | Function,
        argnums: ArgNums,
        entry: str = ENTRY,
        unit: Constant | None = None,
    ) -> None:
        super().__init__(model, argnums, entry)
        self._forward = Forward(
            self.program, self.activity, self.tangents, self.names, self.shadow_cells, self.custom
        )
        named = self.by if unit is None else ()
        names = self.fresh_names([f"d_{each.name}" for each in named])
        types = [self.gradients.of(each.type) for each in named]
        self._directions = list(map(Var, names, types))
        given: dict[Var, Expr] = {} if unit is None else {self.by[0]: unit}
        for param, direction in zip(named, self._directions, strict=True):
            given[param] = self.emitter.let(self.gradients.tangent(param.type, direction))
        main = self.program.main
        self.result, slope = self._forward.derive_entry(main.body, given, self.emitter)
        self.slope = self.gradients.from_tangent(self.result, slope)

    def module(self, result: Expr) -> Module:
        """Return a module whose `main` computes `result` from the parameters and directions."""
        return self.module_with_main(result, self._directions, self._forward.finish(), {})
