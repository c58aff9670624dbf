"""Loops, lists and writing in place as people write them: `test_everyday.py` asks Python.

What stands here has the value that plain Python and NumPy give, evaluated and compiled.
"""

# fmt: off
# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportGeneralTypeIssues=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportPossiblyUnboundVariable=false, reportReturnType=false, reportRedeclaration=false
# pyright: reportOptionalMemberAccess=false, reportUnusedExpression=false, reportMatchNotExhaustive=false
import numpy as np

from relay.frontend.python import Tensor, float32, function, int32
from tests.frontend.python.everyday_cases import Cases, normal, noting, whole

CASES: Cases = []
on = noting(CASES)


@on(5)
@function
def loopvar2(n: int):
    for i in range(10):
        pass
    return i + n


@on(5)
@on(20)
@function
def whileelse(n: int):
    i = 0
    while i < 10:
        if i == n:
            break
        i += 1
    else:
        i = 100
    return i


@on(3, 4)
@function
def swap(a: int, b: int):
    a, b = b, a + b
    (a, b), c = (b, a), 5
    return a, b, c


@on(1)
@function
def shadow(x: int):
    max = x + 1
    sum = max + 2
    len = 3
    return sum * len


@on(1)
@function
def shadowf(x: int):
    def max(a, b):
        return a - b
    return max(x, 4)


@on(normal(4), 2)
@function
def range_var_step(x: Tensor[4], k: int):
    t = 0.0
    for i in range(0, 4, k):
        t += x[i]
    return t


@on(10, 0, -3)
@function
def range_var_down(a: int, b: int, k: int):
    t = 0
    for i in range(a, b, k):
        t = t * 10 + i
    return t


@on(3)
@function
def i_before(n: int):
    i = 0
    for i in range(n):
        pass
    return i


@on(3)
@function
def i_changed(n: int):
    t = 0
    for i in range(n):
        i = i * 10
        t += i
    return t


@on(normal(5))
@function
def star_target(x: Tensor[5]):
    a, *b = (1.0, 2.0, 3.0)
    return x * a + b[0] + b[1]


@on(normal(3))
@function
def unpack_tensor(x: Tensor[3]):
    a, b, c = x
    return a + b * c


@on(normal(3, 4))
@function
def unpack_shape(x: Tensor["n", "m"]):
    n, m = x.shape
    return x.reshape(n * m), n, m


