"""Prints the loop IR for humans; the text cannot be parsed.

>>> from relay.kernels.scalar import Var
>>> i = Var("i")
>>> show(i * 4 + 1 < 8, Names())
'i*4 + 1 < 8'
"""

from collections.abc import Sequence

from relay.kernels.bounds_checks import BoundsCheck
from relay.kernels.lane_reductions import LaneReduction
from relay.kernels.loops import (
    Allocate,
    Block,
    Buffer,
    For,
    If,
    Invoke,
    Kernel,
    Let,
    Load,
    Prefetch,
    Stmt,
    Store,
    While,
)
from relay.kernels.packed_dot_products import DotProduct
from relay.kernels.passes.traverse_statements import is_nothing
from relay.kernels.scalar import (
    Apply,
    Binary,
    Broadcast,
    Cast,
    Compare,
    Const,
    Op,
    Ramp,
    Scalar,
    Select,
    Var,
)

_CALLS = {Op.MIN: "min", Op.MAX: "max"}
_TIGHT = (Op.MUL, Op.DIV, Op.FLOORDIV, Op.FLOORMOD, Op.REM)


class Names:
    """Unique names of variables and buffers: the hint, with a number if it is taken."""

    def __init__(self) -> None:
        self._of: dict[Var | Buffer, str] = {}
        self._taken: dict[str, int] = {}

    def __call__(self, thing: Var | Buffer) -> str:
        """Return the unique name of a variable or buffer."""
        name = self._of.get(thing)
        if name is None:
            count = self._taken.get(thing.name, 0)
            self._taken[thing.name] = count + 1
            name = self._of[thing] = f"{thing.name}.{count}" if count else thing.name
        return name


def text(kernel: Kernel) -> str:
    """Return a kernel as text."""
    names = Names()
    params = [_declared(buffer, names) for buffer in kernel.params]
    params += [f"{names(var)}: {var.dtype}" for var in kernel.scalars]
    lines = [f"kernel {kernel.name}({', '.join(params)}):", *_lines(kernel.body, names, 1)]
    return "\n".join(lines) + "\n"


def _declared(buffer: Buffer, names: Names) -> str:
    sizes = ", ".join(show(d, names) if isinstance(d, Scalar) else str(d) for d in buffer.shape)
    return f"{names(buffer)}: {buffer.dtype}[{sizes}]"


def _lines(stmt: Stmt, names: Names, depth: int) -> list[str]:
    """Return the lines of a statement; it recurses on the depth of loop nests."""
    pad = "  " * depth
    match stmt:
        case Block(stmts=stmts):
            return [line for one in stmts for line in _lines(one, names, depth)]
        case Store(buffer=buffer, indices=indices, value=value, mask=mask):
            place = _place(buffer, indices, names)
            where = "" if mask is None else f" where {show(mask, names)}"
            return [f"{pad}{place} = {show(value, names)}{where}"]
        case Prefetch(element=element):
            return [f"{pad}prefetch {show(element, names)}"]
        case Invoke(intrinsic=intrinsic, buffers=buffers, numbers=numbers):
            given = [*map(names, buffers), *_named(intrinsic.numbers, numbers, names)]
            return [f"{pad}{intrinsic.name}({', '.join(given)})"]
        case If(condition=condition, then=then, other=other):
            lines = [f"{pad}if {show(condition, names)}:", *_lines(then, names, depth + 1)]
            if is_nothing(other):
                return lines
            return [*lines, f"{pad}else:", *_lines(other, names, depth + 1)]
        case Let(var=var, value=value, body=body):
            return [f"{pad}let {names(var)} = {show(value, names)}", *_lines(body, names, depth)]
        case Allocate(buffer=buffer, body=body):
            head = f"{pad}{buffer.scope.value} {_declared(buffer, names)}"
            head += f" of {names(buffer.of)}" if buffer.of else ""
            return [head, *_lines(body, names, depth)]
        case _:
            return _loop_lines(stmt, names, depth)


