"""Batched regions: the records that relate a region to its other versions."""

from relay.ir.expr import Constant, Function
from relay.ir.validation import Mark
from relay.support.node import Value, replace, value

_KEY = "BatchedRegion"


@value
class Fixed(Value):
    """A parameter, by its number, and a constant that it is in some calls."""

    index: int
    constant: Constant

    def __repr__(self) -> str:
        return f"{self.index} of {self.constant.type!r}"


@value
class TableVersion(Value):
    """The form of a region for calls that are given rows of tables.

    `results` are parameters, and the results of another region, `leaf`, that they are there: those
    of a call of which all but a number is fixed. The form takes that number, last, in their place.
    """

    form: str
    leaf: str
    results: tuple[tuple[int, int], ...]


@value
class BatchedRegion(Mark):
    """The record of a region, kept by the function that makes one of its calls.

    - `many` names the function that makes any number of calls. `shared` are the numbers of the
      parameters that are the same in all of them.
    - `uniform` names the function that makes calls which have more in common, if there is one:
      those of `alike` are the same there, and `fixed` parameters are these constants, which it has
      itself. Where `given` says so, it makes some results only, those of these numbers.
    - `behind` is the form for calls that are given its results.
    """

    many: str
    shared: tuple[int, ...] = ()
    uniform: str | None = None
    alike: tuple[int, ...] = ()
    fixed: tuple[Fixed, ...] = ()
    given: tuple[int, ...] = ()
    behind: TableVersion | None = None


def region_of(function: Function) -> BatchedRegion | None:
    """Return the record of a function that is a region."""
    region = function.attrs.get(_KEY)
    return region if isinstance(region, BatchedRegion) else None


def as_region(function: Function, region: BatchedRegion) -> Function:
    """Return a function with the record of a region."""
    return replace(function, attrs={**function.attrs, _KEY: region})
