"""One kernel of each operator, compiled once, agrees with the reference for every size."""

import pytest

import relay.ops  # noqa: F401  # pyright: ignore[reportUnusedImport] - declares them
from relay.opdef.definition import OperatorDef
from relay.opdef.table import OPERATORS
from relay.testing.operator_laws import instance
from relay.testing.symbolic_size_laws import Case, cases

# What depends on a size that cannot be chosen freely, or on values at which results jump.
_NOT_FREE = {
    "broadcast_to": "its attribute says what the size is",
    "strided_set": "the bounds, which are data, say what the size is",
    "searchsorted": "random numbers are not sorted",
    "cofactors": "elements far below the others, of matrices of hundreds of rows, lose digits",
    "eig": "the order of eigenvalues is open",
    "eigh": "the sign of a vector is open",
    "householder_qr": "columns beyond the rank of a matrix are open",
    "qr": "columns beyond the rank of a matrix are open",
    "schur": "the factors of the basis' columns are open",
    "trunc_divide": "a quotient near an integer may be rounded to either side",
}
_EXAMPLES = 1  # of each operator; `tools/sweep_sizes.py` takes all
# Operators whose kernels take seconds to compile: those of images and volumes.
_SLOW = {
    "nn.conv2d_transpose",
    "nn.conv3d",
    "nn.conv3d_transpose",
    "nn.max_pool3d_pick",
}
CASES = [
    pytest.param(
        case, id=f"{cls.name}-{number}", marks=[pytest.mark.slow] if cls.name in _SLOW else []
    )
    for cls in OPERATORS.values()
    if issubclass(cls, OperatorDef) and cls.has("compute") and cls.name not in _NOT_FREE
    for number, example in enumerate(cls.examples[:_EXAMPLES])
    for case in list(cases(instance(cls, example), example))[-1:]
]


@pytest.mark.parametrize("case", CASES)
def test_one_kernel_serves_all_sizes(case: Case):
    case.check(level=0)  # what LLVM makes of a kernel does not depend on its sizes


def test_most_operators_have_such_a_kernel():
    assert len(CASES) > 150
