"""Operators on the matrices along the last two axes: factorisations and triangular systems."""

from relay.ops.linalg import cholesky as cholesky
from relay.ops.linalg import determinant as determinant
from relay.ops.linalg import eigenvalues as eigenvalues
from relay.ops.linalg import elimination as elimination
from relay.ops.linalg import householder as householder
from relay.ops.linalg import singular as singular
from relay.ops.linalg import triangular as triangular
