"""Operators of neural networks: layers, activations, normalisations, poolings, losses."""

from relay.ops.nn import activations as activations
from relay.ops.nn import adaptive_pool_operators as adaptive_pool_operators
from relay.ops.nn import batch_norm_dropout as batch_norm_dropout
from relay.ops.nn import bias_add as bias_add
from relay.ops.nn import bit_packing as bit_packing
from relay.ops.nn import blocked_convolution as blocked_convolution
from relay.ops.nn import conv_operators as conv_operators
from relay.ops.nn import dense_pack as dense_pack
from relay.ops.nn import dynamic_pad as dynamic_pad
from relay.ops.nn import fifo_buffer as fifo_buffer
from relay.ops.nn import gemm_convolution as gemm_convolution
from relay.ops.nn import loss as loss
from relay.ops.nn import matmul as matmul
from relay.ops.nn import mirror_pad as mirror_pad
from relay.ops.nn import more_activations as more_activations
from relay.ops.nn import normalization as normalization
from relay.ops.nn import pad as pad
from relay.ops.nn import pool_operators as pool_operators
from relay.ops.nn import softmax as softmax
from relay.ops.nn import space_to_depth_and_batch as space_to_depth_and_batch
from relay.ops.nn import sparse_indices as sparse_indices
from relay.ops.nn import sparse_matrices as sparse_matrices
from relay.ops.nn import winograd as winograd
from relay.ops.nn import winograd_blocks as winograd_blocks
