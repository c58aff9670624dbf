"""Import all translation modules of the MXNet importer, which registers their functions."""

from relay.frontend.mxnet.translate import activation as _activation
from relay.frontend.mxnet.translate import attention as _attention
from relay.frontend.mxnet.translate import boxes as _boxes
from relay.frontend.mxnet.translate import control_flow as _control_flow
from relay.frontend.mxnet.translate import convolution as _convolution
from relay.frontend.mxnet.translate import creation as _creation
from relay.frontend.mxnet.translate import densities as _densities
from relay.frontend.mxnet.translate import detection as _detection
from relay.frontend.mxnet.translate import elementwise as _elementwise
from relay.frontend.mxnet.translate import image_input as _image_input
from relay.frontend.mxnet.translate import image_sampling as _sampling
from relay.frontend.mxnet.translate import indexing as _indexing
from relay.frontend.mxnet.translate import linear_algebra as _linear_algebra
from relay.frontend.mxnet.translate import matrix_products as _products
from relay.frontend.mxnet.translate import normalization as _normalization
from relay.frontend.mxnet.translate import numpy_edits as _numpy_edits
from relay.frontend.mxnet.translate import numpy_functions as _numpy_functions
from relay.frontend.mxnet.translate import numpy_products as _numpy_products
from relay.frontend.mxnet.translate import numpy_shapes as _numpy_shapes
from relay.frontend.mxnet.translate import numpy_values as _numpy_values
from relay.frontend.mxnet.translate import recurrent as _recurrent
from relay.frontend.mxnet.translate import reduction as _reduction
from relay.frontend.mxnet.translate import sequences as _sequences
from relay.frontend.mxnet.translate import shapes as _shapes
from relay.frontend.mxnet.translate import windows_and_checks as _windows_and_checks

FAMILIES = (
    _activation,
    _attention,
    _boxes,
    _control_flow,
    _convolution,
    _creation,
    _detection,
    _elementwise,
    _image_input,
    _indexing,
    _linear_algebra,
    _normalization,
    _numpy_functions,
    _numpy_products,
    _numpy_shapes,
    _numpy_values,
    _products,
    _recurrent,
    _reduction,
    _sampling,
    _numpy_edits,
    _sequences,
    _shapes,
    _densities,
    _windows_and_checks,
)
