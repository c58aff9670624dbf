"""Import all translation modules of the MXNet importer, which registers their functions."""

from relay.frontend.mxnet.translate import activation as _activation
from relay.frontend.mxnet.translate import convolution as _convolution
from relay.frontend.mxnet.translate import detection as _detection
from relay.frontend.mxnet.translate import elementwise as _elementwise
from relay.frontend.mxnet.translate import matrix_products as _products
from relay.frontend.mxnet.translate import normalization as _normalization
from relay.frontend.mxnet.translate import recurrent as _recurrent
from relay.frontend.mxnet.translate import reduction as _reduction
from relay.frontend.mxnet.translate import shapes as _shapes

FAMILIES = (
    _activation,
    _convolution,
    _detection,
    _elementwise,
    _normalization,
    _products,
    _recurrent,
    _reduction,
    _shapes,
)
