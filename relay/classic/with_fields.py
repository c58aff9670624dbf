"""TVM's functions that copy expressions with changed fields: `CallWithFields`.

`CallWithFields(call, args=[x, y])` returns a copy of a call with other arguments. A field that is
None is not changed; if nothing changes, the result is the expression itself. If a new field has
another type, the type of the copy is recomputed.

>>> from relay.ops.functions import var
>>> from relay.ops.functions.core import exp
>>> x, y = var("x", shape=(2,)), var("y", shape=(3,))
>>> CallWithFields(exp(x), args=[y]).checked_type
Tensor[(3,), float32]
>>> call = exp(x)
>>> CallWithFields(call, call.op, [x]) is call
True
"""

import operator
from collections.abc import Callable, Iterable
from inspect import Parameter, Signature
from typing import Any, cast

from relay.ir.expr import Call, Constant, Expr, Function, If, Let, Tuple, TupleGetItem
from relay.ir.field_validation import require
from relay.ir.match_patterns import Match
from relay.ir.reference_cells import RefCreate, RefRead, RefWrite
from relay.support.errors import missing
from relay.support.node import replace


def _copier(cls: type[Expr], **fields: str) -> Callable[..., Any]:
    """Return a function that copies nodes of class `cls` with changed fields.

    `fields` maps TVM's argument names to the names of fields here.
    """
    name = f"{cls.__name__}WithFields"
    names = ("node", *fields, "virtual_device", "span")
    signature = Signature(
        [
            Parameter(each, Parameter.POSITIONAL_OR_KEYWORD, default=default)
            for each, default in zip(names, (Parameter.empty, *[None] * len(names)), strict=False)
        ]
    )

    def copy(*args: Any, **named: Any) -> Any:
        given = signature.bind(*args, **named).arguments
        node = given.pop("node")
        require(cls, f"the node of {name}", node)
        if given.pop("virtual_device", None) is not None:
            raise missing(
                "the field virtual_device",
                "set the device of a value: relay.annotation.on_device(x, 'npu')",
            )
        ours = {fields.get(key, key): new for key, new in given.items() if new is not None}
        changes = {key: new for key, new in ours.items() if not _same(getattr(node, key), new)}
        return replace(node, **changes, ty=None) if changes else node

    copy.__name__ = copy.__qualname__ = name
    vars(copy)["__signature__"] = signature
    return copy


def _same(old: object, new: object) -> bool:
    """Whether a field is unchanged: the same object, or a list of the same objects."""
    if not isinstance(old, tuple) or not isinstance(new, Iterable):
        return old is new
    parts, others = cast("tuple[object, ...]", old), list(cast("Iterable[object]", new))
    return len(parts) == len(others) and all(map(operator.is_, parts, others))


ConstantWithFields = _copier(Constant, data="array")
TupleWithFields = _copier(Tuple, fields="fields")
LetWithFields = _copier(Let, let_var="var", value="value", body="body")
IfWithFields = _copier(If, cond="condition", true_branch="then", false_branch="other")
TupleGetItemWithFields = _copier(TupleGetItem, tuple_value="tuple_value", index="index")
RefCreateWithFields = _copier(RefCreate, value="value")
RefReadWithFields = _copier(RefRead, ref="ref")
RefWriteWithFields = _copier(RefWrite, ref="ref", value="value")
MatchWithFields = _copier(Match, data="data", clauses="clauses", complete="complete")
FunctionWithFields = _copier(
    Function,
    params="params",
    body="body",
    ret_type="result",
    ty_params="type_params",
    attrs="attrs",
)


def CallWithFields(  # noqa: N802 - the classic name
    call: Call,
    op: Expr | None = None,
    args: Iterable[Expr] | None = None,
    attrs: Any = None,
    type_args: Iterable[Any] | None = None,
    virtual_device: None = None,
    span: Any = None,
) -> Call:
    """Return a call with another callee, other arguments, attributes or type arguments."""
    callee = call.op if op is None else op
    if attrs is not None:
        callee = Call(callee, call.args if args is None else tuple(args), attrs).op
    return _call(call, callee, args, type_args, virtual_device, span)


_call = _copier(Call, op="op", args="args", type_args="type_arguments")
