"""Builds results and residuals at the exits of regions: branches, clauses, functions and loops.

At each exit of a region its backward code is known: the reversed steps that led there. This code
becomes a clause of the backward part, and the variables it reads form the *residual* of that exit,
i.e. what the forward part stores for the backward part.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeAlias

from relay.autodiff.backward_steps import Step, reverse
from relay.autodiff.cotangent_accumulation import Cotangents
from relay.autodiff.derivative_types import DerivativeParts, Tape
from relay.autodiff.residuals import Residual
from relay.autodiff.tuple_packing import pack
from relay.ir.expr import Call, Expr, Function, GlobalVar, Tuple, Var
from relay.ir.types import TupleType, Type

NewScope: TypeAlias = Callable[[], Cotangents]


class RegionExits(ABC):
    """The base of the exits of a region; `bound` are the region's variables, parameters first.

    A region is a function, loop, branch or clause.
    """

    def __init__(self, scope: NewScope, inputs: Sequence[Var], bound: Sequence[Var] = ()) -> None:
        self.scope = scope
        self.inputs = inputs
        self.params = bound
        self.bound = dict.fromkeys(bound)

    @abstractmethod
    def forward_type(self, result: Type) -> Type:
        """Return the type of the forward part of a region whose result has the type `result`."""

    @abstractmethod
    def exit_with(self, result: Expr, steps: Sequence[Step]) -> Expr:
        """Return the forward part's final expression at an exit with this result.

        `steps` are the steps from the start of the region to the exit.
        """

    def next_iteration(self, call: Call, steps: Sequence[Step]) -> Expr | None:
        """Return the expression with which the forward part starts the next iteration of a loop.

        `call` is the tail call in the original program; the result is None if it does not continue
        a loop. `steps` are the steps from the start of the iteration to the call.
        """
        del call, steps
        return None

    def reverse_steps(
        self, steps: Sequence[Step], seeds: Sequence[tuple[Expr, Expr]]
    ) -> tuple[Cotangents, list[Expr]]:
        """Reverse the steps from the cotangents `seeds`; return the cotangents of the inputs.

        `seeds` are pairs of a value and its cotangent.
        """
        cotangents = self.scope()
        for value, seed in seeds:
            cotangents.start(value, seed)
        reverse(steps, cotangents)
        return cotangents, [cotangents.take_dense(var) for var in self.inputs]


class SingleExits(RegionExits):
    """The exits of a region that is not a loop; each returns a residual for the backward part."""

    def __init__(
        self,
        scope: NewScope,
        inputs: Sequence[Var],
        seed: Var,
        residual: Residual,
        bound: Sequence[Var] = (),
    ) -> None:
        super().__init__(scope, inputs, bound)
        self._seed = seed
        self._residual = residual

    def forward_type(self, result: Type) -> Type:
        """Return the type of the pair of the region's result and its residual."""
        return TupleType((result, self._residual.type))

    def exit_with(self, result: Expr, steps: Sequence[Step]) -> Expr:
        """Return the region's result together with what is stored for the backward part."""
        cotangents, found = self.reverse_steps(steps, [(result, self._seed)])
        backward = cotangents.emitter.around(pack(found))
        return Tuple((result, self._residual.end("End", backward, self.bound, self.params)))


class LoopExits(RegionExits):
    """The exits of a function with a self tail call, whose forward and backward parts are loops.

    1. A step calls the forward part again, and passes the list of residuals of the steps so far.
    2. The last step returns that list in its own residual; the backward part starts there with the
       cotangents of the parameters, and continues with the step before.
    """

    def __init__(
        self,
        scope: NewScope,
        function: Function,
        kept: Sequence[Var],
        parts: DerivativeParts,
        tape: Tape,
    ) -> None:
        inputs = [function.params[index] for index in parts.varied]
        super().__init__(scope, inputs, (*kept, tape.before))
        self._parts = parts
        self._tape = tape

    def forward_type(self, result: Type) -> Type:
        """Return the type of the pair of the loop's result and its residual."""
        return TupleType((result, self._parts.residual.type))

    def exit_with(self, result: Expr, steps: Sequence[Step]) -> Expr:
        """Return the result and the residual of the last step."""
        back = self._back(steps, [(result, self._parts.seed)])
        return Tuple((result, self._parts.residual.end("End", back, self.bound, self.params)))

    def next_iteration(self, call: Call, steps: Sequence[Step]) -> Expr | None:
        """Return the call of the next step, or None if another function is called."""
        if not (isinstance(call.op, GlobalVar) and call.op.name == self._parts.name):
            return None
        args = [call.args[index] for index in self._parts.varied]
        back = self._back(steps, list(zip(args, self._tape.cotangents, strict=True)))
        passed = self._tape.residual.end("Step", back, self.bound, self.params)
        return Call(self._parts.forward, (*call.args, passed), span=call.span)

    def _back(self, steps: Sequence[Step], seeds: Sequence[tuple[Expr, Expr]]) -> Expr:
        cotangents, found = self.reverse_steps(steps, seeds)
        onwards = Call(self._tape.backward, (self._tape.before, *found, *self._tape.fixed))
        return cotangents.emitter.around(onwards)
