"""One program that is differentiated in reverse, from its entry to the module of its derivative."""

from collections.abc import Sequence
from typing import TypeAlias

from relay.autodiff.activity import Activity
from relay.autodiff.cells import Cells
from relay.autodiff.emitter import Emitter
from relay.autodiff.errors import no_parameter, not_smooth
from relay.autodiff.gradients import Gradients
from relay.autodiff.names import Names
from relay.autodiff.prepare import prepared
from relay.autodiff.retyping import retyped
from relay.autodiff.reverse import Reverse
from relay.autodiff.steps import reverse
from relay.autodiff.tangents import Tangents
from relay.ir.analysis.call_graph import reached
from relay.ir.expr import Expr, Function, Tuple, Var
from relay.ir.fresh import bound_apart
from relay.ir.module import ENTRY, HasModule, Module, module_of
from relay.support.node import replace

ArgNums: TypeAlias = "int | str | Sequence[int | str]"
"""Parameters by number or name: one, or several of which a tuple is made."""


class Derivation:
    """The way through a program's entry, at whose end `result` is known, and the way back."""

    def __init__(self, model: HasModule | Function, argnums: ArgNums, entry: str = ENTRY) -> None:
        given = Module.of(model) if isinstance(model, Function) else module_of(model)
        module = prepared(given, entry)
        self.names = Names(module)
        self.tangents = Tangents(module, self.names)
        cells = Cells(self.tangents)
        self._module = self.tangents.module = retyped(module, cells)
        self._gradients = Gradients(self._module, self.tangents, self.names)
        self.params = self._module.main.params
        self._is_one = isinstance(argnums, int | str)
        self._by = self._varied((argnums,) if isinstance(argnums, int | str) else argnums)
        numbers = [self.params.index(param) for param in self._by]
        beside = cells.beside
        activity = Activity(self._module, self.tangents, ENTRY, numbers, beside)
        self._reverse = Reverse(self._module, activity, self.tangents, self.names, beside)
        self._emitter = Emitter()
        self.result, self._steps = self._reverse.entered(self._module.main.body, self._emitter)

    def gradient(self, d_result: Expr) -> Expr:
        """Go back from a derivative by the result; return that by the parameters."""
        cotangents = self._reverse.scope(self._emitter)
        cotangents.start(self.result, d_result)
        reverse(self._steps, cotangents)
        tangents = [(param, cotangents.taken_dense(param)) for param in self._by]
        found = [self._gradients.filled(*pair) for pair in tangents]
        return found[0] if self._is_one else Tuple(tuple(found))

    def module(self, result: Expr, params: Sequence[Var] = ()) -> Module:
        """Return the module whose `main` takes the parameters, and others, to a result."""
        main = Function((*self.params, *params), self._emitter.around(result))
        functions, residuals = self._reverse.finish()
        filling = self._gradients.functions  # which may need more tangents
        types = {**residuals, **self.tangents.definitions, **self._gradients.definitions}
        others = {**self.tangents.functions, **filling, **functions, ENTRY: main}
        known = self._module
        whole = replace(
            known, functions={**known.functions, **others}, types={**known.types, **types}
        )
        return bound_apart(reached(whole))

    def _varied(self, argnums: Sequence[int | str]) -> Sequence[Var]:
        return [self._found(each) for each in argnums]

    def _found(self, wanted: int | str) -> Var:
        """Return a parameter that has a tangent; raises `D003`."""
        names = [param.name for param in self.params]
        if isinstance(wanted, str) and wanted in names:
            wanted = names.index(wanted)
        if not isinstance(wanted, int) or not -len(names) <= wanted < len(names):
            raise no_parameter(wanted, self.params)
        param = self.params[wanted]
        if not self.tangents.has(param.type):
            raise not_smooth(param)
        return param
