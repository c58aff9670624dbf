"""`numpy.linalg`: norms, powers, and systems of equations by factorisations."""

import numpy as np

from relay.numpy.linalg.diagonals import diagonal as diagonal
from relay.numpy.linalg.diagonals import multi_dot as multi_dot
from relay.numpy.linalg.diagonals import trace as trace
from relay.numpy.linalg.factorizations import eigh as eigh
from relay.numpy.linalg.factorizations import eigvalsh as eigvalsh
from relay.numpy.linalg.factorizations import qr as qr
from relay.numpy.linalg.factorizations import svd as svd
from relay.numpy.linalg.factorizations import svdvals as svdvals
from relay.numpy.linalg.least_squares import cond as cond
from relay.numpy.linalg.least_squares import lstsq as lstsq
from relay.numpy.linalg.least_squares import matrix_rank as matrix_rank
from relay.numpy.linalg.least_squares import pinv as pinv
from relay.numpy.linalg.linear_systems import cholesky as cholesky
from relay.numpy.linalg.linear_systems import det as det
from relay.numpy.linalg.linear_systems import inv as inv
from relay.numpy.linalg.linear_systems import matrix_power as matrix_power
from relay.numpy.linalg.linear_systems import slogdet as slogdet
from relay.numpy.linalg.linear_systems import solve as solve
from relay.numpy.linalg.linear_systems import tensorinv as tensorinv
from relay.numpy.linalg.linear_systems import tensorsolve as tensorsolve
from relay.numpy.linalg.norms import matrix_norm as matrix_norm
from relay.numpy.linalg.norms import norm as norm
from relay.numpy.linalg.norms import vector_norm as vector_norm
from relay.numpy.matrix_products import cross as cross
from relay.numpy.matrix_products import matmul as matmul
from relay.numpy.matrix_products import outer as outer
from relay.numpy.matrix_products import tensordot as tensordot
from relay.numpy.matrix_products import vecdot as vecdot
from relay.numpy.shapes import matrix_transpose as matrix_transpose
from relay.numpy.unsupported_functions import refusals

__getattr__ = refusals(np.linalg)
