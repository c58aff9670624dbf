"""Partial evaluation of calls, by unfolding or by calls of specialised residual functions."""

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain

from relay.ir.custom_derivatives import has_custom_derivative
from relay.ir.dims import ANY
from relay.ir.expr import Call, Expr, Function, GlobalVar, Var
from relay.ir.free_type_variables import FreeTypeVars
from relay.ir.fresh_names import unused
from relay.ir.match_dims import match_dims
from relay.ir.types import FuncType, Type, dim_variables, substitute_dims, tensor_dims
from relay.support.errors import RelayTypeError
from relay.support.trampoline import Task
from relay.transform.partial_evaluation.call_history import Frame, History
from relay.transform.partial_evaluation.function_literals import Literals
from relay.transform.partial_evaluation.known_facts import Knowledge
from relay.transform.partial_evaluation.merge_branches import Branching
from relay.transform.partial_evaluation.residual_code import closed
from relay.transform.partial_evaluation.static_values import (
    Static,
    StaticClosure,
    TypeContext,
)
from relay.transform.partial_evaluation.templates import (
    common,
    filled,
    is_leaf,
    leaves,
    narrowed,
)
from relay.transform.pipeline import is_optimizable


@dataclass
class Scope:
    """The static values of the variables of a call, and its type arguments and sizes."""

    values: dict[Expr, Static]
    types: TypeContext


class RetryAsResidual(Exception):  # noqa: N818 - says what is to be done
    """The request to undo a call in progress, and to call a residual function instead.

    A residual function is one that is written to the resulting program.
    """

    def __init__(self, frame: Frame, values: Sequence[Static]) -> None:
        super().__init__()
        self.frame, self.values = frame, values


