# Written by tools/stubs.py. ruff: noqa
from collections.abc import Sequence
from relay.ir.expr import Call
from relay.ir.expr import Expr

Axes = int | Sequence[int] | None
Operand = Expr | float | Sequence[Expr | float]

def resize1d(data: Operand, size: object = (), roi: object = None, layout: str = 'NCW', method: str = 'linear', coordinate_transformation_mode: str = 'half_pixel', rounding_method: str = '', cubic_alpha: float = -0.5, cubic_exclude: int = 0, extrapolation_value: float = 0.0, out_dtype: object = None) -> Call: ...
def resize2d(data: Operand, size: object = (), roi: object = None, layout: str = 'NCHW', method: str = 'linear', coordinate_transformation_mode: str = 'half_pixel', rounding_method: str = '', cubic_alpha: float = -0.5, cubic_exclude: int = 0, extrapolation_value: float = 0.0, out_dtype: object = None) -> Call: ...
def resize3d(data: Operand, size: object = (), roi: object = None, layout: str = 'NCDHW', method: str = 'linear', coordinate_transformation_mode: str = 'half_pixel', rounding_method: str = '', cubic_alpha: float = -0.5, cubic_exclude: int = 0, extrapolation_value: float = 0.0, out_dtype: object = None) -> Call: ...