def _named(labels: Sequence[str], numbers: Sequence[Scalar], names: Names) -> list[str]:
    """Return the numeric operands of an instruction with their labels, except zeros."""
    pairs = zip(labels, numbers, strict=True)
    return [f"{label}={show(n, names)}" for label, n in pairs if n != Const(0)]


def _loop_lines(stmt: Stmt, names: Names, depth: int) -> list[str]:
    pad = "  " * depth
    match stmt:
        case For(var=var, start=start, extent=extent, mode=mode, body=body, lanes=lanes):
            wide = f" in {lanes} lanes" if lanes else ""
            if stmt.backwards is not None:
                wide += f" backwards if {show(stmt.backwards, names)}"
            span = f"{show(start, names)} … < {show(start + extent, names)}"
            head = f"{pad}{mode.value} {names(var)} = {span}{wide}:"
            return [head, *_lines(body, names, depth + 1)]
        case While(condition=condition, body=body):
            return [f"{pad}while {show(condition, names)}:", *_lines(body, names, depth + 1)]
        case _:
            raise AssertionError(f"unknown statement {stmt}")


def _place(buffer: Buffer, indices: tuple[Scalar, ...], names: Names) -> str:
    return f"{names(buffer)}[{', '.join(show(i, names) for i in indices)}]"


def show(e: Scalar, names: Names) -> str:
    """Return an expression as text; the depth of the expression bounds the recursion."""
    match e:
        case Const(value=value):
            return str(value)
        case Var():
            return names(e)
        case Binary(op=op, a=a, b=b) if op in _CALLS:
            return f"{_CALLS[op]}({show(a, names)}, {show(b, names)})"
        case Binary(op=op, a=a, b=b):
            space = "" if op in _TIGHT else " "
            return f"{_operand(a, op, names)}{space}{op.value}{space}{_operand(b, op, names)}"
        case Compare(order=order, a=a, b=b):
            return f"{show(a, names)} {order.value} {show(b, names)}"
        case Load(buffer=buffer, indices=indices, mask=mask):
            where = "" if mask is None else f" where {show(mask, names)}"
            return f"{_place(buffer, indices, names)}{where}"
        case Select(condition=condition, then=then, other=other):
            return f"({show(then, names)} if {show(condition, names)} else {show(other, names)})"
        case _:
            return _call(e, names)


def _operand(e: Scalar, around: Op, names: Names) -> str:
    shown = show(e, names)
    match e:
        case Binary(op=op) if op not in _CALLS and not (op in _TIGHT and around is Op.ADD):
            return shown if op is around is Op.ADD else f"({shown})"
        case Compare():
            return f"({shown})"
        case Load(mask=mask) if mask is not None:
            return f"({shown})"
        case _:
            return shown


def _call(e: Scalar, names: Names) -> str:
    match e:
        case Apply(fn=fn, args=args):
            return f"{fn.value}({', '.join(show(a, names) for a in args)})"
        case Cast(operand=operand, dtype=dtype):
            return f"{dtype}({show(operand, names)})"
        case Ramp(base=base, stride=stride, lanes=lanes):
            return f"ramp({show(base, names)}, {show(stride, names)}, {lanes})"
        case Broadcast(operand=operand):
            return f"all({show(operand, names)})"
        case DotProduct(a=a, b=b, kinds=kinds):
            parts = ", ".join(map(str, kinds))
            return f"dot<{parts}>({show(a, names)}, {show(b, names)})"
        case LaneReduction(op=op, rows=rows):
            return f"fold({op.value}, {', '.join(show(row, names) for row in rows)})"
        case BoundsCheck(index=index, size=size, mask=mask):
            where = "" if mask is None else f" where {show(mask, names)}"
            return f"inside({show(index, names)}, {show(size, names)}){where}"
        case _:
            raise AssertionError(f"unknown expression {e}")
