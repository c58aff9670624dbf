"""`np.arange` of what is known only when the program runs."""

from collections.abc import Callable, Sequence

from relay.frontend.python.errors import mistake
from relay.frontend.python.invocation import Invocation
from relay.frontend.python.operations import cast, together
from relay.frontend.python.operators import attribute
from relay.frontend.python.values import Size, Static, Value
from relay.ir.dims import AnyDim, Dim
from relay.ir.expr import Call, Constant, Expr
from relay.ops.functions import core
from relay.ops.tensor.ranges import Arange
from relay.support.dtype import dtype as to_dtype
from relay.support.errors import RelayError

_NAMES = ("start", "stop", "step", "dtype")


def arange(each: Invocation) -> Expr:
    """Return the numbers of a range, in a tensor whose size is one of the program or open.

    Raises `F118` for arguments that `np.arange` does not take.
    """
    given: dict[str, Value] = dict(zip(_NAMES, each.args, strict=False))
    unknown = [name for name in each.keywords if name not in _NAMES or name in given]
    if unknown or len(each.args) > len(_NAMES):
        raise mistake(
            "F118", "arange takes other arguments", each.span, "it is np.arange(start, stop, step)"
        )
    given |= each.keywords
    if "stop" not in given:
        given["stop"], given["start"] = given["start"], Static(0)
    made = _numbers(each, [given["start"], given["stop"], given.get("step", Static(1))])
    wanted = given.get("dtype")
    if wanted is None or (isinstance(wanted, Static) and wanted.content is None):
        return made
    return cast(made, to_dtype(attribute(wanted, each.span)), each.span)


def _numbers(each: Invocation, parts: list[Value]) -> Expr:
    exprs = together(parts, each.span)
    known = [_known(part, expr) for part, expr in zip(parts, exprs, strict=True)]
    return _built(lambda: Arange(*known), exprs, each)


def _known(part: Value, expr: Expr) -> Dim | float | None:
    """Return a number or a size of the program; None for what is found at run time."""
    if isinstance(expr, Constant):
        return expr.data.item()
    return part.dim if isinstance(part, Size) and not isinstance(part.dim, AnyDim) else None


def _built(make: Callable[[], Arange], exprs: Sequence[Expr], each: Invocation) -> Expr:
    try:
        return Call(make(), tuple(exprs), span=each.span)
    except RelayError as error:
        raise error.at(each.span) from None


def count_of(start: Expr, stop: Expr, step: Expr) -> Expr:
    """Return how many numbers there are: the quotient, rounded up, and not below 0."""
    if start.tensor_type.dtype.is_float:
        count = core.cast(core.ceil((stop - start) / step), "int32")
    else:
        count = core.cast(-core.floor_divide(start - stop, step), "int32")
    return core.maximum(count, 0)
