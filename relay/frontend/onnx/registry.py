"""The table of translation functions of ONNX operators, by domain and name."""

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

from relay.frontend.custom_translations import store
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.rank_splits import Fork
from relay.frontend.onnx.value import OnnxValue
from relay.ir.expr import Expr

Translation: TypeAlias = Callable[[OnnxNode], Expr | Sequence[Expr] | Sequence[OnnxValue] | Fork]
"""Returns the result of a node, or its results in order; a fork for two types."""

_T = TypeVar("_T", bound=Translation)

Domain: TypeAlias = str
DEFAULT_DOMAIN: Domain = ""
MICROSOFT: Domain = "com.microsoft"
"""The operators of ONNX Runtime that its optimiser and its tools write into models."""
NCHWC: Domain = "com.microsoft.nchwc"
"""The operators on images in blocks of channels that ONNX Runtime's optimiser writes."""

ON_HOST = frozenset(
    (
        "CategoryMapper",
        "ImageDecoder",
        "RegexFullMatch",
        "StringConcat",
        "StringNormalizer",
        "StringSplit",
        "ZipMap",
    )
)
"""Operators that `relay.interop.onnx.compile_onnx` runs on the host."""

TRANSLATIONS: dict[tuple[Domain, str], Translation] = {}


def onnx_operator(*names: str, domain: Domain = DEFAULT_DOMAIN) -> Callable[[_T], _T]:
    """Return a decorator that registers the translation of one or more ONNX operators.

    One function translates all opset versions: it tests `node.opset` where versions differ.
    """

    def declare(translation: _T) -> _T:
        for name in names:
            store(TRANSLATIONS, (domain, name), name, translation)
        return translation

    return declare


def translated_onnx_operators() -> dict[str, str]:
    """Return the location of each operator's translation, by domain and name: `ai.onnx::Gemm`."""
    return {
        f"{domain or 'ai.onnx'}::{name}": f"{_module(translation)}.{translation.__name__}"
        for (domain, name), translation in TRANSLATIONS.items()
    }


def _module(translation: Translation) -> str:
    return translation.__module__.removeprefix("relay.frontend.onnx.")
