"""Extraction of intermediate values from programs, and operators of quantised models."""

from collections import Counter
from collections.abc import Iterator

from relay.ir.expr import Call, Constant, Expr, Function, Tuple, TupleGetItem
from relay.ir.field_validation import require_index
from relay.ir.module import ENTRY, Module, ModuleLike, module_of
from relay.ir.walk import free_vars, post_order
from relay.opdef.definition import OperatorDef
from relay.opdef.table import OPERATORS
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError


def extract_intermdeiate_expr(mod: ModuleLike, expr_id: int) -> Module:
    """Return a module whose `main` computes an intermediate value of the `main` of `mod`.

    Calls, tuples and projections are counted from 0, in order of evaluation. The parameters are the
    variables that the value needs. Raises `U076` if there is no value with the number `expr_id`.
    (The spelling is TVM's.)

    >>> from relay.frontend.text import parse
    >>> text = "def @main(%x: Tensor[(2), float32]) { exp(tanh(%x) + 1f) }"
    >>> print(extract_intermdeiate_expr(parse('#[version = "0.0.5"]' + text), 1))
    #[version = "0.0.5"]
    def @main(%x: Tensor[(2), float32]) -> Tensor[(2), float32] {
      %0 = tanh(%x);
      add(%0, 1f)
    }
    """
    module = module_of(mod)
    order = post_order(module.main.body)
    values = [expr for expr in order if isinstance(expr, Call | Tuple | TupleGetItem)]
    number = require_index("the number of an intermediate value", expr_id)
    if not 0 <= number < len(values):
        message = f"the function main has no intermediate value with the number {number}"
        help_ = f"pass a number from 0 to {len(values) - 1}"
        raise UsageError(ErrorCode.U076, message, help=help_)
    value = values[number]
    return module.with_function(ENTRY, Function(tuple(free_vars(value)), value))


def list_fake_quantized_op_freqs(program: Expr | ModuleLike) -> dict[str, int]:
    """Return how often each operator is called between dequantising and quantising, by name.

    Such a call reads only constants and dequantised values, at least one of the latter, and its
    result is quantised again. There may be several such calls in a row between the two.
    """
    roots = program.module.functions.values() if isinstance(program, ModuleLike) else (program,)
    order = post_order(*roots)
    quantize, dequantize = (OPERATORS.find(f"qnn.{each}") for each in ("quantize", "dequantize"))
    real = {expr for expr in order if isinstance(expr, Call) and isinstance(expr.op, dequantize)}
    between: dict[Expr, OperatorDef] = {}
    for expr in order:
        match expr:
            case Call(OperatorDef() as op) if expr not in real:
                parts = [each for each in _operands(expr) if not isinstance(each, Constant)]
                if parts and all(each in real or each in between for each in parts):
                    between[expr] = op
            case _:
                pass
    needed: set[Expr] = set()
    for expr in reversed(order):
        is_end = isinstance(expr, Call) and isinstance(expr.op, quantize)
        if isinstance(expr, Call) and (is_end or (expr in needed and expr in between)):
            needed.update(_operands(expr))
    return dict(Counter(op.name for expr, op in between.items() if expr in needed))


def _operands(call: Call) -> Iterator[Expr]:
    """Yield the tensors that are operands of a call, including those inside tuples."""
    stack = [*call.args][::-1]
    while stack:
        match stack.pop():
            case Tuple(fields):
                stack.extend(reversed(fields))
            case TupleGetItem(whole):
                stack.append(whole)
            case other:
                yield other
