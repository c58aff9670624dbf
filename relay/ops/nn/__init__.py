"""Operators of neural networks: layers, activations, normalisations, poolings, losses."""

from relay.ops.nn import activations as activations
from relay.ops.nn import adaptive_pool_operators as adaptive_pool_operators
from relay.ops.nn import bias as bias
from relay.ops.nn import bits as bits
from relay.ops.nn import contrib as contrib
from relay.ops.nn import conv_operators as conv_operators
from relay.ops.nn import dense_pack as dense_pack
from relay.ops.nn import fifo as fifo
from relay.ops.nn import gemm_convolution as gemm_convolution
from relay.ops.nn import inference as inference
from relay.ops.nn import loss as loss
from relay.ops.nn import matmul as matmul
from relay.ops.nn import mirror_pad as mirror_pad
from relay.ops.nn import more_activations as more_activations
from relay.ops.nn import norm as norm
from relay.ops.nn import pad as pad
from relay.ops.nn import pool_operators as pool_operators
from relay.ops.nn import rearrange as rearrange
from relay.ops.nn import run_time_pad as run_time_pad
from relay.ops.nn import softmax as softmax
from relay.ops.nn import sparse as sparse
from relay.ops.nn import sparse_indices as sparse_indices
from relay.ops.nn import winograd as winograd
