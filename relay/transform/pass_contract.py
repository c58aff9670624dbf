"""Contracts of passes: required, established and invalidated properties."""

from collections.abc import Iterable

from relay.ir.module import Module
from relay.support.dtype import DType
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.support.node import Value, value
from relay.transform.module_properties import Property

Properties = frozenset[Property]

NONE: Properties = frozenset()
TYPED: Properties = frozenset({Property.TYPED})
NORMAL_FORMS: Properties = frozenset(
    {Property.A_NORMAL_FORM, Property.BASIC_BLOCKS, Property.NORMAL_REGIONS}
)
ALL: Properties = frozenset(Property)


@value
class Rounding(Value):
    """A floating-point type to which a pass may round values.

    Floats in results may then have one of the types `results` instead of their own.
    """

    dtype: DType
    results: tuple[DType, ...] = ()

    @property
    def epsilon(self) -> float:
        """Return the distance from 1 to the next number of the type."""
        return self.dtype.epsilon


@value
class Contract(Value):
    """The properties that a pass requires, ensures and breaks; it keeps all other properties.

    With a `rounding`, it does not keep the precision of values. Unless it `keeps_results`, the
    program computes something else after the pass, such as derivatives.
    """

    name: str
    requires: Properties
    ensures: Properties
    breaks: Properties
    rounding: Rounding | None = None
    keeps_results: bool = True

    def after(self, known: Properties) -> Properties:
        """Return the properties that hold after the pass if those in `known` hold before it."""
        return (known - self.breaks) | self.ensures


def in_order(name: str, contracts: Iterable[Contract]) -> Contract:
    """Return the contract of passes that run one after another, as if they were one pass.

    Its rounding is the coarsest of theirs. Raises `C042` if one pass breaks a property that a later
    one requires, and no pass between them ensures it.

    >>> named = Contract("to-a-normal-form", TYPED, frozenset({Property.A_NORMAL_FORM}), NONE)
    >>> fold = Contract("fold-constants", TYPED, NONE, frozenset({Property.A_NORMAL_FORM}))
    >>> [each.value for each in in_order("both", [fold, named]).ensures]
    ['A-normal form']
    """
    requires, known, broken_by = NONE, NONE, dict[Property, str]()
    roundings, keeps_results = list[Rounding](), True
    for each in contracts:
        keeps_results &= each.keeps_results
        roundings += () if each.rounding is None else (each.rounding,)
        for wanted in sorted(each.requires - known, key=lambda found: found.value):
            if wanted in broken_by:
                raise _out_of_order(each.name, wanted, broken_by[wanted])
        requires |= each.requires - known
        known = each.after(known | each.requires)
        broken_by |= dict.fromkeys(each.breaks, each.name)
    ensured = known - requires
    coarsest = max(roundings, key=lambda found: found.epsilon, default=None)
    return Contract(name, requires, ensured, frozenset(broken_by) - known, coarsest, keeps_results)


def _out_of_order(name: str, wanted: Property, breaker: str) -> CompileError:
    return CompileError(
        ErrorCode.C042,
        f"the pass {name} requires {wanted.value}, which the earlier pass {breaker} does not "
        "preserve",
        help=f"exchange the two passes, or {wanted.remedy} between them",
    )


def check_input(contract: Contract, known: Properties, module: Module) -> None:
    """Require the properties that a pass requires, unless they are known to hold (`C042`)."""
    for wanted in contract.requires - known:
        found = wanted.violation(module)
        if found is not None:
            lacks = f"requires a property that the program lacks: {wanted.value}"
            message = f"the pass {contract.name} {lacks}"
            raise CompileError(ErrorCode.C042, message, span=found.span, help=wanted.remedy)


def check_kept(name: str, wanted: Iterable[Property], module: Module) -> None:
    """Require that properties hold after the pass of that name (`C040`)."""
    for each in wanted:
        found = each.violation(module)
        if found is not None:
            lacks = f"the program lacks a property that it must have: {each.value}"
            message = f"after the pass {name}, {lacks}"
            help_ = "this is a defect of the pass: correct its code, or its `ensures` and `breaks`"
            raise CompileError(ErrorCode.C040, message, span=found.span, help=help_)
