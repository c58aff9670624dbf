"""What newcomers get wrong: `# F…` ends the line at which each function's error stands."""

# fmt: off
# pyright: basic, reportArgumentType=false, reportAssignmentType=false, reportAttributeAccessIssue=false
# pyright: reportCallIssue=false, reportMatchNotExhaustive=false, reportOperatorIssue=false
# pyright: reportPossiblyUnboundVariable=false, reportReturnType=false, reportUndefinedVariable=false
from collections.abc import Callable

import numpy as np
import relay
from relay.frontend.python import Tensor, data, float32, function, int32


WEIGHTS = np.ones(3, np.float32)


@data
class Red:
    pass


@data
class Green:
    light: float32


@data
class Blue:
    pass


Colour = Red | Green | Blue


@function
def list_annotation(x: list[float]) -> float32:  # F105 24 11 the annotation list[float] is not a type that Relay supports
    return x


@function
def misspelt_annotation(x: "flaot32") -> float32:  # F105 28 9 Python cannot evaluate the annotation flaot32: name 'flaot32' is not defined
    return x


@function
def asserts(x: Tensor[3, 4]) -> float32:
    assert x.shape[0] == 4  # F135 12 15 this assertion always fails
    return x.sum()


@function
def raises(x: float32) -> float32:
    raise ValueError  # F135 5 16 the function always raises this exception here: ValueError


@function
def tries(x: float32) -> float32:
    try:  # F101 5 8 try is not supported in a Relay function
        return x
    finally:
        pass


@function
def comprehension(x: Tensor["n"]) -> float32:
    y = [v * w for v in x for w in x]  # F107 25 1 this expression iterates over an axis of size n, but the size must be a number of at most 256
    return y[0]


@function
def formatted(x: float32) -> float32:
    y = f"{x}"  # F107 9 6 a value that the program computes cannot become part of a string
    return x


@function
def identity_test(x: float32) -> float32:
    return 1.0 if x is x else x  # F107 19 6 `is` compares Python objects, but this value exists only when the program runs


@function
def misspelt_name(value: float32) -> float32:
    return valeu + 1  # F108 12 5 valeu is not defined


@function
def one_branch_only(x: float32) -> float32:
    if x > 0:
        y = x
    return y  # F109 12 1 y has no value on one of the paths that lead here


@function
def loop_only(n: int32) -> int32:
    for i in range(n):
        last = i
    return last  # F109 12 4 last is assigned only inside a loop, which may not run at all


@function
def changes_shape(x: Tensor[3], n: int32) -> Tensor[3]:
    total = 0
    for i in range(n):
        total = total + x  # F110 17 9 total has type int32 before the loop, but Tensor[(3,), float32] after an iteration
    return total


@function
def changes_a_size(x: Tensor["n", 3, int32], k: int32) -> Tensor["?", 3, int32]:
    y = x
    for i in range(k):
        y = y[1:]  # F110 13 5 y has type Tensor[(n, 3), int32] before the loop, but Tensor[(n + -1, 3), int32] after an iteration
    return y


@function
def writes_to_what_it_declared(x: Tensor["n"]) -> Tensor["?"]:
    y: Tensor["?"] = x
    y[0] = 1  # F116 5 4 y is possibly the same array as y, so it cannot be changed here
    return y


@function
def changes_type(x: float32) -> float32:
    y = x
    while y > 0:
        y = y > 1  # F110 13 5 y has type float32 before the loop, but bool after an iteration
    return y


@function
def wrong_result(x: Tensor[3]) -> float32:
    return x * 2  # F111 12 5 expected a value of type float32, found Tensor[(3,), float32]


@function
def wrong_argument(x: Tensor[3]) -> float32:
    return wrong_result(x[:2])  # F111 12 19 expected a value of type Tensor[(3,), float32], found Tensor[(2,), float32]


@function
def adds_data(c: Colour) -> float32:
    return c + 1.0  # F112 12 7 NumPy's functions take tensors and numbers, not Colour


@function
def different_branches(c: bool, x: Tensor[3]) -> float32:
    y = x[0] if c else (x, x)  # F113 9 21 the result has type float32 on one path, but (Tensor[(3,), float32], Tensor[(3,), float32]) on another
    return y


@function
def tensor_condition(x: Tensor[3]) -> float32:
    if x > 0:  # F114 8 5 a condition must be a single bool, not a value of type Tensor[(3,), bool]
        return 1.0
    return 0.0


@function
def loops_while_a_tensor(x: Tensor[3]) -> float32:
    while x:  # F114 11 1 a condition must be a single bool, not a value of type Tensor[(3,), float32]
        x = x - 1
    return x[0]


@function
def forgets_return(x: float32) -> float32:  # F115 5 14 the function forgets_return has a path that ends without a return statement
    if x > 0:
        return x


@function
def writes_with_a_mask(x: Tensor[3]) -> Tensor[3]:
    y = x * 2
    y[x > 0] = x  # F116 5 8 an assignment through a mask, x[mask] = new, accepts one number, but several are assigned
    return y


@function
def unknown_operator(x: Tensor[3, 4]) -> Tensor[3, 4]:
    return relay.nn.sotfmax(x)  # F119 12 16 there is no operator or function named nn.sotfmax


@function
def unknown_method(x: Tensor[3]) -> Tensor[3]:
    x.append(1)  # F116 5 11 a tensor has no append
    return x


@function
def computed_shape(x: Tensor[4], n: int32) -> Tensor[4]:
    return x.reshape(n, 2)  # F120 12 15 the new shape must be constant, but one of its sizes is computed by the program


@function
def out_of_range(x: Tensor[3]) -> float32:
    return x[3]  # F121 12 4 index 3 is out of range for an axis with 3 elements


