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
def no_annotation(x, y: float32) -> float32:  # F102 19 1 the parameter x has no type
    return x + y


@function
def star_arguments(*xs: float32) -> float32:  # F104 21 11 xs: every parameter has its place
    return xs


@function
def untyped_recursion(n: int32):
    return n * untyped_recursion(n - 1)  # F103 16 24 untyped_recursion calls itself, so its result needs an annotation


@function
def calls_a_library(x: float32) -> float32:
    return textwrap.dedent(x)  # F117 12 18 dedent is a function of a library, not of Relay


@function
def prints(x: float32) -> float32:
    print(x)  # F117 5 8 print: a program has no output
    return x


@function
def one(x: float32) -> float32:
    return x


@function
def too_many(x: float32) -> float32:
    return one(x, x)  # F118 12 9 one takes 1 arguments, not 2


@function
def unknown_keyword(x: Tensor[3]) -> float32:
    return np.sum(x, axes=0)  # F118 12 17 sum has no argument axes


@function
def late_capture(x: float32) -> float32:
    y = x

    def inner(z: float32) -> float32:
        return z + y

    y = x + 1
    return inner(x)  # F127 12 5 inner reads y, which may be another value than where inner was defined


@function
def returns_lambda(x: float32) -> float32:
    return lambda y: y + x  # F129 12 15 the parameters of lambda have no types


@function
def chained_in_a_loop(x: Tensor[3], n: int) -> Tensor[3]:
    f = lambda y: y + 1.0  # F129 9 17 the parameters of lambda have no types
    for k in range(n):
        f = lambda y, g=f, k=k: g(y) * 0.5 + k
    return f(x)


@function
def chosen_reads_what_changed(x: Tensor[3], c: bool) -> Tensor[3]:
    y = x * 2
    f = (lambda: y) if c else (lambda: x)
    y = y + 1
    return f() + y  # F127 12 1 f reads y, which may be another value than where f was defined


@function
def chosen_defs_read_what_changed(x: float32, c: bool) -> float32:
    y = x * 2
    def plus(a: float32) -> float32:
        return a + y
    def same(a: float32) -> float32:
        return a
    f = plus if c else same
    y = y + 1
    return f(x) + y  # F127 12 1 f reads y, which may be another value than where f was defined


@function
def write_around(x: Tensor[3]) -> Tensor[3]:
    y = x * 2
    def put(k: int32, v: float32) -> int32:
        y[k] = v  # F116 9 4 put writes into y, which is a variable of the function around it
        return 0
    z = put(0, 1.0)
    return y + z


@function
def append_around(x: Tensor[3]) -> int32:
    rows = [x]
    def more(row):
        rows.append(row)  # F116 9 16 more writes into rows, which is a variable of the function around it
        return 0
    return more(x) + len(rows)


@function
def default_that_is_written(x: Tensor[3]) -> float32:
    y = x * 2
    f = lambda a=y: a[0]
    y[0] = 7
    return f()  # F127 12 1 f reads y, which may be another value than where f was defined


@function
def held_reads_what_changed(x: float32) -> float32:
    y = x * 2
    held = (lambda a: a + y, 3)
    y = y + 1
    return held[0](x)  # F127 12 4 held reads y, which may be another value than where held was defined


@function
def made_reads_what_changed(x: float32) -> float32:
    y = x * 2
    def make(k: float32) -> Callable[[float32], float32]:
        return lambda a: a * k + y
    f = make(2.0)
    y = y + 1
    return f(x)  # F127 12 1 f reads y, which may be another value than where f was defined


@function
def lambda_reads_what_comes(x: float32) -> float32:
    f = lambda a: a + k
    k = 2.0
    return f(x)  # F127 12 1 f reads k, which may be another value than where f was defined


SCALE = 5.0


@function
def read_before_it_is_assigned(x: float32) -> float32:
    y = x * SCALE  # F109 13 5 SCALE has no value yet: a name that a function assigns is its own throughout
    SCALE = 2.0
    return y


@function
def called_before_it_is_assigned(x: float32) -> float32:
    def scaled(y: float32) -> float32:
        return y * k
    z = scaled(x)  # F109 9 6 scaled reads k, which has no value yet where scaled is used
    k = 2.0
    return z


