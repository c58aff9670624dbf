"""Import all translation modules of the TensorFlow importer, which registers their functions."""

from relay.frontend.tensorflow.translate import arithmetic as _arithmetic
from relay.frontend.tensorflow.translate import colors as _colors
from relay.frontend.tensorflow.translate import complex_functions as _complex_functions
from relay.frontend.tensorflow.translate import constants_and_variables as _constants
from relay.frontend.tensorflow.translate import control_flow as _control
from relay.frontend.tensorflow.translate import convolution as _convolution
from relay.frontend.tensorflow.translate import ctc as _ctc
from relay.frontend.tensorflow.translate import elementwise as _elementwise
from relay.frontend.tensorflow.translate import fused_convolution as _fused_convolution
from relay.frontend.tensorflow.translate import gather_fill_and_sort as _gather_fill_and_sort
from relay.frontend.tensorflow.translate import gradients as _gradients
from relay.frontend.tensorflow.translate import images as _images
from relay.frontend.tensorflow.translate import linear_algebra as _linear_algebra
from relay.frontend.tensorflow.translate import lookup_tables as _lookup_tables
from relay.frontend.tensorflow.translate import losses as _losses
from relay.frontend.tensorflow.translate import matrix_diagonals as _matrices
from relay.frontend.tensorflow.translate import matrix_products as _products
from relay.frontend.tensorflow.translate import normalization as _normalization
from relay.frontend.tensorflow.translate import pooling as _pooling
from relay.frontend.tensorflow.translate import quantization as _quantization
from relay.frontend.tensorflow.translate import random_numbers as _random_numbers
from relay.frontend.tensorflow.translate import recurrent as _recurrent
from relay.frontend.tensorflow.translate import reduction as _reduction
from relay.frontend.tensorflow.translate import segments as _segments
from relay.frontend.tensorflow.translate import sets_and_counts as _sets
from relay.frontend.tensorflow.translate import shapes as _shapes
from relay.frontend.tensorflow.translate import slicing as _slicing
from relay.frontend.tensorflow.translate import sounds as _sounds
from relay.frontend.tensorflow.translate import sparse_and_ragged as _sparse
from relay.frontend.tensorflow.translate import sparse_arithmetic as _sparse_arithmetic
from relay.frontend.tensorflow.translate import special_functions as _special
from relay.frontend.tensorflow.translate import tensor_arrays as _arrays
from relay.frontend.tensorflow.translate import tensor_lists as _lists
from relay.frontend.tensorflow.translate import weighted_resizing as _weighted_resizing

FAMILIES = (
    _colors,
    _special,
    _sparse,
    _sparse_arithmetic,
    _sets,
    _ctc,
    _losses,
    _gradients,
    _arithmetic,
    _arrays,
    _complex_functions,
    _constants,
    _control,
    _convolution,
    _fused_convolution,
    _sounds,
    _elementwise,
    _gather_fill_and_sort,
    _images,
    _linear_algebra,
    _lists,
    _lookup_tables,
    _matrices,
    _quantization,
    _segments,
    _normalization,
    _pooling,
    _products,
    _random_numbers,
    _recurrent,
    _reduction,
    _shapes,
    _slicing,
    _weighted_resizing,
)
