"""The loader of calls of operators that only have a NumPy reference.

`relay.transform.compilers.call_references` compiles such calls to the format of
`relay.runtime.external_region_format`.
"""

from collections.abc import Sequence

from relay.ir.expr import Array
from relay.opdef.definition import OperatorDef
from relay.opdef.table import OPERATORS
from relay.runtime.external_region_format import Step, read_steps
from relay.support.error_codes import ErrorCode
from relay.support.errors import ArtefactError


class ReferenceRegion:
    """A loaded call of an operator, which evaluates the operator's NumPy reference."""

    def __init__(self, code: bytes, threads: int) -> None:
        del threads
        self._steps = read_steps(code)
        self._operators = [_operator(step) for step in self._steps.steps]

    def __call__(self, inputs: Sequence[Array], outputs: Sequence[Array], /) -> None:
        """Compute the outputs from the inputs, which references cannot change."""
        values = [*map(_read_only, inputs), *self._steps.constants]
        for step, operator in zip(self._steps.steps, self._operators, strict=True):
            found = operator.reference(*(values[number] for number in step.operands))
            values.extend(found if isinstance(found, tuple) else (found,))
        for number, output in zip(self._steps.results, outputs, strict=True):
            output[...] = _of_shape(values[number], output)


def _operator(step: Step) -> OperatorDef:
    """Return the operator of a step; raises `A019` if this process has not registered it."""
    cls = OPERATORS.get(step.operator)
    if cls is None or not issubclass(cls, OperatorDef) or not cls.has("reference"):
        raise ArtefactError(
            ErrorCode.A019,
            f"the program calls the NumPy reference of the operator '{step.operator}', which is "
            "not registered",
            help="import the module that registers the operator, then load the program",
        )
    return cls.made(step.attributes)


def _read_only(array: Array) -> Array:
    view = array.view()
    view.flags.writeable = False
    return view


def _of_shape(value: Array, output: Array) -> Array:
    """Return `value`; raises `ValueError` if its shape differs from that of the type rule."""
    if value.shape != output.shape:
        message = f"the reference returned an array of shape {value.shape}, not {output.shape}"
        raise ValueError(message)
    return value
