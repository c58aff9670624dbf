"""The functions of `relay.nn`: layers of neural networks.

Functions not defined here are generated from the operator `nn.…` of that name.
"""

from collections.abc import Sequence
from reprlib import repr as short
from typing import cast

import numpy as np

from relay.ir.dims import Dim
from relay.ir.expr import Call, Constant, Expr, TupleGetItem, operands
from relay.ops.functions.call_builders import builder
from relay.ops.functions.generated_members import namespace
from relay.ops.image.deformable import DeformableConv2D
from relay.ops.image.upsampling import Upsampling, Upsampling3D
from relay.ops.nn.activations import LeakyRelu
from relay.ops.nn.adaptive_pool_operators import (
    AdaptiveAvgPool1D,
    AdaptiveAvgPool2D,
    AdaptiveAvgPool3D,
    AdaptiveMaxPool1D,
    AdaptiveMaxPool2D,
    AdaptiveMaxPool3D,
)
from relay.ops.nn.batch_norm_dropout import Dropout
from relay.ops.nn.bit_packing import BitPack, BitserialConv2D, BitserialDense
from relay.ops.nn.blocked_convolution import ContribConv2DNCHWc, ContribDepthwiseConv2DNCHWc
from relay.ops.nn.conv_operators import Conv1DTranspose, Conv2DTranspose, Conv3DTranspose
from relay.ops.nn.matmul import BatchMatmul, Dense, Matmul
from relay.ops.nn.normalization import LRN, GroupNorm
from relay.ops.nn.pad import Pad
from relay.ops.nn.pool_operators import (
    AvgPool1D,
    AvgPool2D,
    AvgPool2DGrad,
    AvgPool3D,
    MaxPool1D,
    MaxPool2D,
    MaxPool2DGrad,
    MaxPool3D,
)
from relay.ops.nn.sparse_matrices import SparseAdd, SparseDense, SparseTranspose
from relay.ops.nn.winograd import (
    Conv2DWinogradWithoutWeightTransform,
    Conv3DWinogradWithoutWeightTransform,
)
from relay.support.dtype import DType
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError

_TRANSPOSED = (
    "data weight strides padding dilation groups channels kernel_size data_layout kernel_layout "
    "out_layout output_padding out_dtype"
)
conv1d_transpose = builder(Conv1DTranspose, _TRANSPOSED)
conv2d_transpose = builder(Conv2DTranspose, _TRANSPOSED)
conv3d_transpose = builder(Conv3DTranspose, _TRANSPOSED)

deformable_conv2d = builder(
    DeformableConv2D,
    "data offset weight strides padding dilation deformable_groups groups channels kernel_size "
    "data_layout kernel_layout out_layout out_dtype",
    strides=(1, 1),
    padding=(0, 0),
    dilation=(1, 1),
)
bitpack = builder(BitPack, bit_axis=2, pack_type="uint32")
bitserial_dense = builder(BitserialDense, pack_dtype="uint32", out_dtype="int16")
bitserial_conv2d = builder(
    BitserialConv2D,
    "data weight strides padding channels kernel_size activation_bits weight_bits data_layout "
    "kernel_layout pack_dtype out_dtype unipolar",
    pack_dtype="uint32",
    out_dtype="int16",
)
_BLOCKED = (
    "data kernel strides padding dilation groups channels kernel_size data_layout kernel_layout "
    "out_layout out_dtype"
)
_WINOGRAD = (
    "data weight tile_size strides padding dilation groups channels kernel_size data_layout "
    "kernel_layout out_layout out_dtype"
)
contrib_conv2d_winograd_without_weight_transform = builder(
    Conv2DWinogradWithoutWeightTransform, _WINOGRAD
)
contrib_conv3d_winograd_without_weight_transform = builder(
    Conv3DWinogradWithoutWeightTransform, _WINOGRAD
)
contrib_conv2d_nchwc = builder(ContribConv2DNCHWc, _BLOCKED)
contrib_depthwise_conv2d_nchwc = builder(ContribDepthwiseConv2DNCHWc, _BLOCKED)

max_pool1d = builder(MaxPool1D, pool_size=(1,))
max_pool2d = builder(MaxPool2D, pool_size=(1, 1))
max_pool3d = builder(MaxPool3D, pool_size=(1, 1, 1))
avg_pool1d = builder(AvgPool1D, pool_size=(1,))
avg_pool2d = builder(AvgPool2D, pool_size=(1, 1))
avg_pool3d = builder(AvgPool3D, pool_size=(1, 1, 1))

_POOL_GRAD = "out_grad data pool_size strides padding layout out_layout ceil_mode"
max_pool2d_grad = builder(MaxPool2DGrad, _POOL_GRAD, pool_size=(1, 1))
avg_pool2d_grad = builder(AvgPool2DGrad, f"{_POOL_GRAD} count_include_pad", pool_size=(1, 1))

