"""Import all translation modules of the PyTorch importer, which registers their functions."""

from relay.frontend.torch.translate import activation as _activation
from relay.frontend.torch.translate import antialiased as _antialiased
from relay.frontend.torch.translate import arithmetic as _arithmetic
from relay.frontend.torch.translate import as_strided as _strides
from relay.frontend.torch.translate import attention as _attention
from relay.frontend.torch.translate import backward as _backward
from relay.frontend.torch.translate import bessel as _bessel
from relay.frontend.torch.translate import complex_numbers as _complex_numbers
from relay.frontend.torch.translate import control_flow as _control
from relay.frontend.torch.translate import conversions as _conversions
from relay.frontend.torch.translate import convolution as _convolution
from relay.frontend.torch.translate import creation as _creation
from relay.frontend.torch.translate import ctc as _ctc
from relay.frontend.torch.translate import cumulative_loops as _running
from relay.frontend.torch.translate import detection as _detection
from relay.frontend.torch.translate import eigenvalues_and_svd as _spectra
from relay.frontend.torch.translate import elementwise as _elementwise
from relay.frontend.torch.translate import encoder_layers as _encoder_layers
from relay.frontend.torch.translate import fake_quantization as _fake_quantization
from relay.frontend.torch.translate import flex_attention as _flex_attention
from relay.frontend.torch.translate import fourier as _fourier
from relay.frontend.torch.translate import fourier_functions as _fourier_functions
from relay.frontend.torch.translate import indexing as _indexing
from relay.frontend.torch.translate import linear_algebra as _linear_algebra
from relay.frontend.torch.translate import losses as _losses
from relay.frontend.torch.translate import matrix_functions as _matrix_functions
from relay.frontend.torch.translate import matrix_products as _products
from relay.frontend.torch.translate import medians as _medians
from relay.frontend.torch.translate import normalization as _normalization
from relay.frontend.torch.translate import packed_sequences as _packed_sequences
from relay.frontend.torch.translate import padding as _padding
from relay.frontend.torch.translate import polynomials as _polynomials
from relay.frontend.torch.translate import quantization as _quantization
from relay.frontend.torch.translate import quantized_convolutions as _quantized_convolutions
from relay.frontend.torch.translate import quantized_functions as _quantized_functions
from relay.frontend.torch.translate import quantized_modules as _quantized_modules
from relay.frontend.torch.translate import quantized_recurrent as _quantized_recurrent
from relay.frontend.torch.translate import recurrent as _recurrent
from relay.frontend.torch.translate import reduction as _reduction
from relay.frontend.torch.translate import resizing as _resizing
from relay.frontend.torch.translate import segments as _segments
from relay.frontend.torch.translate import shapes as _shapes
from relay.frontend.torch.translate import size_operators as _sizes
from relay.frontend.torch.translate import slicing as _slicing
from relay.frontend.torch.translate import special as _special
from relay.frontend.torch.translate import unique_and_histogram as _counting
from relay.frontend.torch.translate import window_indices as _windows

FAMILIES = (
    _activation,
    _antialiased,
    _arithmetic,
    _attention,
    _backward,
    _bessel,
    _complex_numbers,
    _convolution,
    _counting,
    _conversions,
    _creation,
    _elementwise,
    _encoder_layers,
    _fake_quantization,
    _flex_attention,
    _fourier,
    _fourier_functions,
    _indexing,
    _linear_algebra,
    _ctc,
    _losses,
    _matrix_functions,
    _medians,
    _normalization,
    _polynomials,
    _products,
    _reduction,
    _segments,
    _shapes,
    _slicing,
    _special,
    _spectra,
    _strides,
    _running,
    _windows,
    _sizes,
    _resizing,
    _recurrent,
    _packed_sequences,
    _padding,
    _control,
    _detection,
    _quantization,
    _quantized_convolutions,
    _quantized_functions,
    _quantized_modules,
    _quantized_recurrent,
)
