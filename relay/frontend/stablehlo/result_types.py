"""Check the types of translated operations against those that the module declares."""

from collections.abc import Sequence

from relay.frontend.stablehlo.node import HloNode
from relay.ir.dims import is_static
from relay.ir.expr import Call, Expr
from relay.ir.types import TensorType
from relay.ops.tensor.shape_assertion import Fits
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span


def check_types(node: HloNode, results: Sequence[Expr]) -> None:
    """Raise the internal error `F053` if a result's type differs from the type in the module.

    Bodies of reductions, which are defined for scalars, are also translated for tensors.
    """
    for result, wanted in zip(results, node.result_types, strict=True):
        if result.type is not wanted:
            raise node.error(
                ErrorCode.F053,
                (
                    f"Relay's translation of the operation has a result of type {result.type!r}, "
                    f"but the model declares {wanted!r}"
                ),
            )


def as_declared(node: HloNode, results: Sequence[Expr]) -> list[Expr]:
    """Return results with checks of the sizes that the module declares, but inference did not find.

    Raises the internal error `F053` for another element type, number of axes, or known size.
    """
    return [_fitted(node, *pair) for pair in zip(results, node.result_types, strict=True)]


def _fitted(node: HloNode, result: Expr, wanted: TensorType) -> Expr:
    ty = result.tensor_type
    if ty.rank != wanted.rank and not wanted.rank:
        return result  # the body of a reduction, translated for tensors
    pairs = list(zip(ty.shape, wanted.shape, strict=ty.rank == wanted.rank))
    differ = any(isinstance(a, int) and isinstance(b, int) and a != b for a, b in pairs)
    if differ or ty.dtype is not wanted.dtype or ty.rank != wanted.rank:
        problem = (
            f"Relay's translation of the operation has a result of type {ty!r}, but the model "
            f"declares {wanted!r}"
        )
        raise node.error(ErrorCode.F053, problem)
    if any(isinstance(b, int) and a != b for a, b in pairs):
        return Call(Fits(wanted.shape), (result,), span=node.span)
    return result


def has_known_sizes(x: Expr) -> bool:
    """Whether the sizes of a tensor are integers."""
    return is_static(x.tensor_type.shape)


def needs_sizes(name: str, operands: Sequence[Expr], span: Span) -> RelayImportError:
    """Return the error `F032` of an operation that does not support symbolic sizes."""
    types = ", ".join(repr(each.tensor_type) for each in operands if not has_known_sizes(each))
    return RelayImportError(
        ErrorCode.F032,
        f"the operation {name} is not supported for operands with symbolic sizes: {types}",
        span=span,
        help="specify the sizes of the inputs: relay.load(path, shapes={…})",
    )
