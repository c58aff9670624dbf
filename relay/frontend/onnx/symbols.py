"""Map a model's symbolic sizes to Relay's names."""

from collections.abc import Iterable, Mapping, Sequence

import onnx

from relay.ir.dims import ANY, Dim, DimVar
from relay.opdef.constraints import Constraint, Relation

_UNKNOWN = "?"
"""Names that exporters write for an unknown size."""


class Symbols:
    """Symbolic dimensions by the names of a model, which may be arbitrary or missing.

    `same` maps symbols to the symbol that they equal, or to `Any` if nothing should be assumed.
    """

    def __init__(self, same: Mapping[DimVar, Dim]) -> None:
        self._same = same
        self._by_name: dict[str, DimVar] = {}
        self._taken: set[str] = set()

    def dim(self, dim: onnx.TensorShapeProto.Dimension, owner: str, axis: int) -> Dim:
        """Return a size, or its symbol; `owner` names the tensor if the symbol has no name."""
        if dim.HasField("dim_value") and dim.dim_value >= 0:
            return dim.dim_value
        said = "" if dim.dim_param == _UNKNOWN else dim.dim_param
        name = said or f"{owner} {axis}"
        if name not in self._by_name:
            self._by_name[name] = DimVar(self._unused(said or f"{owner}_{axis}"))
        found = self._by_name[name]
        return self._same.get(found, found)

    def _unused(self, wanted: str) -> str:
        """Return an unused name that is valid in Relay's text."""
        name = "".join(c if c.isascii() and c.isalnum() else "_" for c in wanted)
        name = name if name[:1].isalpha() else f"d{name}"
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name


def left_open(constraints: Sequence[Constraint]) -> dict[DimVar, Dim]:
    """Return `Any` for symbols that meet others only where one of them may be 1.

    Symbols that must be equal nevertheless are unified, as in `one_size`.
    """
    same = one_size(each for each in constraints if each.relation is not Relation.BROADCAST)
    everywhere = one_size(constraints)
    classes: dict[DimVar, set[DimVar]] = {}
    for symbol, found in everywhere.items():
        classes.setdefault(found, {found}).add(symbol)
    mixed = [each for each in classes.values() if len({same.get(one, one) for one in each}) > 1]
    return {**same, **{symbol: ANY for each in mixed for symbol in each}}


def one_size(constraints: Iterable[Constraint]) -> dict[DimVar, DimVar]:
    """Return for each symbol that must equal others the first of them."""
    first: dict[DimVar, DimVar] = {}
    for each in constraints:
        left, right = each.left, each.right
        is_least = each.relation is Relation.AT_LEAST
        if isinstance(left, DimVar) and isinstance(right, DimVar) and not is_least:
            kept, gone = first.get(left, left), first.get(right, right)
            first |= {other: kept for other, found in first.items() if found is gone}
            first |= {gone: kept, kept: kept}
    return {symbol: found for symbol, found in first.items() if symbol is not found}
