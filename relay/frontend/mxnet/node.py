"""Access to one node of an MXNet network for its translation: inputs and attributes."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from relay.frontend.unsupported_operators import custom_help
from relay.ir.expr import Expr
from relay.ir.types import TensorType
from relay.support.dtype import DType, dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayImportError
from relay.support.span import Span

WITHOUT_MEANING = frozenset((
    "workspace", "cudnn_tune", "cudnn_off", "cudnn_algo_verbose", "num_args", "ctx", "no_bias",
    "min_calib_range", "max_calib_range", "momentum", "lr_mult", "wd_mult", "force_mirroring",
    "grad_scale", "normalization", "use_ignore", "ignore_label", "multi_output", "preserve_shape",
    "out_grad", "smooth_alpha", "num_hidden", "num_filter", "safe_accumulation",
))  # fmt: skip
"""Attributes that affect only performance or training."""

_NUMBERS = re.compile(r"^[\[(]?\s*((?:[-+.\w]+\s*,?\s*)*)[\])]?$", re.ASCII)
_LONGEST = 10_000
_OFF = frozenset(("None", "False", "0", "", "()", "[]", "null", "0.0"))


Subgraph: TypeAlias = Callable[[Sequence[Expr]], list[Expr]]
"""Translates a graph inside of a node: maps values of its variables, in order, to its results."""


@dataclass(eq=False)
class MxNode:
    """A node with translated inputs; its attributes are strings, which methods parse."""

    op: str
    inputs: Sequence[Expr]
    attributes: Mapping[str, str]
    span: Span
    subgraphs: Sequence[Subgraph] = ()
    _read: set[str] = field(default_factory=set[str])

    def __contains__(self, name: str) -> bool:
        """Whether an attribute is present and its value is not None."""
        return self.attributes.get(name, "None") != "None"

    def tensor(self, index: int = 0) -> Expr:
        """Return an input; raises `F020` if it is missing."""
        if index >= len(self.inputs):
            raise self.error(ErrorCode.F020, f"the input number {index} is missing")
        return self.inputs[index]

    def subgraph(self, index: int) -> Subgraph:
        """Return a graph inside of the node; raises `F020` if it is missing."""
        if index >= len(self.subgraphs):
            raise self.error(ErrorCode.F020, f"the subgraph number {index} is missing")
        return self.subgraphs[index]

    def type(self, index: int = 0) -> TensorType:
        """Return the type of an input."""
        return self.tensor(index).tensor_type

    def text(self, name: str, default: str | None = None) -> str:
        """Return an attribute as a string; raises `F023` if it is missing."""
        self._read.add(name)
        found = self.attributes.get(name, default)
        if found is None:
            raise self.error(ErrorCode.F023, f"the attribute '{name}' is missing")
        return found

    def integer(self, name: str, default: int | None = None) -> int:
        """Return an attribute that is an integer."""
        found = self.number(name, default)
        if found != int(found):
            raise self.wrong(name)
        return int(found)

    def number(self, name: str, default: float | None = None) -> float:
        """Return an attribute that is a number."""
        text = self.text(name, None if default is None else str(default))
        try:
            return float({"True": "1", "False": "0"}.get(text, text))
        except ValueError:
            raise self.wrong(name) from None

    def flag(self, name: str, default: bool = False) -> bool:
        """Return an attribute that is a boolean."""
        text = self.text(name, str(default)).lower()
        if text not in ("true", "false", "1", "0", "none"):
            raise self.wrong(name)
        return text in ("true", "1")

    def optional_ints(self, name: str) -> tuple[int | None, ...]:
        """Return an attribute that is a list of integers or Nones, or a single one."""
        text = self.text(name, "()").strip()
        match = _NUMBERS.match(text) if len(text) < _LONGEST else None
        if match is None:
            raise self.wrong(name)
        parts = [each.strip() for each in match[1].split(",")]
        try:
            return tuple(None if each == "None" else int(each) for each in parts if each)
        except ValueError:
            raise self.wrong(name) from None

    def ints(self, name: str, default: Sequence[int] | None = None) -> tuple[int, ...]:
        """Return an attribute that is a list of integers; `default` if it is empty."""
        found = self.optional_ints(name)
        if not found and default is not None:
            return tuple(default)
        if None in found:
            raise self.wrong(name)
        return tuple(each for each in found if each is not None)

    def numbers(self, name: str, default: Sequence[float]) -> tuple[float, ...]:
        """Return an attribute that is a list of numbers; `default` if it is empty."""
        text = self.text(name, "()").strip("()[] ")
        try:
            found = tuple(float(each) for each in text.split(",") if each.strip())
        except ValueError:
            raise self.wrong(name) from None
        return found or tuple(default)

    def dtype(self, name: str = "dtype", default: str = "float32") -> DType:
        """Return an attribute that is an element type."""
        try:
            return dtype(self.text(name, default))
        except RelayError:
            raise self.wrong(name) from None

    def ignore(self, *names: str) -> None:
        """Mark attributes as read that the translation ignores, because they have no effect."""
        self._read.update(names)

    def check_all_read(self) -> None:
        """Raise `F062` for attributes that affect the result but were not read."""
        for name, found in self.attributes.items():
            is_users = name.startswith("__") or name.endswith("__")
            if name in self._read or name in WITHOUT_MEANING or is_users or found in _OFF:
                continue
            raise self.wrong(name)

    def wrong(self, name: str) -> RelayImportError:
        """Return the error for an unsupported attribute."""
        problem = f"the attribute {name}={self.attributes.get(name, '')[:80]} is not supported"
        return self.error(ErrorCode.F062, problem, help=custom_help(self.op))

    def error(self, code: ErrorCode, problem: str, help: str | None = None) -> RelayImportError:
        """Return an error located at this node."""
        return RelayImportError(code, f"{self.op}: {problem}", span=self.span, help=help)