@on(normal(3, 4))
@function
def shape_arith(x: Tensor["n", "m"]):
    b, d = x.shape
    h = 2
    y = x.reshape(b, h, d // h)
    return y.transpose(1, 0, 2), b + d, b * 2, d / 2


@on(normal(3, 4))
@on(normal(4, 4))
@function
def shape_if(x: Tensor["n", "m"]):
    if x.shape[0] == x.shape[1]:
        return x.sum()
    return x.mean()


@on(normal(3, 4))
@function
def assert_shape(x: Tensor["n", 4]):
    assert x.ndim == 2, f"want 2, got {x.ndim}"
    assert x.shape[1] == 4
    if x.shape[1] != 4:
        raise ValueError(f"bad {x.shape}")
    return x.sum()


@on(normal(4))
@function
def list_append(x: Tensor[4]):
    out = []
    for i in range(4):
        out.append(x[i] * i)
    return np.stack(out)


@on(normal(4))
@function
def list_build(x: Tensor[4]):
    out = []
    for w in (1.0, 2.0):
        out = out + [x * w]
        out += [x]
    return np.concatenate(out)


@on(normal(4))
@function
def break_written(x: Tensor[4]):
    t = 0.0
    for w in (1.0, 2.0, 3.0):
        if t > x[0]:
            break
        t += w
    return t


@on(normal(4))
@function
def continue_written(x: Tensor[4]):
    t = 0.0
    for i, w in enumerate((1.0, 2.0, 3.0)):
        if x[i] > 0:
            continue
        t += w
    return t


@on(normal(4))
@function
def static_break(x: Tensor[4]):
    t = x
    for i, w in enumerate((1.0, 2.0, 3.0)):
        if i == 2:
            break
        t = t * w
    return t


@on(normal(4))
@function
def return_written(x: Tensor[4]) -> float32:
    for w in (1.0, 2.0, 3.0):
        if x[0] < w:
            return w
    return 0.0


@on(normal(3, 3))
@function
def nested_break(x: Tensor[3, 3]):
    r = -1
    for i in range(3):
        for j in range(3):
            if x[i, j] > 0.5:
                r = i * 3 + j
                break
        if r >= 0:
            break
    return r


@on(normal(3))
@function
def alias11(x: Tensor[3]):
    y = x * 1
    z = y.astype(np.float32)
    y += 1
    return z


@on(normal(3))
@function
def alias13(x: Tensor[3]):
    y = x * 1
    z = np.where(True, y, y)
    z += 1
    return y


@on(whole([1,2,3]))
@function
def setitem_dtype(x: Tensor[3, int32]):
    y = x * 1
    y[0] = 2.7
    return y


@on(normal(3, 4))
@function
def setitems(x: Tensor[3, 4]):
    y = x.copy()
    y[0] = 1
    y[:, 1] = 2
    y[1, 2:] = 0
    y[-1, -1] = 7
    y[..., 0] = 4
    y[::2] = 3
    return y


@on(normal(3, 4))
@function
def setmask(x: Tensor[3, 4]):
    y = x.copy()
    y[y < 0] = 0
    y[x > 1] *= 2
    return y


@on(normal(4), True)
@function
def list_in_branch(x: Tensor[4], c: bool):
    rows = [x]
    if c:
        rows.append(x * 2)
    else:
        rows.append(x * 3)
    return np.stack(rows)


@on(normal(4), 3)
@function
def shadow_range(x: Tensor[4], range: int):
    return x * range


@on(normal(4))
@function
def annot(x: Tensor[4]):
    y: Tensor[4] = x * 2
    k: int = 3
    z: float = 2
    return y * k * z


@on(5)
@function
def while_else_ret(n: int) -> int:
    while n > 0:
        n -= 2
        if n == 1:
            return 7
    else:
        return 8
    return 9


@on(normal(5))
@function
def enumerate_start(x: Tensor[5]):
    t = 0.0
    for k, v in enumerate(x, start=1):
        t += k * v
    for k, v in enumerate(x, 2):
        t += k * v
    for a, (b, c) in enumerate(zip(x, x * 2)):
        t += a * b * c
    return t


@on(normal(3, 4))
@function
def rowswap2(x: Tensor[3, 4]):
    y = x.copy()
    y[[0, 1]] = y[[1, 0]]
    return y


@on(normal(4))
@function
def list_item_write(x: Tensor[4]):
    rows = [x * 1, x * 2]
    rows[0] = x * 5
    return rows[0] + rows[1]


@on(normal(4))
@function
def list_item_aug(x: Tensor[4]):
    rows = [x * 1, x * 2]
    rows[0] += 1
    return rows[0] + rows[1]


@on(3)
@function
def augtuple(n: int):
    t = (1, 2)
    t += (n,)
    return t


@on(0)
@function
def cond_effects(n: int):
    return 10 // n if n != 0 else -1


@on(normal(2, 3))
@function
def zip_with_a_list(y: Tensor[2, 3]):
    total = np.zeros(3, np.float32)
    for row, k in zip(y, (1.0, 2.0)):
        total = total + row * k
    for i, (row, k) in enumerate(zip(y, [1.0, 2.0, 3.0])):
        total = total * k + row * i
    for row, (a, b) in zip(y, ((1.0, 2), (3.0, 4))):
        if a > 2:
            continue
        total = total + row * a + b
    return total


@on(normal(2, 3))
@function
def zip_of_a_range_and_a_list(y: Tensor[2, 3]):
    total = np.zeros(3, np.float32)
    for i, k in zip(range(5), [1.0, 2.0]):
        total = total + y[i] * k + i
    return total


@on(normal(3))
@function
def stack_machine(x: Tensor[3]):
    stack = []
    for op in ("x", "y", "+", "z", "*", "neg"):
        if op == "+":
            b = stack.pop()
            a = stack.pop()
            stack.append(a + b)
        elif op == "*":
            b = stack.pop(-1)
            a = stack.pop(0)
            stack.append(a * b)
        elif op.startswith("n"):
            stack.append(-stack[0])
            stack.pop(0)
        else:
            stack.append(x["xyz".index(op)])
    return stack[-1], len(stack), len("abc".upper())
