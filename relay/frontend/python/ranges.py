"""`np.arange` of what is known only when the program runs."""

from relay.frontend.python.array_making import counted
from relay.frontend.python.errors import mistake
from relay.frontend.python.invocation import Invocation
from relay.frontend.python.operations import cast, together
from relay.frontend.python.operators import attribute
from relay.frontend.python.values import Size, Static, Value
from relay.ir.expr import Call, Constant, Expr
from relay.ops.creation import Arange
from relay.ops.functions import core
from relay.support.dtype import dtype as to_dtype

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
    first, last, step = parts
    plain = [part.content if isinstance(part, Static) else None for part in (first, step)]
    if isinstance(last, Size) and plain == [0, 1]:
        return counted(last.dim)
    start, stop, by = together(parts, each.span)
    if all(isinstance(part, Constant) for part in (start, stop, by)):
        known = [part.data.item() for part in (start, stop, by) if isinstance(part, Constant)]
        return Call(Arange(*known), (start, stop, by), span=each.span)
    ones = core.ones(core.reshape(count_of(start, stop, by), (1,)), start.tensor_type.dtype)
    return start + by * (core.cumsum(ones, 0) - 1)


def count_of(start: Expr, stop: Expr, step: Expr) -> Expr:
    """Return how many numbers there are: the quotient, rounded up, and not below 0."""
    if start.tensor_type.dtype.is_float:
        count = core.cast(core.ceil((stop - start) / step), "int32")
    else:
        count = core.cast(-core.floor_divide(start - stop, step), "int32")
    return core.maximum(count, 0)
