"""Import all translation modules of the Keras importer, which registers their functions."""

from relay.frontend.keras.translate import activation as _activation
from relay.frontend.keras.translate import attention as _attention
from relay.frontend.keras.translate import convolution as _convolution
from relay.frontend.keras.translate import image_geometry as _image_geometry
from relay.frontend.keras.translate import image_operations as _image_operations
from relay.frontend.keras.translate import images as _images
from relay.frontend.keras.translate import keras_ops as _operations
from relay.frontend.keras.translate import linear_algebra as _linear_algebra
from relay.frontend.keras.translate import losses as _losses
from relay.frontend.keras.translate import matrix_products as _products
from relay.frontend.keras.translate import merge_layers as _merging
from relay.frontend.keras.translate import normalization as _normalization
from relay.frontend.keras.translate import numpy_operations as _numpy_operations
from relay.frontend.keras.translate import pooling as _pooling
from relay.frontend.keras.translate import preprocessing as _preprocessing
from relay.frontend.keras.translate import rearrange as _rearrange
from relay.frontend.keras.translate import recurrent as _recurrent
from relay.frontend.keras.translate import sequence_decoding as _sequence_decoding
from relay.frontend.keras.translate import shapes as _shapes
from relay.frontend.keras.translate import signals as _signals
from relay.frontend.keras.translate import spectrograms as _spectrograms

FAMILIES = (
    _activation,
    _attention,
    _convolution,
    _image_operations,
    _images,
    _merging,
    _normalization,
    _numpy_operations,
    _operations,
    _pooling,
    _preprocessing,
    _products,
    _recurrent,
    _shapes,
    _image_geometry,
    _linear_algebra,
    _losses,
    _rearrange,
    _sequence_decoding,
    _signals,
    _spectrograms,
)
