"""Derives a program: from its entry to the module that computes the derivative."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from relay.autodiff.activity_analysis import Activity
from relay.autodiff.backward_steps import reverse
from relay.autodiff.cotangents import Cotangent
from relay.autodiff.custom_derivative_calls import CustomCalls
from relay.autodiff.errors import named_twice, no_parameter, not_smooth
from relay.autodiff.forward_mode import Forward
from relay.autodiff.let_emitter import Emitter
from relay.autodiff.prepare_program import prepared
from relay.autodiff.reference_cells import Cells
from relay.autodiff.retype_program import retyped
from relay.autodiff.reverse_mode import Reverse
from relay.autodiff.tangent_types import Tangents
from relay.autodiff.unused_names import Names
from relay.autodiff.user_gradients import Gradients
from relay.ir.alpha_rename import bound_apart
from relay.ir.analysis.call_graph import reached
from relay.ir.expr import Constant, Expr, Function, Tuple, Var
from relay.ir.module import ENTRY, HasModule, Module, TypeData, module_of
from relay.support.node import replace
from relay.transform.drop_dead_lets import DropDeadLets

ArgNums: TypeAlias = "int | str | Sequence[int | str]"
"""The parameters to differentiate by, as numbers or names; a sequence gives a tuple."""


class Derivation:
    """The base of derivations in both modes: the prepared program and its activity analysis.

    `by` holds the parameters with respect to which the program is differentiated.
    """

    def __init__(self, model: HasModule | Function, argnums: ArgNums, entry: str) -> None:
        given = Module.of(model) if isinstance(model, Function) else module_of(model)
        module = prepared(given, entry)
        self.names = Names(module)
        self.tangents = Tangents(module, self.names)
        cells = Cells(self.tangents)
        self.program = self.tangents.module = retyped(module, cells)
        self.beside = cells.beside
        self.gradients = Gradients(self.program, self.tangents, self.names)
        self.custom = CustomCalls(self.program, self.gradients)
        self.params = self.program.main.params
        self.is_one = isinstance(argnums, int | str)
        self.by = self._found_all(argnums)
        numbers = [self.params.index(param) for param in self.by]
        self.activity = Activity(self.program, self.tangents, ENTRY, numbers, self.beside)
        self.emitter = Emitter()

    def _found_all(self, argnums: ArgNums) -> list[Var]:
        """Return the parameters that `argnums` selects; raises `D003` for duplicates."""
        several = not isinstance(argnums, int | str)
        if several and not isinstance(argnums, Sequence):  # pyright: ignore[reportUnnecessaryIsInstance] - as callers may
            raise no_parameter(argnums, self.params)
        found = [self._found(each) for each in (argnums if several else (argnums,))]
        for index, param in enumerate(found):
            if param in found[:index]:
                raise named_twice(param)
        return found

    def _found(self, wanted: int | str) -> Var:
        """Return the parameter with a number or name; raises `D003` unless it has a tangent."""
        names = [param.name for param in self.params]
        if isinstance(wanted, str) and wanted in names:
            wanted = names.index(wanted)
        if not isinstance(wanted, int) or not -len(names) <= wanted < len(names):
            raise no_parameter(wanted, self.params)
        param = self.params[wanted]
        if not self.tangents.has(param.type):
            raise not_smooth(param)
        return param

    def whole(
        self,
        result: Expr,
        more: Sequence[Var],
        functions: Mapping[str, Function],
        types: Mapping[str, TypeData],
    ) -> Module:
        """Return the module whose `main` computes the result from the parameters and `more`."""
        main = Function((*self.params, *more), self.emitter.around(result))
        filling = self.gradients.functions  # filling in zeros may need more tangents
        types = {**types, **self.tangents.definitions, **self.gradients.definitions}
        others = {**self.tangents.functions, **filling, **functions, ENTRY: main}
        known = self.program
        made = replace(
            known, functions={**known.functions, **others}, types={**known.types, **types}
        )
        return DropDeadLets()(bound_apart(reached(made)))


class ReverseDerivation(Derivation):
    """A reverse-mode derivation: the entry's forward part, with its result and recorded steps."""

    def __init__(self, model: HasModule | Function, argnums: ArgNums, entry: str = ENTRY) -> None:
        super().__init__(model, argnums, entry)
        self._reverse = Reverse(
            self.program, self.activity, self.tangents, self.names, self.beside, self.custom
        )
        self.result, self._steps = self._reverse.entered(self.program.main.body, self.emitter)

    def pulled(self, d_result: Var) -> Expr:
        """Return the gradients for a covector of the result, in the form that users write."""
        tangent = self.gradients.tangent(self.result.type, d_result)
        return self.gradient(self.emitter.let(tangent))

    def gradient(self, d_result: Cotangent) -> Expr:
        """Return the gradients by the selected parameters for a cotangent of the result."""
        cotangents = self._reverse.cotangents(self.emitter)
        cotangents.start(self.result, d_result)
        reverse(self._steps, cotangents)
        tangents = [(param, cotangents.taken_dense(param)) for param in self.by]
        found = [self.gradients.filled(*pair) for pair in tangents]
        return found[0] if self.is_one else Tuple(tuple(found))

    def module(self, result: Expr, more: Sequence[Var] = ()) -> Module:
        """Return a module whose `main` computes `result` from the parameters and `more`."""
        functions, residuals = self._reverse.finish()
        return self.whole(result, more, functions, residuals)


class ForwardDerivation(Derivation):
    """A forward-mode derivation of an entry: its `result`, and that result's derivative `slope`.

    The directions are additional parameters, or `unit` for a single number.
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
            self.program, self.activity, self.tangents, self.names, self.beside, self.custom
        )
        named = self.by if unit is None else ()
        self._directions = [Var(f"d_{each.name}", self.gradients.of(each.type)) for each in named]
        given: dict[Var, Expr] = {} if unit is None else {self.by[0]: unit}
        for param, direction in zip(named, self._directions, strict=True):
            given[param] = self.emitter.let(self.gradients.tangent(param.type, direction))
        main = self.program.main
        self.result, slope = self._forward.entered(main.body, given, self.emitter)
        self.slope = self.gradients.filled(self.result, slope)

    def module(self, result: Expr) -> Module:
        """Return a module whose `main` computes `result` from the parameters and directions."""
        return self.whole(result, self._directions, self._forward.finish(), {})