@function
def too_many_indices(x: Tensor[3]) -> float32:
    return x[0, 1]  # F121 12 7 there are 2 indices, but the tensor has rank 1


@function
def mask_index(x: Tensor[3]) -> Tensor[3]:
    return x[x]  # F121 12 4 an index must be an integer, a slice or a tensor, not Tensor[(3,), float32]


@function
def loops_over_number(n: int32) -> int32:
    for i in n:  # F122 14 1 a for loop cannot run over a value of type int32
        n += i
    return n


@function
def float_range(x: float32) -> float32:
    for i in range(x):  # F122 14 8 range() takes integers, but an argument has type float32
        x += i
    return x


@function
def number_pattern(c: Colour) -> float32:
    match c:
        case 1:  # F124 14 1 the pattern 1 never matches, because the value has type Colour
            return 1.0
        case _:
            return 2.0


@function
def missing_case(c: Colour) -> float32:
    match c:  # F125 11 1 no case of this match accepts the value Blue()
        case Red():
            return 1.0
        case Green(light):
            return light


@function
def repeated_case(c: Colour) -> float32:
    match c:
        case Red():
            return 1.0
        case Green():
            return 1.0
        case Blue() | Red():  # F125 23 5 this case never matches: the cases above it accept all its values
            return 1.0


@function
def unpacks_wrongly(x: float32) -> float32:
    a, b = x, x, x  # F126 5 4 the number of names on the left differs from the number of values: too many values to unpack (expected 2)
    return a


@function
def fraction_of_int(n: int32) -> int32:
    m: int32 = n
    return relay.add(m, 3000000000)  # F128 12 24 the number 3000000000 does not fit into the element type int32


@function
def returns_text(x: float32) -> float32:
    return "done"  # F130 12 6 'done' is a Python object that a Relay function cannot compute with


@function
def item_of_tensors(x: Tensor[3], n: int32) -> Tensor[3]:
    rows = [x, x * 2]
    return rows[n]  # F121 12 7 a list whose items are not all numbers needs an index that is a constant


@function
def field_of_several(c: Colour) -> float32:
    return c.weight  # F132 12 8 the data class Colour has no field weight


@function
def shapes_that_differ(x: Tensor[3], y: Tensor[4]) -> Tensor[3]:
    return x + y  # T101 12 5 add: the shapes (3) and (4) do not broadcast


@function
def axis_that_is_text(x: Tensor[3]) -> Tensor[3]:
    return relay.nn.softmax(x, axis="q")  # T008 12 29 the operator nn.softmax: the attribute axis cannot be "q"


@function
def attributes_that_are_missing(x: Tensor[3]) -> Tensor[3]:
    return relay.clip(x)  # F118 12 13 clip is called without a_min, a_max


@function
def divides_by_zero(n: int32) -> int32:
    return n // 0  # F112 12 6 the right side of // is the constant 0


@function
def adds_bools(a: bool, b: bool) -> int32:
    return a + b  # F112 12 5 the operator + has different results for bools in Python and in NumPy


@function
def floats_in_whole_numbers(n: Tensor[3, int32]) -> Tensor[3, int32]:
    m = n * 2
    m += 0.5  # F112 5 8 an in-place operation must keep the type Tensor[(3,), int32], but its result has type Tensor[(3,), float32]
    return m


@function
def half_of_a_split(x: Tensor[4]) -> Tensor[4]:
    y = x * 2
    a, b = np.split(y, 2)
    a += 1  # F116 5 6 this array is a reshaped view of another array, and cannot be written to
    return y


@function
def array_from_outside(x: Tensor[3]) -> Tensor[3]:
    y = WEIGHTS
    y += x  # F116 5 6 y is an array from outside of the function, so it cannot be changed here
    return y


@function
def largest_of_tensors(x: Tensor[4], y: Tensor[4]) -> Tensor[4]:
    return max(x, y)  # F112 12 9 the function max does not accept a value of type Tensor[(4,), float32]


@function
def float_of_a_tensor(x: Tensor[4]) -> float32:
    return float(x)  # F112 12 8 the function float does not accept a value of type Tensor[(4,), float32]


@function
def turned_by_einsum(x: Tensor[3]) -> Tensor[3, 3]:
    y = x.reshape(3, 1) * x
    z = np.einsum("ij->ji", y)
    z += 1.0  # F116 5 8 this array is a reshaped view of another array, and cannot be written to
    return y


@function
def part_of_a_part(x: Tensor[3]):
    kept = x * 3
    pair = ((x * 2, kept), x * 4)
    match pair:
        case (first, _):
            inner = first[1]
    inner[0] = 9.0  # F116 5 8 inner is a part of an immutable value of type ((Tensor[(3,), float32], Tensor[(3,), float32]), Tensor[(3,), float32]), so it cannot be changed here
    return kept


@function
def one_list_on_one_path(x: Tensor[3], n: int32) -> Tensor[3]:
    rows = [x * 1, x * 2]
    same = rows
    if n > 1:
        rows = [x * 3, x * 4]
    rows[0] = x  # F116 5 7 rows may be the same list as another variable, so it cannot be changed here
    return same[0]


@function
def one_dictionary_on_one_path(x: Tensor[3], n: int32) -> Tensor[3]:
    kept, other = {"a": x}, {"a": x * 5}
    if n > 1:
        other = kept
    other["a"] += 1  # F116 5 15 other may be the same dict as another variable, so it cannot be changed here
    return kept["a"]


@function
def one_list_in_some_rounds(x: Tensor[3], n: int32) -> Tensor[3]:
    now = [x, x * 2]
    then = now
    for i in range(n):
        then = now
        if i > 0:
            now = [x * 3, x]
        now.reverse()  # F116 9 13 now may be the same list as another variable, so it cannot be changed here
    return then[0]