class Calls(Branching, ABC):
    """The part of the evaluator that unfolds or specialises calls of known functions.

    1. In general a call is unfolded: the body of the function is evaluated in its place.
    2. A call that makes no progress towards termination, compared with one in progress (`History`),
       becomes a call of a residual function, which is written for the common template of both; so
       does the call in progress.
    3. A function that was already unfolded once under an unknown branch becomes a residual
       function, too: there are at most two copies for the same known arguments.
    4. Beyond `limit` nodes, calls stay; so do calls of functions with custom derivatives, calls
       whose arguments may not have the sizes that the function requires, and calls whose known
       sizes cause a type error in the function.
    """

    def __init__(self, limit: int, steps: int, taken: set[str]) -> None:
        super().__init__()
        self.literals = Literals()
        self.written: dict[str, Function] = {}
        self._called: list[str] = []
        self._taken = taken
        self._left = limit
        self._frozen = False
        self._history = History(steps)
        self._unit = 0
        self._residual: dict[object, GlobalVar] = {}

    @abstractmethod
    def body(self, expr: Expr, scope: Scope, *, last: bool) -> Task[Static]:
        """Return the static value of a function's body, and write its residual code.

        In tail position (`last`), a final call remains a tail call.
        """

    def spend(self) -> None:
        """Subtract one visited node from the budget of nodes."""
        self._left -= 1

    def need(self, name: str) -> None:
        """Record that residual code calls the global function `name`."""
        self._called.append(name)

    def called(self) -> list[str]:
        """Return the functions of the module that were recorded since the last call."""
        found, self._called = self._called, []
        return found

    def allow(self, nodes: int) -> None:
        """Increase the budget by the nodes of a function that is written for the first time."""
        self._left += nodes

    # Calls

    def call_of(
        self,
        closure: StaticClosure,
        args: Sequence[Static],
        type_args: Sequence[Type],
        *,
        last: bool,
    ) -> Task[Static | None]:
        """Return the value of a call of a known function.

        None if the call must be written as it is.
        """
        function = closure.function
        if self._frozen or self._left < 0 or function.is_primitive or not is_optimizable(function):
            return None
        if has_custom_derivative(function):
            return None
        types = self._instance(closure, args, type_args)
        if types is None:
            return None
        new = self._frame(function, (*closure.captured, *args), types, is_unfolded=True)
        repeated = self._history.repeated(new)
        if repeated is not None:  # case 2
            pairs = zip(repeated.values, new.values, strict=True)
            template = [common(self.domain, *pair) for pair in pairs]
            if repeated.is_unfolded and repeated.unit == self._unit:
                raise RetryAsResidual(repeated, template)
            return (yield self._call_residual(closure, template, new))
        if self._history.is_in_progress(new) and not self._history.may_unfold(new):  # case 3
            return (yield self._call_residual(closure, new.values, new))
        return (yield self._unfolded(closure, new, last=last))

    def _frame(
        self,
        function: Function,
        values: Sequence[Static],
        types: TypeContext,
        *,
        is_unfolded: bool,
    ) -> Frame:
        born = self.domain.now()
        unit = self._unit
        return Frame(function, tuple(values), types, born, self.decisions, unit, is_unfolded)

    def _unfolded(self, closure: StaticClosure, frame: Frame, *, last: bool) -> Task[Static | None]:
        mark, block = self.known.mark(), self.block
        length = len(block)
        left = self._left
        try:
            with self._history.entered(frame):
                result = yield self._run(closure, frame.values, frame.types, last=last)
        except RetryAsResidual as again:
            if again.frame is not frame:
                raise
            template = again.values
        except RelayTypeError:  # case 4
            template = None
        else:
            self._history.note(frame, left - self._left)
            return result
        self.known.undo(mark)
        del block[length:]
        return None if template is None else (yield self._call_residual(closure, template, frame))

    def _run(
        self, closure: StaticClosure, values: Sequence[Static], types: TypeContext, *, last: bool
    ) -> Task[Static]:
        """Return the result of a function, given the values of its captures and arguments."""
        function = closure.function
        names = (*self.captured(closure), *function.params)
        scope = Scope(dict(zip(names, values, strict=True)), types)
        if closure.name is not None:
            captured = values[: len(closure.captured)]
            scope.values[closure.name] = self.domain.with_parts(closure, captured)
        result = yield self.body(function.body, scope, last=last)
        return (yield self.with_asserted_sizes(types(result_of(function)), result))

    def captured(self, closure: StaticClosure) -> tuple[Var, ...]:
        """Return the variables that a function value captures, except its own name."""
        return self.captures(closure.function, closure.name)

    def captures(self, function: Function, name: Var | None) -> tuple[Var, ...]:
        """Return the variables that a function literal captures, except its own `name`."""
        return tuple(var for var in self.literals.captured(function) if var is not name)

    def with_asserted_sizes(self, ty: Type, value: Static) -> Task[Static]:
        """Return a value with the sizes in type `ty`, checked at run time if they are unknown."""
        if _has_sizes(value.ty, ty):
            return value
        atom = yield self.atom(value)
        return self.domain.unknown(self.bind(atom, "x", ty))

    def _instance(
        self, closure: StaticClosure, args: Sequence[Static], type_args: Sequence[Type]
    ) -> TypeContext | None:
        """Return the type arguments and sizes of a call.

        The result is None if the call must be written unchanged.
        """
        function = closure.function
        chosen = dict(zip(function.type_params, type_args, strict=True))
        types = closure.types.within(chosen, {})
        wanted = [types(param.type) for param in function.params]
        given = [arg.ty for arg in args]
        names = self.literals.size_names(function)
        if names.inside:
            return None
        found = {name: dim for name, dim in match_dims(wanted, given).items() if name in names.own}
        if len(found) < len(names.own) or any(dim is ANY for dim in found.values()):
            return None
        fits = all(
            _has_sizes(ty, substitute_dims(p, found)) for ty, p in zip(given, wanted, strict=True)
        )
        return types.within({}, found) if fits else None

    # Residual functions

    def _call_residual(
        self, closure: StaticClosure, known: Sequence[Static], frame: Frame
    ) -> Task[Static | None]:
        """Return a call of a function copy that is specialised for known parts of its arguments.

        The result is None if a type is open, or if the function is global and no argument is known.
        """
        template = narrowed(self.domain, known)
        held = [part for each in template for part in leaves(each, each, is_leaf)]
        result = frame.types(result_of(closure.function))
        if not _is_closed([*(part.ty for part in held), result]):
            return None
        if closure.variable is not None and all(map(is_leaf, template)):
            return None
        key = (closure.function, frame.types.key, *(each.outline.number for each in template))
        if key not in self._residual:
            ty = FuncType(tuple(part.ty for part in held), result)
            new = unused(_name(closure), self._taken)
            self._residual[key] = GlobalVar(new, ty=ty)
            yield self._write(self._residual[key], closure, template, frame.types)
        pairs = zip(template, frame.values, strict=True)
        args = yield self.atoms([*chain(*(leaves(*pair, is_leaf) for pair in pairs))])
        self.known.forget()
        return self.emitted(Call(self._residual[key], tuple(args), ty=result))

    def _write(
        self,
        variable: GlobalVar,
        closure: StaticClosure,
        template: Sequence[Static],
        types: TypeContext,
    ) -> Task[None]:
        assert isinstance(variable.ty, FuncType), "a function has the type of one"
        names = [var.name for var in (*self.captured(closure), *closure.function.params)]
        held = [
            Var(name, part.ty, ty=part.ty)
            for name, each in zip(names, template, strict=True)
            for part in leaves(each, each, is_leaf)
        ]
        params: Iterator[Static] = map(self.domain.unknown, held)
        with self.new_unit():
            values = [filled(self.domain, each, params, is_leaf) for each in template]
            frame = self._frame(closure.function, values, types, is_unfolded=False)
            with self._history.entered(frame):
                result = yield self._run(closure, values, types, last=True)
            body = closed(self.block, (yield self.atom(result)))
        self.written[variable.name] = Function(tuple(held), body, variable.ty.result)

    @contextmanager
    def new_unit(self) -> Generator[None]:
        """Open the scope of a residual function, in which no variable from outside is known."""
        before = self.known, self.block, self._unit
        self.known, self.block = Knowledge(), []
        self._unit = self.domain.now()
        try:
            yield
        finally:
            self.known, self.block, self._unit = before

    # Functions as values

    def function_of(self, closure: StaticClosure, name: str) -> Task[Expr]:
        """Return an expression for a function value: a global name or a bound variable."""
        if closure.variable is not None:
            self.need(closure.variable.name)
            return closure.variable
        yield self.shared(closure)
        if closure in self.known.atoms:  # a captured cell holds it
            return self.known.atoms[closure]
        own = Var(name, closure.ty, ty=closure.ty)
        literal = yield self._literal(closure, own)
        self.block.append((own, literal))
        return own

    def _literal(self, closure: StaticClosure, own: Var) -> Task[Function]:
        function, types = closure.function, closure.types
        params = [
            Var(p.name, types(p.type), span=p.span, ty=types(p.type)) for p in function.params
        ]
        values = (*closure.captured, *map(self.domain.unknown, params))
        frame = self._frame(function, values, types, is_unfolded=False)
        mark, around, frozen, self.block = self.known.mark(), self.block, self._frozen, []
        self._frozen = frozen or self._history.repeated(frame) is not None
        self.decisions += 1
        try:
            self.known.forget()
            if closure.name is not None:
                self.known.name(closure, own)
            with self._history.entered(frame):
                result = yield self._run(closure, values, types, last=True)
            body = closed(self.block, (yield self.atom(result)))
        finally:
            self.block, self._frozen = around, frozen
            self.decisions -= 1
            self.known.undo(mark)
        promised = None if function.result is None else types(function.result)
        return Function(
            tuple(params),
            body,
            promised,
            function.type_params,
            function.attrs,
            span=function.span,
            ty=closure.ty,
        )


def _name(closure: StaticClosure) -> str:
    named = (each.name for each in (closure.variable, closure.name) if each is not None)
    return next(named, "fn")


def result_of(function: Function) -> Type:
    """Return the declared result type of a function."""
    assert isinstance(function.ty, FuncType), "a function has the type of one"
    return function.ty.result


def _is_closed(types: Sequence[Type]) -> bool:
    free = FreeTypeVars()
    return not any(map(free.of, types)) and not dim_variables(*types)


def _has_sizes(ty: Type, promised: Type) -> bool:
    """Whether values of type `ty` have all tensor sizes that the type `promised` asserts."""
    if ty is promised:
        return True
    sizes = zip(tensor_dims(promised), tensor_dims(ty), strict=True)
    return all(size in (ANY, found) for size, found in sizes)
