"""What people write in their first hour; `newcomers.txt` has what they are told.

Every message is reviewed for whether it says what to write instead.
"""

# fmt: off
# pyright: basic, reportArgumentType=false, reportAssignmentType=false, reportAttributeAccessIssue=false
# pyright: reportCallIssue=false, reportMatchNotExhaustive=false, reportOperatorIssue=false
# pyright: reportPossiblyUnboundVariable=false, reportReturnType=false, reportIndexIssue=false
# pyright: reportGeneralTypeIssues=false, reportSelfClsParameterName=false
# pyright: reportOptionalMemberAccess=false, reportPrivateImportUsage=false, reportUnhashable=false
import math
import random
from typing import Generic, List, Optional, TypeVar

import numpy as np

import relay
from relay.frontend.python import Tensor, data, float32, function, int32

T = TypeVar("T")
WEIGHT = np.ones((4, 3), np.float32)
NAMES = {"a": 1}
counter = 0


@data
class Leaf:
    value: float32


@data
class Node:
    left: "Tree"
    right: "Tree"


Tree = Leaf | Node


@data
class Nil(Generic[T]):
    pass


@data
class Cons(Generic[T]):
    head: T
    tail: "Items[T]"


Items = Nil[T] | Cons[T]


@function
def catches_errors(x: float32) -> float32:
    try:
        return 1 / x
    except ZeroDivisionError:
        return 0.0


@function
def opens_a_context(x: Tensor[3]) -> Tensor[3]:
    with np.errstate(divide="ignore"):
        return 1 / x


@function
def counts_calls(x: float32) -> float32:
    global counter
    counter += 1
    return x


@function
def checks_arguments(x: Tensor[3, 4]) -> float32:
    if x.ndim != 1:
        raise ValueError(f"a vector is wanted, not {x.ndim} axes")
    return x.sum()


@function
def draws_a_number(x: Tensor[3]) -> Tensor[3]:
    return x + np.random.normal(size=3)


@function
def forgets_a_type(x, scale: float32) -> Tensor[3]:
    return x * scale


@function
def other_shape_in_a_branch(x: Tensor[2, 3], flat: bool) -> Tensor[6]:
    if flat:
        y = x.reshape(6)
    else:
        y = x.reshape(3, 2)
    return y


@function
def variable_of_one_branch(x: float32) -> float32:
    if x > 0:
        sign = 1.0
    elif x < 0:
        sign = -1.0
    return sign * x


@function
def one_case_only(tree: Tree) -> float32:
    match tree:
        case Leaf(value):
            return value


@function
def misses_a_case_inside(tree: Tree) -> float32:
    match tree:
        case Leaf(value):
            return value
        case Node(Leaf(a), Leaf(b)):
            return a + b


@function
def guards_a_case(tree: Tree) -> float32:
    match tree:
        case Leaf(value) if value > 0:
            return value
        case Node():
            return 0.0


@function
def prints_in_the_middle(x: float32) -> float32:
    y = x * 2
    print("y is", y)
    return y


@function
def list_for_a_tensor(x: Tensor[3]) -> Tensor[3]:
    return scaled([1.0, 2.0, 3.0], 2.0) + x


@function
def scaled(x: Tensor[3], by: float32) -> Tensor[3]:
    return x * by


@function
def annotates_a_list(x: List[float]) -> float:
    return sum(x)


@function
def optional_argument(x: Optional[float32]) -> float32:
    return 0.0 if x is None else x


@function
def grows_in_a_loop(x: Tensor["n"]) -> Tensor["n"]:
    result = np.zeros(1)
    while result.size < 8:
        result = np.concatenate([result, x])
    return result


@function
def counts_as_a_float(n: int32) -> int32:
    total = 0
    for i in range(n):
        total = total + i / 2
    return total


@function
def both_of_tensors(x: Tensor[3], y: Tensor[3]) -> float32:
    return x.sum() if x > 0 and y > 0 else 0.0


@function
def if_a_tensor(x: Tensor[3]) -> Tensor[3]:
    if x > 0:
        return x
    return -x


@function
def masks(x: Tensor[5]) -> Tensor[5]:
    y = x.copy()
    y[x > 0] = np.sqrt(x[x > 0])
    return y


@function
def computed_size(n: int32) -> Tensor["n"]:
    return np.zeros(n).reshape(n, 1)


@function
def looks_up_a_dictionary(n: int32) -> int32:
    return NAMES[n]


@function
def asks_for_the_class(tree: Tree) -> float32:
    if isinstance(tree, Leaf):
        return tree.valeu
    return 0.0


@function
def takes_a_field(tree: Tree) -> float32:
    return tree.value + tree.key


@function
def wrong_product(x: Tensor[3]) -> Tensor[3]:
    return x @ WEIGHT


@function
def wrong_broadcast(x: Tensor["n", 3], y: Tensor[4]) -> Tensor["n", 3]:
    return x + y


@function
def formats_a_text(x: float32) -> float32:
    label = f"x = {x}"
    return x


@function
def any_number_of_arguments(*xs: float32) -> float32:
    return sum(xs)


@function
def generates(n: int32) -> int32:
    for i in range(n):
        yield i


@function
def sorts(x: Tensor[4]) -> Tensor[4]:
    return sorted(x)


@function
def negative_exponent(n: int32) -> int32:
    return 3_000_000_000 * n


@function
def returns_a_text(x: float32) -> float32:
    if x > 0:
        return "positive"
    return x


@function
def misses_the_return(x: Tensor[3]) -> float32:
    total = 0.0
    for value in x:
        total += value


@function
def slices_too_deep(x: Tensor[3]) -> float32:
    return x[0][1]


@function
async def waits(x: float32) -> float32:
    return x


@function
def several_axes(x: Tensor[3, 4]) -> Tensor[3]:
    return x.sum(axis=2)


@function
def misspelt_axis(x: Tensor[3, 4]) -> Tensor[3]:
    return np.sum(x, dim=1)


@function
def unknown_function(x: Tensor[3]) -> Tensor[3]:
    return np.softmax(x)


@function
def calls_too_much(x: Tensor[3]) -> Tensor[3]:
    return scaled(x, 2.0, 3.0)


@function
def changes_a_field(leaf: Leaf, n: int32):
    leaf.value = n * 1.0
    return leaf.value
