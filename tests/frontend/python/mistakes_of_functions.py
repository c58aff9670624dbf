"""What newcomers get wrong with functions: `# F…` ends the line at which each error stands."""

# fmt: off
# pyright: basic, reportArgumentType=false, reportAssignmentType=false, reportAttributeAccessIssue=false
# pyright: reportCallIssue=false, reportMatchNotExhaustive=false, reportOperatorIssue=false
# pyright: reportPossiblyUnboundVariable=false, reportUnboundVariable=false, reportReturnType=false, reportUndefinedVariable=false
import textwrap
from collections.abc import Callable

import numpy as np

from relay.frontend.python import Tensor, data, float32, function, int32


@function
def no_annotation(x, y: float32) -> float32:  # F102 19 1 the parameter x has no type annotation
    return x + y


@function
def star_arguments(*xs: float32) -> float32:  # F104 21 11 the starred parameter xs cannot have an annotation
    return xs


@function
def untyped_recursion(n: int32):
    return n * untyped_recursion(n - 1)  # F103 16 24 the recursive function untyped_recursion needs an annotation for its result


@function
def calls_a_library(x: float32) -> float32:
    return textwrap.dedent(x)  # F117 12 18 dedent is a function of a Python library, which a Relay function cannot call


@function
def prints(x: float32) -> float32:
    print(x)  # F117 5 8 print cannot be called inside a Relay function, which has no output but its result
    return x


@function
def one(x: float32) -> float32:
    return x


@function
def too_many(x: float32) -> float32:
    return one(x, x)  # F118 12 9 the function one takes 1 argument, but 2 were passed


@function
def unknown_keyword(x: Tensor[3]) -> float32:
    return np.sum(x, axes=0)  # F118 12 17 the function sum has no parameter axes


@function
def returns_lambda(x: float32) -> float32:
    return lambda y: y + x  # F129 12 15 the function lambda is used as a value, but its parameters have no types


@function
def chained_in_a_loop(x: Tensor[3], n: int) -> Tensor[3]:
    f = lambda y: y + 1.0
    for k in range(n):  # F110 14 8 the loop changes f, which is not a number, an array or a data object
        f = lambda y, g=f, k=k: g(y) * 0.5 + k
    return f(x)


@function
def made_reads_what_changed(x: float32) -> float32:
    y = x * 2
    def make(k: float32) -> Callable[[float32], float32]:
        return lambda a: a * k + y
    f = make(2.0)
    y = y + 1
    return f(x)  # F127 12 4 a function that is called here uses the variable y, which cannot be assigned again after the function is defined


SCALE = 5.0


@function
def read_before_it_is_assigned(x: float32) -> float32:
    y = x * SCALE  # F109 13 5 SCALE has no value yet: the function assigns SCALE elsewhere, which makes it a local variable in the whole function
    SCALE = 2.0
    return y


@function
def called_before_it_is_assigned(x: float32) -> float32:
    def scaled(y: float32) -> float32:
        return y * k  # F109 20 1 k has no value yet: the function assigns k elsewhere, which makes it a local variable in the whole function
    z = scaled(x)
    k = 2.0
    return z


@function
def late_without_types(n: int32) -> bool:
    def even(n):
        return True if n == 0 else odd(n - 1)
    def odd(n):
        return False if n == 0 else even(n - 1)  # F103 37 11 the recursive function even needs annotations for its parameters and its result
    return even(n)


@function
def largest_of_tuples(x: float32) -> float32:
    return max((x, 1.0), (2.0, x))[0]  # F112 12 23 max() cannot compare tuples or lists such as (float32, 1.0)


@function
def sorted_along_no_axis(x: Tensor[3, 4]) -> Tensor[3, 4]:
    return np.sort(x, axis=())  # F120 12 19 the parameter axis must be one number, not ()


@function
def padded_by_an_open_size(x: Tensor["n"]) -> Tensor["m"]:
    k = len(x)
    return np.pad(x, (k // 2, k // 2))  # F120 12 27 the function pad needs constant sizes, but a size passed here is known only at run time


@function
def an_item_by_its_place(x: Tensor[2, 3]) -> float32:
    return x.item(0, 0, 1)  # F112 12 15 x.item() of Tensor[(2, 3), float32] is called with 3 indices


@function
def an_item_of_several(x: Tensor[2, 3]) -> float32:
    return x.item()  # F112 12 8 x.item() of Tensor[(2, 3), float32] is called with 0 indices


@function
def a_list_as_long_as_it_turns_out(n: int32) -> int32:
    counts = [0] * n  # F112 14 7 a list cannot be repeated n times if n is known only when the program runs
    return counts[0]


@function
def an_index_of_unknown_brackets(m: Tensor[3, 2]) -> Tensor[2]:
    return m[divmod(3, 2)]  # F111 12 15 expected a value of type Tensor[(2,), float32], found float32


@function
def adds_at_places(x: Tensor[3], at: Tensor["n", int32]) -> Tensor[3]:
    np.add.reduceat(x, at)  # F119 5 22 there is no operator or function named add.reduceat
    return x


@function
def a_size_by_a_name_alone(x: Tensor["n"]) -> Tensor["k"]:
    return x[1:]  # F111 12 5 expected a value of type Tensor[(k,), float32], found Tensor[(n + -1,), float32]


@function
def joins_open_lists(x: Tensor["n"]) -> float32:
    a = [v + 1 for v in x]
    return sum(a + a)  # F116 16 5 the length of this list is known only when the program runs, so the list cannot be changed


@function
def writes_to_an_open_list(x: Tensor["n"]) -> float32:
    a = [v + 1 for v in x]
    a[0] = 5.0  # F116 5 4 the length of this list is known only when the program runs, so the list cannot be changed
    return sum(a)


@function
def an_open_list_of_rows(x: Tensor["n", 2]) -> Tensor["n", 2]:
    return np.array([r * 2 for r in x])  # F107 21 18 the items of a list of unknown length must be numbers, not values of type Tensor[(2,), float32]


@function
def an_open_list_as_result(x: Tensor["n"]) -> Tensor["n"]:
    return [v + 1 for v in x]  # F130 12 18 the length of a list of float32 is unknown, so that it cannot be returned or passed on


@function
def chooses_between_other_functions(c: bool, x: Tensor[3]) -> float32:
    def first(v: Tensor[3]) -> float32:
        return v[0]

    def rest(v: Tensor[3]) -> Tensor[2]:
        return v[1:]

    f = first if c else rest
    return f(x)  # F113 12 4 the result has type float32 on one path, but Tensor[(2,), float32] on another


@function
def raises_on_every_path(x: float32):
    if x > 0:  # F123 5 19 every path of this function raises an exception, so the type of its result is unknown
        raise ValueError
    else:
        raise TypeError
