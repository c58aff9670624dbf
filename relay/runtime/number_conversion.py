"""The table of which Python numbers each element type accepts, for native code and Python."""

import functools
from enum import IntEnum

from relay.support.dtype import DType, Kind
from relay.support.node import Value, value


class Convert(IntEnum):
    """How native code converts a Python number: the C enumeration `Convert` of `c/boundary.h`."""

    REFUSE = 0
    TO_INT = 1
    TO_SINGLE = 2
    TO_DOUBLE = 3
    TO_BOOL = 4


@value
class NumberRule(Value):
    """The Python numbers that an element type accepts.

    `kinds` are NumPy's kind letters of these numbers. Integers must be between `low` and `high`. If
    native code does not convert them (`REFUSE`), Python does.
    """

    kinds: str
    convert: Convert
    low: int = 0
    high: int = 0

    def takes(self, number: int) -> bool:
        """Whether an integer is within the limits of the element type."""
        return self.low <= number <= self.high


_FLOATS = {32: Convert.TO_SINGLE, 64: Convert.TO_DOUBLE}
_WIDTHS = (8, 16, 32, 64)


@functools.cache
def number_rule(dtype: DType) -> NumberRule:
    """Return the rule for an element type.

    >>> from relay.support.dtype import int8
    >>> number_rule(int8).takes(127), number_rule(int8).takes(128)
    (True, False)
    """
    match dtype.kind:
        case Kind.BOOL:
            return NumberRule("b", Convert.TO_BOOL)
        case Kind.INT | Kind.UINT:
            convert = Convert.TO_INT if dtype.bits in _WIDTHS else Convert.REFUSE
            return NumberRule("iu", convert, *dtype.limits)
        case Kind.FLOAT:
            return NumberRule("fiu", _FLOATS.get(dtype.bits, Convert.REFUSE))
        case Kind.COMPLEX:
            return NumberRule("cfiu", Convert.REFUSE)
        case _:
            return NumberRule("fiu", Convert.REFUSE)
