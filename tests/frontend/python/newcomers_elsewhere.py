"""What people bring along from the rest of Python; `newcomers_elsewhere.txt` has what they are told.

Every message is reviewed for whether it says what to write instead.
"""

# fmt: off
# pyright: basic, reportArgumentType=false, reportAssignmentType=false, reportAttributeAccessIssue=false
# pyright: reportCallIssue=false, reportMatchNotExhaustive=false, reportOperatorIssue=false
# pyright: reportPossiblyUnboundVariable=false, reportUnboundVariable=false, reportReturnType=false, reportIndexIssue=false
# pyright: reportGeneralTypeIssues=false, reportSelfClsParameterName=false
# pyright: reportOptionalMemberAccess=false, reportPrivateImportUsage=false, reportUnhashable=false
import collections
import functools
import logging
import operator
import random
import time

import numpy as np

from relay.frontend.python import Tensor, float32, function, int32


class Plain:
    def __init__(self, v):
        self.v = v


@function
def prints_a_number(x: float32) -> float32:
    print(1)
    return x


@function
def logs(x: float32) -> float32:
    logging.info("x")
    return x


@function
def asks(x: float32) -> float32:
    return x + float(input("more: "))


@function
def opens_a_file(x: float32) -> float32:
    file = open("weights.txt")
    return x


@function
def asks_for_the_class_of_a_number(x: float32) -> float32:
    return x if isinstance(x, float) else 0.0


@function
def defines_a_class(x: float32) -> float32:
    class Point:
        pass
    return x


@function
def compares_by_identity(x: Tensor[3], y: Tensor[3]) -> float32:
    return 1.0 if x is y else 0.0


@function
def joins_texts(n: int32) -> int32:
    return "a" + n


@function
def makes_a_text(x: float32) -> float32:
    shown = str(x)
    return x


@function
def draws_with_random(x: int32) -> int32:
    return random.randint(0, 3) + x


@function
def draws_with_a_generator(x: float32) -> float32:
    generator = np.random.default_rng(0)
    return generator.normal() * x


@function
def looks_at_the_clock(x: float32) -> float32:
    return time.perf_counter() + x


@function
def maps(x: Tensor[3]) -> Tensor[3]:
    return list(map(lambda v: v * 2, x))


@function
def vectorizes(x: Tensor[3]) -> Tensor[3]:
    return np.vectorize(lambda v: v * 2)(x)


@function
def evaluates(x: float32) -> float32:
    return eval("x + 1")


@function
def asks_later(x: float32) -> float32:
    y = x * scale
    scale = 2.0
    return y


@function
def sorts_by_key(x: Tensor[3]) -> float32:
    return sorted(x, key=lambda v: -v)[0]


@function
def sizes_that_differ(x: Tensor[3], y: Tensor[4]):
    return x + y


@function
def largest_of_nothing(x: Tensor[0, 3]) -> Tensor[3]:
    return x.max(axis=0)


@function
def asks_for_the_type(x: float32) -> float32:
    return x if type(x) == float else 0.0