@function
def late_without_types(n: int32) -> bool:
    def even(n):
        return True if n == 0 else odd(n - 1)
    def odd(n):
        return False if n == 0 else even(n - 1)  # F103 37 11 even calls itself, so its parameters and result need annotations
    return even(n)


@function
def late_without_a_result(n: int32) -> bool:
    def even(n: int32):
        return True if n == 0 else odd(n - 1)
    def odd(n: int32) -> bool:
        return False if n == 0 else even(n - 1)  # F103 37 4 even calls itself, so its parameters and result need annotations
    return even(n)


@function
def late_in_one_branch(n: int32) -> int32:
    if n > 0:  # F109 8 5 f reads what is assigned only later, so it is no value yet
        def f(m: int32) -> int32:
            return m + k
    else:
        def f(m: int32) -> int32:
            return m
    k = 2
    return f(n)


@function
def largest_of_tuples(x: float32) -> float32:
    return max((x, 1.0), (2.0, x))[0]  # F112 12 23 max of tuples, (float32, 1.0)


@function
def sorted_along_no_axis(x: Tensor[3, 4]) -> Tensor[3, 4]:
    return np.sort(x, axis=())  # F120 12 19 axis is ()


@function
def padded_by_an_open_size(x: Tensor["n"]) -> Tensor["m"]:
    k = len(x)
    return np.pad(x, (k // 2, k // 2))  # F120 12 27 pad needs numbers that are known before the program runs, and a size is not


@function
def an_item_by_its_place(x: Tensor[2, 3]) -> float32:
    return x.item(0, 0, 1)  # F112 12 15 item of Tensor[(2, 3), float32], which has 6 elements


@function
def an_item_of_several(x: Tensor[2, 3]) -> float32:
    return x.item()  # F112 12 8 item of Tensor[(2, 3), float32], which has 6 elements


@function
def a_list_as_long_as_it_turns_out(n: int32) -> int32:
    counts = [0] * n  # F112 14 7 how long this list becomes is known only when the program runs
    return counts[0]


@function
def an_index_of_unknown_brackets(m: Tensor[3, 2]) -> Tensor[2]:
    return m[divmod(3, 2)]  # F121 12 15 an index that may be a list or a tuple


@function
def adds_at_places(x: Tensor[3], at: Tensor["n", int32]) -> Tensor[3]:
    np.add.at(x, at, 1)  # F119 5 19 there is no operator add.at
    return x


@function
def a_size_by_a_name_alone(x: Tensor["n"]) -> Tensor["k"]:
    return x[1:]  # F111 12 5 expected Tensor[(k,), float32], found Tensor[(n + -1,), float32]


@function
def joins_open_lists(x: Tensor["n"]) -> float32:
    a = [v + 1 for v in x]
    return sum(a + a)  # F112 16 5 + of a list whose length is known only when the program runs


@function
def writes_to_an_open_list(x: Tensor["n"]) -> float32:
    a = [v + 1 for v in x]
    a[0] = 5.0  # F116 5 4 a is a list whose length is known only when the program runs
    return sum(a)


@function
def gives_a_list_a_tensor(x: Tensor[2]) -> float32:
    a = [1.0, 2.0]
    a += x  # F116 5 6 += gives a list the items of a tensor
    return sum(a)


@function
def an_open_list_of_rows(x: Tensor["n", 2]) -> Tensor["n", 2]:
    return np.array([r * 2 for r in x])  # F107 21 18 a list of Tensor[(2,), float32] whose length is known only when the program runs


@function
def an_open_list_as_result(x: Tensor["n"]) -> Tensor["n"]:
    return [v + 1 for v in x]  # F130 12 18 a list of float32 whose length is known only when the program runs


@function
def writes_to_a_list_in_a_loop(x: Tensor[4]) -> float32:
    d = [0.0] * 4
    for i in range(4):
        d[i] = x[i]  # F116 9 4 d is a list or a tuple, which does not change while the program runs
    return d[0]


@function
def chooses_between_other_functions(c: bool, x: Tensor[3]) -> float32:
    def first(v: Tensor[3]) -> float32:
        return v[0]

    def rest(v: Tensor[3]) -> Tensor[2]:
        return v[1:]

    f = first if c else rest  # F113 9 20 the expression is fn (Tensor[(3,), float32]) -> float32 on one path and fn (Tensor[(3,), float32]) -> Tensor[(2,), float32] on another
    return f(x)
