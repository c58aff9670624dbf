"""Translate TensorFlow conversions and adjustments of colours, which lie along the last axis."""

from collections.abc import Sequence

from relay import numpy as rnp
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.expr import Expr


@tf_operator("RGBToHSV")
def rgb_to_hsv(node: TfNode) -> Expr:
    """Translate `RGBToHSV`: hue, saturation and value, each between 0 and 1."""
    return rnp.stack(_hsv(node.expr(0)), axis=-1)


def _hsv(x: Expr) -> Sequence[Expr]:
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


@tf_operator("HSVToRGB")
def hsv_to_rgb(node: TfNode) -> Expr:
    """Translate `HSVToRGB`."""
    return _rgb(*rnp.unstack(node.expr(0), axis=-1))


def _rgb(hue: Expr, saturation: Expr, value: Expr) -> Expr:
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


@tf_operator("AdjustHue")
def adjust_hue(node: TfNode) -> Expr:
    """Translate `AdjustHue`: add to the hue, modulo 1."""
    hue, saturation, value = _hsv(node.expr(0))
    moved = rnp.add(hue, node.expr(1))
    return _rgb(rnp.subtract(moved, rnp.floor(moved)), saturation, value)


@tf_operator("AdjustSaturation")
def adjust_saturation(node: TfNode) -> Expr:
    """Translate `AdjustSaturation`: multiply the saturation, up to 1."""
    hue, saturation, value = _hsv(node.expr(0))
    return _rgb(hue, _ramp(rnp.multiply(saturation, node.expr(1))), value)


@tf_operator("AdjustContrastv2")
def adjust_contrast(node: TfNode) -> Expr:
    """Translate `AdjustContrastv2`: move each channel away from its mean."""
    x = node.expr(0)
    mean = rnp.mean(x, axis=(-3, -2), keepdims=True)
    return rnp.add(rnp.multiply(rnp.subtract(x, mean), node.expr(1)), mean)
