"""Conversions of colours, whose parts lie along the last axis: red, green, blue and hue."""

from relay import numpy as rnp
from relay.ir.expr import Expr


def hue_saturation_value(x: Expr) -> tuple[Expr, Expr, Expr]:
    """Return the hue, saturation and value of colours, each between 0 and 1."""
    red, green, blue = rnp.unstack(x, axis=-1)
    value = rnp.maximum(rnp.maximum(red, green), blue)
    spread = rnp.subtract(value, rnp.minimum(rnp.minimum(red, green), blue))
    zero, one = rnp.zeros_like(value), rnp.ones_like(value)
    some = rnp.where(rnp.greater(value, 0.0), value, one)
    saturation = rnp.where(rnp.greater(value, 0.0), rnp.divide(spread, some), zero)
    sixth = rnp.divide(1.0 / 6.0, rnp.where(rnp.greater(spread, 0.0), spread, one))
    from_blue = rnp.add(rnp.multiply(sixth, rnp.subtract(red, green)), 4.0 / 6.0)
    from_green = rnp.add(rnp.multiply(sixth, rnp.subtract(blue, red)), 2.0 / 6.0)
    from_red = rnp.multiply(sixth, rnp.subtract(green, blue))
    hue = rnp.where(rnp.equal(green, value), from_green, from_blue)
    hue = rnp.where(rnp.equal(red, value), from_red, hue)
    hue = rnp.where(rnp.greater(spread, 0.0), hue, zero)
    return rnp.where(rnp.less(hue, 0.0), rnp.add(hue, 1.0), hue), saturation, value


def red_green_blue(hue: Expr, saturation: Expr, value: Expr) -> Expr:
    """Return colours with the parts red, green and blue along a new last axis."""
    place = rnp.multiply(hue, 6.0)
    red = _ramp(rnp.subtract(rnp.absolute(rnp.subtract(place, 3.0)), 1.0))
    green = _ramp(rnp.subtract(2.0, rnp.absolute(rnp.subtract(place, 2.0))))
    blue = _ramp(rnp.subtract(2.0, rnp.absolute(rnp.subtract(place, 4.0))))
    parts = [
        rnp.multiply(rnp.add(rnp.multiply(rnp.subtract(each, 1.0), saturation), 1.0), value)
        for each in (red, green, blue)
    ]
    return rnp.stack(parts, axis=-1)


def _ramp(x: Expr) -> Expr:
    return rnp.clip(x, 0.0, 1.0)
