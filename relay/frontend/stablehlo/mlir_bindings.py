"""Access JAX's MLIR bindings through their public names."""

from importlib import import_module
from typing import Any

jax: Any = import_module("jax")
export: Any = import_module("jax.export")
ir: Any = import_module("jax.extend.mlir.ir")
stablehlo: Any = import_module("jax.extend.mlir.dialects.stablehlo")

_mlir: Any = import_module("jax.interpreters.mlir")
_extended: Any = import_module("jax.extend.mlir")

_BYTECODE = b"ML\xefR"


def opened(data: bytes) -> Any:
    """Return the MLIR module in serialised bytes or in text."""
    context = _mlir.make_ir_context()
    if data.startswith(_BYTECODE):
        return stablehlo.deserialize_portable_artifact(context, data)
    with context:
        return ir.Module.parse(data.decode())


def refined(module: Any) -> Any:
    """Return a module with the sizes of all values inferred from those of the entry function."""
    text = module.operation.get_asm(enable_debug_info=True)  # with the lines of the user's code
    return opened(_extended.refine_polymorphic_shapes(text.encode(), False, True))
