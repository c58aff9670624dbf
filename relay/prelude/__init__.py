"""The standard library, written in Relay itself: lists, trees, natural numbers, tensor arrays."""

from typing import TYPE_CHECKING, Any

from relay.prelude.standard_library import import_from_std as import_from_std
from relay.prelude.standard_library import library as library
from relay.support.late_binding import module_above

if TYPE_CHECKING:
    from relay.prelude.prelude import Prelude as Prelude

_CLASSIC = {
    "Prelude": "relay.classic.prelude",  # that of `relay.Prelude`
    "TensorArrayOps": "relay.classic.tensor_array_ops",
    "StaticTensorArrayOps": "relay.classic.tensor_array_ops",
}


def __getattr__(name: str) -> Any:
    if name in _CLASSIC:
        return getattr(module_above(_CLASSIC[name]), name)
    raise AttributeError(f"module 'relay.prelude' has no attribute '{name}'")
