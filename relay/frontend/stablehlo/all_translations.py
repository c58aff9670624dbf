"""Import all translation modules of the StableHLO importer, which registers their functions."""

from relay.frontend.stablehlo.translate import bit_counts as _bits
from relay.frontend.stablehlo.translate import bit_patterns as _patterns
from relay.frontend.stablehlo.translate import complex_numbers as _complex
from relay.frontend.stablehlo.translate import control_flow as _control
from relay.frontend.stablehlo.translate import dynamic_shapes as _open
from relay.frontend.stablehlo.translate import elementwise as _elementwise
from relay.frontend.stablehlo.translate import indexing as _indexing
from relay.frontend.stablehlo.translate import linear_algebra as _linear
from relay.frontend.stablehlo.translate import matrix_factorizations as _factorizations
from relay.frontend.stablehlo.translate import matrix_products as _products
from relay.frontend.stablehlo.translate import random_bits as _random_bits
from relay.frontend.stablehlo.translate import reduction as _reduction
from relay.frontend.stablehlo.translate import shapes as _shapes
from relay.frontend.stablehlo.translate import sorting as _sorting

FAMILIES = (
    _bits,
    _complex,
    _control,
    _elementwise,
    _factorizations,
    _indexing,
    _linear,
    _open,
    _patterns,
    _products,
    _random_bits,
    _reduction,
    _shapes,
    _sorting,
)
