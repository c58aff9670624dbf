"""Names for the sizes that a model leaves open."""

import onnx

from relay.ir.dims import Dim, DimVar


class Symbols:
    """Symbolic dimensions by the names of a model, which may be any text, or missing.

    With `shared` all open sizes at the same axis of inputs are one symbol.
    """

    def __init__(self, *, shared: bool = False) -> None:
        self._shared = shared
        self._by_name: dict[str, DimVar] = {}
        self._taken: set[str] = set()

    def dim(self, dim: onnx.TensorShapeProto.Dimension, owner: str, axis: int) -> Dim:
        """Return a size, or the symbol for it; `owner` names the tensor where a name is missing."""
        if dim.HasField("dim_value") and dim.dim_value >= 0:
            return dim.dim_value
        name = f"axis {axis}" if self._shared else dim.dim_param or f"{owner} {axis}"
        if name not in self._by_name:
            self._by_name[name] = DimVar(self._unused(dim.dim_param or f"{owner}_{axis}"))
        return self._by_name[name]

    def _unused(self, wanted: str) -> str:
        """Return a name that can be written in Relay's text and that nothing else has."""
        name = "".join(c if c.isascii() and c.isalnum() else "_" for c in wanted)
        name = name if name[:1].isalpha() else f"d{name}"
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name
