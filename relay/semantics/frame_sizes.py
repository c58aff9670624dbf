"""The sizes of dimension variables in frames of the evaluator: recording and checking them."""

from collections.abc import Sequence
from typing import cast

from relay.ir.attribute_dims import substitute_attributes, symbolic_attributes
from relay.ir.dims import ANY, DimVar
from relay.ir.expr import Call, Var
from relay.ir.match_patterns import Match
from relay.ir.types import Type, dim_variables, dimensions
from relay.opdef.definition import OperatorDef
from relay.opdef.dim_constraints import Constraint
from relay.semantics.argument_checks import add_sizes, check_sizes
from relay.semantics.call_site_dims import Sizes
from relay.semantics.check_size_constraints import require, size_constraints
from relay.semantics.evaluator_values import EvaluationFrame, Value
from relay.semantics.type_parameter_values import TypeArguments
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError
from relay.support.span import Span


class FrameSizes:
    """Functions that record and check sizes in frames; what they derive from types is memoised."""

    def __init__(self) -> None:
        self._symbolic: dict[OperatorDef, bool] = {}
        self._constraints: dict[Call, tuple[Constraint, ...]] = {}
        self._known: dict[Type, bool] = {}
        self._introduces: dict[Type, bool] = {}

    def has_known_dims(self, ty: Type) -> bool:
        """Whether a type has a dimension other than `?`."""
        if ty not in self._known:
            self._known[ty] = any(dim is not ANY for dim in dimensions(ty))
        return self._known[ty]

    def of_call(
        self, params: Sequence[Var], args: Sequence[Value], outer: Sizes, types: TypeArguments
    ) -> dict[DimVar, int]:
        """Return the sizes of dimension variables in a call, including those in `outer`.

        They are determined by the shapes of arguments, and then checked against the parameter
        types.
        """
        pairs = [
            (param, types.of(param.ty), arg)
            for param, arg in zip(params, args, strict=True)
            if param.ty is not None and self.has_known_dims(types.of(param.ty))
        ]
        sizes = dict(outer)
        if not pairs:
            return sizes
        add_sizes([ty for _, ty, _ in pairs], [arg for *_, arg in pairs], sizes)
        for param, ty, arg in pairs:
            check_sizes(ty, arg, sizes, param.span, param.name)
        return sizes

    def check(
        self,
        ty: Type | None,
        value: Value,
        frame: EvaluationFrame,
        span: Span | None,
        name: str = "",
    ) -> None:
        """Check the sizes of a value, of the variable `name` if given, against the type `ty`."""
        known = self._checked_type(ty, frame)
        if known is not None:
            check_sizes(known, value, frame.sizes, span, name)

    def record(self, ty: Type | None, value: Value, frame: EvaluationFrame) -> None:
        """Record in a frame the sizes that a value of type `ty` determines."""
        known = self._checked_type(ty, frame)
        if known is not None:
            add_sizes([known], [value], frame.sizes)

    def _checked_type(self, ty: Type | None, frame: EvaluationFrame) -> Type | None:
        """Return a type with a frame's type arguments; None if no dimension of it is known."""
        known = None if ty is None else frame.types.of(ty)
        return known if known is not None and self.has_known_dims(known) else None

    def bind_pattern(
        self, bound: Sequence[tuple[Var, Value]], match: Match, frame: EvaluationFrame
    ) -> None:
        """Record the sizes of a pattern's variables in a frame, and check them."""
        for var, value in bound:
            self.record(var.ty, value, frame)
            self.check(var.ty, value, frame, var.span or match.span, var.name)

    def record_introduced(self, ty: Type | None, value: Value, frame: EvaluationFrame) -> None:
        """Record the sizes of dimension variables that passes introduced, from a node's value."""
        if ty is not None and ty not in self._introduces:
            self._introduces[ty] = any(name.is_made for name in dim_variables(ty))
        if ty is not None and self._introduces[ty]:
            add_sizes([ty], [value], frame.opened)

    def of_operator(self, call: Call, op: OperatorDef, frame: EvaluationFrame) -> OperatorDef:
        """Return an operator whose attributes have sizes in place of dimension variables."""
        if op not in self._symbolic:
            self._symbolic[op] = bool(symbolic_attributes(op)) and not op.opened
        if not self._symbolic[op]:
            return op
        sized = cast("OperatorDef", substitute_attributes(op, frame.all_sizes))
        unknown = [size for size in symbolic_attributes(sized) if size is not ANY]
        if unknown:
            message = f"{op.name}: no argument of the function determines the size {unknown[0]}"
            help_ = "add a tensor parameter that has this size to the function"
            raise RunError(ErrorCode.R042, message, span=call.span, help=help_)
        return sized

    def require_constraints(self, call: Call, op: OperatorDef, frame: EvaluationFrame) -> None:
        """Raise `R054` if sizes violate a constraint of the operator's type rule."""
        if call not in self._constraints:
            self._constraints[call] = size_constraints(call, op)
        for each in self._constraints[call]:
            require(each, frame.all_sizes, call.span)
