"""Where paths meet: branches that end together, and the rest of a function behind them."""

from collections.abc import Callable, Sequence

from relay.frontend.python.conversion import Conversion
from relay.frontend.python.opened_sizes import opened
from relay.frontend.python.operations import tuple_of
from relay.frontend.python.scope import Scope
from relay.frontend.python.values import Undefined, Value
from relay.ir.comparison import as_open
from relay.ir.comparison import join as join_types
from relay.ir.expr import Call, Expr, Function, Tuple, TupleGetItem, Var
from relay.ir.types import FuncType, Type
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.span import Span

Rest = Callable[[Scope], Expr]
Combine = Callable[[Sequence[Expr]], Expr]


def is_defined(name: str, scope: Scope) -> bool:
    """Whether a variable has a value at this point."""
    return name in scope.names and not isinstance(scope.names[name], Undefined)


def common_type(exprs: Sequence[Expr], span: Span) -> Type:
    """Return the type that the results of all paths have; raises `F113` if there is none."""
    common = exprs[0].type
    for expr in exprs[1:]:
        joined = join_types(common, expr.type)
        if joined is None:
            what = f"the result is {common!r} on one path and {expr.ty!r} on another"
            advice = "make both the same, or annotate the function's result"
            raise mistake(ErrorCode.F113, what, expr.span or span, advice)
        common = joined
    return common


class _Opened(Exception):  # noqa: N818 - no error: what leads to a meeting is translated again
    """A path finds out sizes that those before it declare."""

    def __init__(self, join: "JoinPoint") -> None:
        super().__init__()
        self.join = join


class JoinPoint:
    """What follows a branching whose arms meet again: a local function that the arms call.

    Its parameters have the types of the first arm that arrives, but for sizes that another one
    finds out: those are `?`. The arms are translated again then (`joined`).
    """

    def __init__(
        self, conversion: Conversion, base: Scope, names: Sequence[str], rest: Rest, span: Span
    ) -> None:
        self._conversion = conversion
        self._base = base
        self._names = names
        self._rest = rest
        self._span = span
        self._made: tuple[Var, Function] | None = None

    @property
    def is_made(self) -> bool:
        """Whether control has arrived from somewhere."""
        return self._made is not None

    def arrive(self, scope: Scope) -> Expr:
        """Return the call with the variables as they are here; the first one makes the function."""
        values = [scope.names[name] for name in self._names]
        if self._made is None:
            args = [self._conversion.typed(value, None, self._span) for value in values]
            self._made = self._make([arg.type for arg in args])
        var, function = self._made
        args = [
            self._conversion.typed(value, param.ty, self._span)
            for value, param in zip(values, function.params, strict=True)
        ]
        self._open(function.params, args)
        scope.memory.note_together(function.params, args)
        return Call(var, tuple(args), span=self._span)

    def _open(self, params: Sequence[Var], args: Sequence[Expr]) -> None:
        """Begin again if arguments have sizes that are found out, and parameters declare them."""
        memory, is_new = self._base.memory, False
        for name, param, arg in zip(self._names, params, args, strict=True):
            ty = opened(arg, param.type, memory)
            if ty is not param.type:
                memory.meetings[str(self._span), name] = ty
                is_new = True
        if is_new:
            raise _Opened(self)

    def define(self, scope: Scope) -> None:
        """Put the function around what has called it."""
        if self._made is not None:
            scope.block.define(*self._made, self._span)

    def _make(self, types: Sequence[Type]) -> tuple[Var, Function]:
        known, place = self._base.memory.meetings, str(self._span)
        pairs = zip(self._names, types, strict=True)
        wide = [(name, as_open(ty, known.get((place, name), ty))) for name, ty in pairs]
        params = [Var(name, ty, span=self._span) for name, ty in wide]
        inner = self._base.branch()
        inner.memory.introduce(params)
        inner.names.update(zip(self._names, params, strict=True))
        body = self._rest(inner)
        function = Function(tuple(params), body, body.ty, span=self._span)
        assert isinstance(function.ty, FuncType), "all parts are typed"
        return Var("rest", function.ty, span=self._span), function


def joined(
    conversion: Conversion,
    scope: Scope,
    names: Sequence[str],
    rest: Rest,
    span: Span,
    arms: Callable[[JoinPoint], Expr],
) -> Expr:
    """Return arms that lead to a meeting, translated until it has all sizes open that they find."""
    mark = scope.block.mark()
    while True:
        join = JoinPoint(conversion, scope, names, rest, span)
        try:
            return arms(join)
        except _Opened as again:
            if again.join is not join:
                raise
            scope.block.back_to(mark)


def meet(
    conversion: Conversion,
    scope: Scope,
    arms: Sequence[Scope],
    names: Sequence[str],
    combine: Combine,
    span: Span,
    *,
    may_stop: bool,
) -> None:
    """Give the variables that the arms assign the values that they have after the branching.

    Arms that compute something and assign nothing may still stop the program, as may others.
    """
    shared: list[str] = []
    for name in names:
        if all(is_defined(name, arm) for arm in arms):
            shared.append(name)
        else:
            why = "is not assigned on every path that leads here"
            scope.names[name] = Undefined(
                why, f"give {name} a value before the branches, or in each"
            )
    columns = [conversion.joined(name, [arm.names[name] for arm in arms], span) for name in shared]
    if len(shared) == 1:
        results = columns[0]
        whole = combine([arm.block.finish(each) for arm, each in zip(arms, results, strict=True)])
        scope.assign(shared[0], whole, span)
    elif shared:
        _several(scope, arms, shared, columns, combine, span)
    elif may_stop or any(arm.block.mark() for arm in arms):
        nothing = Tuple((), span=span)
        scope.block.bind("checked", combine([arm.block.finish(nothing) for arm in arms]), span)


def _several(
    scope: Scope,
    arms: Sequence[Scope],
    names: Sequence[str],
    columns: Sequence[Sequence[Expr]],
    combine: Combine,
    span: Span,
) -> None:
    rows = [tuple_of(row, span) for row in zip(*columns, strict=True)]
    whole = combine([arm.block.finish(row) for arm, row in zip(arms, rows, strict=True)])
    unpack(scope, names, whole, span)


def unpack(scope: Scope, names: Sequence[str], whole: Expr, span: Span) -> None:
    """Assign the fields of a tuple to variables."""
    joined = scope.block.bind("joined", whole, span)
    for index, name in enumerate(names):
        field: Value = TupleGetItem(joined, index, span=span)
        scope.assign(name, field, span)
