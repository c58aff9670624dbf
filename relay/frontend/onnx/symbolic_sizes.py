"""Map the symbolic sizes of an ONNX model to Relay's symbolic dimensions."""

from collections.abc import Mapping, Sequence

import onnx

from relay.frontend.builders.unify_sizes import SizeNames
from relay.ir.dims import ANY, Dim, DimVar

_UNKNOWN = "?"
"""Names that exporters write for an unknown size."""


class Symbols:
    """Symbolic dimensions by their names in a model, which may be arbitrary or missing.

    `same` maps a symbol to the symbol that it equals, or to `Any` if it is to stay unknown.
    """

    def __init__(self, same: Mapping[DimVar, Dim]) -> None:
        self._same = same
        self._by_name: dict[str, DimVar] = {}
        self._sizes: Mapping[str, Dim] = {}
        self._names = SizeNames()

    def fix(self, graph: onnx.GraphProto, shapes: Mapping[str, Sequence[Dim]]) -> None:
        """Fix the named sizes of inputs to which `shapes` gives shapes, also in other inputs.

        A name to which it gives different sizes stays symbolic elsewhere.
        """
        sizes: dict[str, Dim] = {}
        unclear: set[str] = {"", _UNKNOWN}
        for info in graph.input:
            dims = info.type.tensor_type.shape.dim
            for dim, size in zip(dims, shapes.get(info.name, ()), strict=False):
                if size is not ANY and sizes.setdefault(dim.dim_param, size) != size:
                    unclear.add(dim.dim_param)
        self._sizes = {name: size for name, size in sizes.items() if name not in unclear}

    def dim(self, dim: onnx.TensorShapeProto.Dimension, owner: str, axis: int) -> Dim:
        """Return a size or its symbol; without a name, it is named after `owner` and `axis`."""
        if dim.HasField("dim_value") and dim.dim_value >= 0:
            return dim.dim_value
        if dim.dim_param in self._sizes:
            return self._sizes[dim.dim_param]
        said = "" if dim.dim_param == _UNKNOWN else dim.dim_param
        name = said or f"{owner} {axis}"
        if name not in self._by_name:
            self._by_name[name] = DimVar(self._names.unused(said or f"{owner}_{axis}"))
        found = self._by_name[name]
        return self._same.get(found, found)