_ADAPTIVE = "data output_size layout out_layout"
adaptive_max_pool1d = builder(AdaptiveMaxPool1D, _ADAPTIVE)
adaptive_max_pool2d = builder(AdaptiveMaxPool2D, _ADAPTIVE)
adaptive_max_pool3d = builder(AdaptiveMaxPool3D, _ADAPTIVE)
adaptive_avg_pool1d = builder(AdaptiveAvgPool1D, _ADAPTIVE)
adaptive_avg_pool2d = builder(AdaptiveAvgPool2D, _ADAPTIVE)
adaptive_avg_pool3d = builder(AdaptiveAvgPool3D, _ADAPTIVE)

batch_matmul = builder(BatchMatmul, transpose_b=True)
leaky_relu = builder(LeakyRelu, alpha=0.01)
lrn = builder(LRN, alpha=1e-5)
pad = builder(Pad, "data pad_width pad_value pad_mode", pad_value=0)
group_norm = builder(GroupNorm, "data gamma beta num_groups axis epsilon center scale")
upsampling = builder(Upsampling, scale_h=1, scale_w=1)
upsampling3d = builder(Upsampling3D, scale_d=1, scale_h=1, scale_w=1)
dropout_raw = builder(Dropout)


def dropout(data: Expr, rate: float = 0.5) -> TupleGetItem:
    """Return the data unchanged, because dropout has no effect in inference."""
    return TupleGetItem(dropout_raw(data, rate), 0)


sparse_dense_parts = builder(SparseDense)
sparse_add_parts = builder(SparseAdd)
sparse_transpose_parts = builder(SparseTranspose)


def sparse_dense(dense_mat: Expr, sparse_mat: object, sparse_lhs: bool = False) -> Call:
    """Return the product of a dense matrix and the transpose of a sparse one, or the reverse.

    The sparse matrix is one of SciPy, in compressed rows (of blocks), or its parts: a tuple of
    data, column indices and row pointers.
    """
    return sparse_dense_parts(dense_mat, *_sparse_parts(sparse_mat), sparse_lhs)


def sparse_add(dense_mat: Expr, sparse_mat: object) -> Call:
    """Return the sum of a dense matrix and a sparse one: of SciPy, or its parts."""
    return sparse_add_parts(dense_mat, *_sparse_parts(sparse_mat))


def sparse_transpose(sparse_mat: object) -> Call:
    """Return the parts of the transpose of a square sparse matrix: of SciPy, or its parts."""
    return sparse_transpose_parts(*_sparse_parts(sparse_mat))


def _sparse_parts(matrix: object) -> tuple[Expr, ...]:
    """Return the data, the column indices and the row pointers of a sparse matrix."""
    names, given = ("data", "indices", "indptr"), short(matrix)
    if all(hasattr(matrix, name) for name in names):
        return tuple(Constant(np.asarray(getattr(matrix, name))) for name in names)
    if isinstance(matrix, tuple | list):
        parts = cast("Sequence[object]", matrix)
        if len(parts) == len(names) and all(isinstance(each, Expr | np.ndarray) for each in parts):
            return tuple(
                each if isinstance(each, Expr) else Constant(np.asarray(each)) for each in parts
            )
    raise RelayTypeError(
        ErrorCode.T007,
        f"the sparse matrix must be one of SciPy or its parts, not {given}",
        help="pass a csr_matrix or bsr_matrix of SciPy, or a tuple (data, indices, indptr)",
    )


def matmul(
    tensor_a: Expr,
    tensor_b: Expr,
    units: Dim | None = None,
    out_dtype: "DType | str" = "",
    transpose_a: bool = False,
    transpose_b: bool = False,
) -> Call:
    """Return the matrix product; if only `tensor_b` is transposed, as a call of `nn.dense`."""
    attributes = {"units": units, "out_dtype": out_dtype}
    sides = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    op = Matmul.made({**attributes, **sides})
    is_dense = op.transpose_b and not op.transpose_a
    return Call(Dense.made(attributes) if is_dense else op, operands((tensor_a, tensor_b)))


def global_max_pool1d(data: Expr, layout: str = "NCW", out_layout: str = "") -> Call:
    """Return the largest element of each channel of `(N, C, W)`."""
    return adaptive_max_pool1d(data, 1, layout, out_layout)


def global_avg_pool1d(data: Expr, layout: str = "NCW", out_layout: str = "") -> Call:
    """Return the mean of each channel of `(N, C, W)`."""
    return adaptive_avg_pool1d(data, 1, layout, out_layout)


def global_max_pool3d(data: Expr, layout: str = "NCDHW", out_layout: str = "") -> Call:
    """Return the largest element of each channel of `(N, C, D, H, W)`."""
    return adaptive_max_pool3d(data, 1, layout, out_layout)


def global_avg_pool3d(data: Expr, layout: str = "NCDHW", out_layout: str = "") -> Call:
    """Return the mean of each channel of `(N, C, D, H, W)`."""
    return adaptive_avg_pool3d(data, 1, layout, out_layout)


__getattr__, __dir__ = namespace("nn.", globals())
