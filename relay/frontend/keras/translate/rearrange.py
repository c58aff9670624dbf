"""Translate `rearrange`: split, move and join the axes that a pattern names."""

import re
from collections.abc import Mapping, Sequence

from relay.frontend.builders.tensor_helpers import reshape
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.registry import keras_operation
from relay.ir.dims import Dim, product
from relay.ir.expr import Call, Expr
from relay.ops.tensor.transpose import Transpose
from relay.support.error_codes import ErrorCode

Groups = Sequence[Sequence[str]]
"""The names of the axes that each axis of a tensor consists of."""


@keras_operation("Rearrange")
def rearrange(layer: LayerReader) -> Expr:
    """Translate `rearrange`, such as `"b (h w) c -> b c h w"` with the size of `h`.

    Raises `F030` for patterns with an ellipsis or numbers.
    """
    x, pattern = layer.tensor(), str(layer.argument("pattern", 1))
    if not re.fullmatch(r"[\s\w()]*[a-zA-Z_][\s\w()]*->[\s\w()]*", pattern):
        raise layer.error(ErrorCode.F030, f"the pattern {pattern!r} is not supported")
    before, after = (_groups(side) for side in pattern.split("->"))
    known = {name: layer.argument(name, len(layer.args)) for name in _names(before)}
    sizes = _sizes(x, before, {n: each for n, each in known.items() if isinstance(each, int)})
    order = [_names(before).index(name) for name in _names(after)]
    split = reshape(x, [sizes[name] for name in _names(before)])
    moved = Call(Transpose(tuple(order)), (split,), span=layer.span)
    return reshape(moved, [product([sizes[name] for name in group]) for group in after])


def _groups(side: str) -> list[list[str]]:
    """Return the axes on one side of a pattern; parentheses join axes."""
    words = re.findall(r"\([^)]*\)|\w+", side)
    return [re.findall(r"\w+", word) for word in words]


def _names(groups: Groups) -> list[str]:
    return [name for group in groups for name in group]


def _sizes(x: Expr, groups: Groups, known: Mapping[str, int]) -> dict[str, Dim]:
    """Return the size of each named axis; one of each group is inferred."""
    sizes: dict[str, Dim] = dict(known)
    for size, group in zip(x.tensor_type.shape, groups, strict=True):
        rest = product([sizes[name] for name in group if name in sizes])
        for name in group:
            if name not in sizes:
                sizes[name] = size // rest if rest != 1 else size
                rest = product([rest, sizes[name]])
    return sizes
