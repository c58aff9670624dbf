"""Covariances and correlation coefficients of variables, each a row of observations."""

from relay.ir.expr import Expr
from relay.numpy.argument_conversion import MaybeReal, Real, numpy_function
from relay.numpy.reductions import number_of
from relay.numpy.tensor_conversion import like
from relay.ops.functions import core


def _rows(m: Expr, y: Expr | None, rowvar: bool) -> Expr:
    def rows(x: Expr) -> Expr:
        if x.tensor_type.rank < 2:
            return core.reshape(x, (1, -1))
        return x if rowvar else core.transpose(x)

    return rows(m) if y is None else core.concatenate([rows(m), rows(y)], 0)


def _covariance(rows: Expr, ddof: float) -> Expr:
    apart = core.subtract(rows, core.mean(rows, 1, True))
    products = core.einsum([apart, apart], "ik,jk->ij")
    count = number_of(rows, 1)
    rest = core.maximum(core.subtract(count, like(ddof, count)), like(0, count))
    return core.divide(products, rest)


def _single(found: Expr) -> Expr:
    return core.reshape(found, ()) if found.tensor_type.shape == (1, 1) else found


@numpy_function
def cov(
    m: Real,
    y: MaybeReal = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
) -> Expr:
    """Return the covariance matrix of variables, which are the rows."""
    less = ddof if ddof is not None else 0 if bias else 1
    return _single(_covariance(_rows(m, y, rowvar), less))


@numpy_function
def corrcoef(x: Real, y: MaybeReal = None, rowvar: bool = True) -> Expr:
    """Return the correlation coefficients of variables, which are the rows."""
    rows = _rows(x, y, rowvar)
    found = _covariance(rows, 1)
    apart = core.subtract(rows, core.mean(rows, 1, True))
    squares = core.sum(core.multiply(apart, apart), 1)
    count = number_of(rows, 1)
    spread = core.sqrt(core.divide(squares, core.subtract(count, like(1, count))))
    found = core.divide(found, core.expand_dims(spread, 1))
    found = core.divide(found, core.expand_dims(spread, 0))
    bounds = like(1.0, found), like(-1.0, found)
    return _single(core.maximum(core.minimum(found, bounds[0]), bounds[1]))
