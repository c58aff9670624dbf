"""Compiles external functions with the compilers that other packages provide."""

import hashlib
from collections.abc import Iterable

from relay.build.straight_line_program import tensor_types
from relay.ir.expr import Function
from relay.ir.types import TensorType
from relay.runtime.program import ExternalPart, TensorSpec
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError, RelayError
from relay.transform.compilers.external_compiler import compiler_named


def compile_external(function: Function, compiler: str, label: str) -> ExternalPart:
    """Return the code that an external compiler generates for a function.

    Raises `C164` if the compiler fails or returns something else than bytes.
    """
    region = Function(function.params, function.body, span=function.span)
    try:
        code = compiler_named(compiler).compile(region)
    except RelayError:
        raise
    except (Exception, SystemExit) as error:
        raise _failed(function, compiler, f"{type(error).__name__}: {error}", label) from error
    if not isinstance(code, bytes):  # pyright: ignore[reportUnnecessaryIsInstance] - as packages may
        found = f"it returned a value of type {type(code).__name__} instead of bytes"
        raise _failed(function, compiler, found, label)
    inputs = [_spec(param.name, param.tensor_type) for param in function.params]
    results = enumerate(tensor_types(function.body.type))
    outputs = [_spec(f"output{number}", ty) for number, ty in results]
    symbol = _symbol(compiler, code, [*inputs, *outputs])
    return ExternalPart(symbol, compiler, code, tuple(inputs), tuple(outputs))


def _spec(name: str, ty: TensorType) -> TensorSpec:
    return TensorSpec(name, ty.static_shape, ty.dtype)


def _symbol(compiler: str, code: bytes, specs: Iterable[TensorSpec]) -> str:
    """Return a symbol that is equal for parts with the same code and types."""
    text = "\0".join([compiler, *map(str, specs)])
    return f"relay_external_{hashlib.sha256(text.encode() + code).hexdigest()[:32]}"


def _failed(function: Function, compiler: str, why: str, label: str) -> CompileError:
    return CompileError(
        ErrorCode.C164,
        f"the external compiler '{compiler}' could not compile {label}: {why}",
        span=function.span or function.body.span,
        help=(
            "report this to the authors of that compiler's package, or compile the model without it"
        ),
    )
