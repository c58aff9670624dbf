"""Operators on the matrices along the last two axes: factorisations and triangular systems."""

from relay.ops.linalg import cholesky as cholesky
from relay.ops.linalg import cofactors as cofactors
from relay.ops.linalg import determinant as determinant
from relay.ops.linalg import eig as eig
from relay.ops.linalg import eigenvalues as eigenvalues
from relay.ops.linalg import householder as householder
from relay.ops.linalg import lu_factorization as lu_factorization
from relay.ops.linalg import pseudoinverse as pseudoinverse
from relay.ops.linalg import qr as qr
from relay.ops.linalg import solve_triangular as solve_triangular
from relay.ops.linalg import svd as svd
