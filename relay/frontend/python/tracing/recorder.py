"""Record what a traced function does: variable bindings, control flow, and source locations."""

import sys
from collections.abc import Sequence
from types import CellType, CodeType, FrameType
from typing import Any, NoReturn, TypeAlias

from relay.frontend.python.rewriting.source_locations import Code
from relay.frontend.python.tracing.blocks import Block, Leaf
from relay.frontend.python.tracing.immutable_containers import DividedLists
from relay.frontend.python.tracing.mutable_state import State, changed
from relay.frontend.python.tracing.regions import Region
from relay.frontend.python.values.traced_values import (
    Box,
    Traced,
    inner,
    is_array,
    roots_of,
)
from relay.ir.expr import Constant, Expr, GlobalVar, Var
from relay.ir.type_comparison import join as join_types
from relay.ir.types import Type
from relay.ir.walk import children
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.span import Span

Position: TypeAlias = "tuple[int | None, int | None, int | None, int | None]"
"""The first and last line of an instruction, then its first and last column."""


class Recorder:
    """The record of one traced function: its bindings, its control flow and their locations."""

    def __init__(self, unit: Any, *, exact: bool) -> None:
        self.unit = unit
        self.exact = exact  # whether it follows which memory an array has, on which path
        self.block: Block | None = Block(None)
        self.regions: list[Region] = []
        self.codes: dict[str, Code] = {}
        self.cell_names: dict[int, tuple[str, CellType]] = {}
        self.lost: dict[str, RelayError] = {}
        self.values: dict[Var, Expr] = {}  # what variables are bound to
        self.homes: dict[Var, Block] = {}  # where they are bound
        self.home: Span | None = None
        self.depth = 0
        self.loops: list[Any] = []  # of the program, around what is being traced
        self.known_loops: dict[Any, list[Any]] = {}  # what loops carried, by their variables
        self.certain = True
        self.divided = DividedLists(self)
        self.captured: list[tuple[list[CellType], State]] = []  # what functions had read
        self.returned_new = False
        self.returned_at: Span | None = None  # the value of a function without branches
        self.hooks: Any = None
        self.hints: list[Type] = []  # what is declared for what is being computed
        self._spans: dict[tuple[CodeType, int], Span] = {}
        self._positions: dict[CodeType, list[Position]] = {}

    @property
    def span(self) -> Span:
        """Return the location in the user's file that Python is executing."""
        frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - what Python has
        while frame is not None:
            if frame.f_code.co_filename in self.codes:
                found = self.span_of(frame.f_code, frame.f_lasti)
                if found is not None:
                    return found
            frame = frame.f_back
        assert self.home is not None, "a function is being traced"
        return self.home

    def span_of(self, code: CodeType, instruction: int) -> Span | None:
        """Return the location of an instruction."""
        key = code, instruction
        if key not in self._spans:
            if code not in self._positions:
                self._positions[code] = list(code.co_positions())
            line, end_line, start, end = self._positions[code][instruction // 2]
            if line is None or end_line is None or start is None or end is None:
                return None
            self._spans[key] = self.codes[code.co_filename].between(line, start, end_line, end)
        return self._spans[key]

    def refuse(self, code: str, what: str, help_: str) -> NoReturn:
        """Raise an error at the current location."""
        raise mistake(ErrorCode(code), what, self.span, help_)

    def without_value(self, name: str, why: str, advice: str, span: Span) -> RelayError:
        """Return the error for a variable that may have no value."""
        return mistake(ErrorCode.F109, f"{name} {why}", span, advice)

    def emit(self, expr: Expr, name: str = "value") -> Expr:
        """Bind an expression in the current block; return the variable, or a constant as it is."""
        if isinstance(expr, Constant | GlobalVar | Var):
            return expr
        return self.bind(Var(name, ty=expr.ty, span=expr.span), expr)

    def bind(self, var: Var, value: Expr) -> Var:
        """Bind a variable to an expression in the current block."""
        assert self.block is not None, "control comes here"
        self.block.lets.append((var, value))
        self.values[var] = value
        self.homes[var] = self.block
        return var

    def is_seen(self, expr: Expr, block: Block) -> bool:
        """Whether all variables that an expression reads are in scope in the block."""
        stack, seen = [expr], set[Expr]()
        while stack:
            at = stack.pop()
            if at in seen:
                continue
            seen.add(at)
            if isinstance(at, Var) and at in self.homes and not block.is_inside(self.homes[at]):
                return False
            stack += children(at)
        return True

    def state(self) -> State:
        """Return a snapshot of everything that the functions being traced can reach."""
        roots = [root for region in self.regions for root in region.roots]
        return State(roots, self.unit.outside)

    def leave(self, target: object, value: Any = None, span: Span | None = None) -> None:
        """End the block with a jump to a region, or out of a function."""
        block = self.block
        assert block is not None, "control comes here"
        block.end = leaf = Leaf(
            block, target, value, self.state(), self.span if span is None else span
        )
        self.regions[-1].leaves.append(leaf)
        self.block = None

    def name_of(self, place: Any, key: Any) -> str:
        """Return the name of a place, for messages and for variables of the program."""
        if isinstance(place, CellType) and id(place) in self.cell_names:
            return self.cell_names[id(place)][0]
        if isinstance(place, Box):
            return place.name
        return str(key) if isinstance(key, str) else "an item of a list"

    def lose(self, place: Any, key: Any, error: RelayError) -> None:
        """Record the error that explains why a variable has no value from here on.

        The variable may be assigned again.
        """
        if not isinstance(place, CellType):
            raise error
        self.lost[self.name_of(place, key)] = error

    def common_type(self, exprs: Sequence[Expr], span: Span) -> Type:
        """Return the common type of the values of all paths; raises `F113` if there is none."""
        common = exprs[0].type
        for expr in exprs[1:]:
            joined = join_types(common, expr.type)
            if joined is None:
                what = f"the result is {common!r} on one path and {expr.ty!r} on another"
                raise mistake(
                    ErrorCode.F113,
                    what,
                    expr.span or span,
                    "return the same type on all paths, or annotate the function's result",
                )
            common = joined
        return common

    def refuse_outdated(self) -> None:
        """Raise `F127` if a variable that a function value captured has changed since."""
        for cells, before in self.captured:
            for place, key in changed(before, State(cells, self.unit.outside)).values():
                name = self.name_of(place, key)
                what = (
                    f"a function that is called here uses the variable {name}, which cannot be "
                    "assigned again after the function is defined"
                )
                advice = f"make {name} a parameter of that function, and pass it"
                raise mistake(ErrorCode.F127, what, self.span, advice)

    def shared(self, value: Traced, name: str) -> str | None:
        """Record that the variable `name` gets a copy of an array that Python would share.

        Neither the array nor the copy may be written from then on. Returns a description of the
        other references, for the error message.
        """
        box = value.box
        if is_array(value) and (box.name != "value" or id(box) in self.state().held):
            self.share(value, f"possibly the same array as {name}")
            return box.owner
        return box.owner

    def share(self, given: Any, owner: str) -> None:
        """Record that `owner` also refers to the arrays in a value, so they must not be written."""
        if isinstance(given, Traced) and is_array(given):
            for root in roots_of(given):
                root.box.owner = root.box.owner or owner
        else:
            for each in inner(given) or ():
                self.share(each, owner)
