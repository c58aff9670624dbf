"""Import all translation modules of the TensorFlow Lite importer, which registers them."""

from relay.frontend.tflite.translate import activation as _activation
from relay.frontend.tflite.translate import arithmetic as _arithmetic
from relay.frontend.tflite.translate import control_flow as _control
from relay.frontend.tflite.translate import convolution as _convolution
from relay.frontend.tflite.translate import detection as _detection
from relay.frontend.tflite.translate import elementwise as _elementwise
from relay.frontend.tflite.translate import fourier as _fourier
from relay.frontend.tflite.translate import indexing as _indexing
from relay.frontend.tflite.translate import matrix_products as _products
from relay.frontend.tflite.translate import non_max_suppression as _boxes
from relay.frontend.tflite.translate import normalization as _normalization
from relay.frontend.tflite.translate import pooling as _pooling
from relay.frontend.tflite.translate import quantization as _quantization
from relay.frontend.tflite.translate import recurrent as _recurrent
from relay.frontend.tflite.translate import reduction as _reduction
from relay.frontend.tflite.translate import resizing as _resizing
from relay.frontend.tflite.translate import segments as _segments
from relay.frontend.tflite.translate import shapes as _shapes
from relay.frontend.tflite.translate import slicing as _slicing
from relay.frontend.tflite.translate import stablehlo as _stablehlo
from relay.frontend.tflite.translate import variables as _variables

FAMILIES = (
    _activation,
    _arithmetic,
    _boxes,
    _control,
    _convolution,
    _detection,
    _elementwise,
    _fourier,
    _indexing,
    _normalization,
    _pooling,
    _products,
    _quantization,
    _recurrent,
    _reduction,
    _resizing,
    _segments,
    _shapes,
    _slicing,
    _stablehlo,
    _variables,
)
