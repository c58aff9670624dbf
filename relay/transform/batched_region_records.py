"""Records of batched regions (functions whose calls are deferred) and of their versions."""

from relay.ir.expr import Constant, Function
from relay.ir.field_validation import Mark
from relay.support.node import Value, replace, value

_KEY = "BatchedRegion"


@value
class Fixed(Value):
    """A parameter, given by its index, and the constant that it holds in some calls of a region."""

    index: int
    constant: Constant

    def __repr__(self) -> str:
        return f"{self.index} of {self.constant.type!r}"


@value
class TableVersion(Value):
    """The version of a batched region for calls whose arguments are rows of precomputed tables.

    Such arguments are results of another region, `leaf`, which depend on a single integer;
    `results` pairs the indices of the parameters with those of `leaf`'s results. The function
    `form` computes the calls; its last parameter is the integer, which replaces those parameters.
    """

    form: str
    leaf: str
    results: tuple[tuple[int, int], ...]


@value
class BatchedRegion(Mark):
    """The record of a batched region, an attribute of the function that performs one call.

    - `many` names the function that performs any number of calls. `shared` are the indices of the
      parameters that are the same in all calls.
    - `uniform` names the version for calls with more parameters in common, if there is one: the
      parameters in `alike` are the same in all of these calls, and those in `fixed` are constants
      inside that version. If `given` is not empty, the version computes only the results with these
      indices.
    - `behind` is the version for calls whose arguments are rows of precomputed tables, if any.
    """

    many: str
    shared: tuple[int, ...] = ()
    uniform: str | None = None
    alike: tuple[int, ...] = ()
    fixed: tuple[Fixed, ...] = ()
    given: tuple[int, ...] = ()
    behind: TableVersion | None = None

    @property
    def functions(self) -> tuple[str, ...]:
        """Return the names of the functions that are versions of the region."""
        behind = None if self.behind is None else self.behind.form
        return tuple(name for name in (self.many, self.uniform, behind) if name is not None)


def region_of(function: Function) -> BatchedRegion | None:
    """Return the record of a region; None for any other function."""
    region = function.attrs.get(_KEY)
    return region if isinstance(region, BatchedRegion) else None


def as_region(function: Function, region: BatchedRegion) -> Function:
    """Return a function with the record `region` attached as an attribute."""
    return replace(function, attrs={**function.attrs, _KEY: region})
