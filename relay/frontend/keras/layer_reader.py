"""Access to one call of a Keras layer for its translation: options, arguments and weights."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from reprlib import repr as short
from typing import Any, TypeAlias

import numpy as np

from relay.frontend.json_values import is_fields, is_list
from relay.frontend.keras.model_config import Layer
from relay.frontend.keras.weights import Weights
from relay.frontend.unsupported_operators import custom_help
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ir.types import TensorType
from relay.ops.cast import Cast
from relay.support.dtype import DType, dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayImportError
from relay.support.span import Span

WITHOUT_MEANING = frozenset((
    "name", "trainable", "dtype", "batch_input_shape", "batch_shape", "input_shape", "sparse",
    "ragged", "optional", "seed", "noise_shape", "momentum", "synchronized", "rate", "stddev",
    "activity_regularizer", "implementation", "unroll", "use_cudnn", "registered_name", "module",
    "input_dtype", "autocast", "flash_attention", "dropout", "recurrent_dropout", "input_length",
    "drop_path_rate", "build_config",
))  # fmt: skip
"""Options that affect only training or performance, not the result."""

_FOR_TRAINING = ("_initializer", "_regularizer", "_constraint")

Apply: TypeAlias = Callable[[Layer, Sequence[object], Weights], "Sequence[Expr]"]
"""Maps a layer, the arguments of a call and its weights to the results."""


@dataclass(eq=False)
class LayerReader:
    """A call of a layer: its options, its arguments as expressions, and its weights.

    `masks` maps a sequence expression to the mask of its time steps, `(batch, time)`, if a layer
    computed one; `apply` translates the call of a nested layer. Options and arguments that are
    accessed are recorded, so that `check_all_read` can report the others.
    """

    layer: Layer
    args: tuple[object, ...]
    named: Mapping[str, object]
    weights: Weights
    span: Span
    masks: dict[Expr, Expr]
    apply: "Apply"
    _read: set[str] = field(default_factory=set[str])
    _places: set[int] = field(default_factory=set[int])

    @property
    def kind(self) -> str:
        """Return the class of the layer."""
        return self.layer.kind

    # --- options

    def option(self, name: str, default: object = None) -> Any:
        """Return an option of the layer, or `default`."""
        self._read.add(name)
        return self.layer.options.get(name, default)

    def ignore(self, *names: str) -> None:
        """Mark options as read that the translation ignores, because they have no effect."""
        self._read.update(names)

    def integer(self, name: str, default: int | None = None) -> int:
        """Return an option that is an integer."""
        found = self.option(name, default)
        if isinstance(found, bool) or not isinstance(found, int):
            raise self.wrong(name, found)
        return found

    def number(self, name: str, default: float | None = None) -> float:
        """Return an option that is a number; Keras writes some as arrays of one element."""
        found = self.option(name, default)
        inner = found.get("config") if is_fields(found) else None
        if is_fields(inner):
            found = inner.get("value")
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise self.wrong(name, found)
        return float(found)

    def flag(self, name: str, default: bool = False) -> bool:
        """Return an option that is a boolean."""
        return bool(self.option(name, default))

    def text(self, name: str, default: str | None = None) -> str:
        """Return an option that is a string."""
        found = self.option(name, default)
        if not isinstance(found, str):
            raise self.wrong(name, found)
        return found

    def ints(self, name: str, rank: int, default: object = None) -> tuple[int, ...]:
        """Return an option with one integer per axis; a single integer applies to all axes."""
        found = self.option(name, default)
        listed: list[Any] = [found] * rank if isinstance(found, int) else list(found or ())
        if len(listed) != rank or not all(isinstance(each, int) for each in listed):
            raise self.wrong(name, found)
        return tuple(listed)

    def axes(self, name: str = "axis", default: int = -1) -> tuple[int, ...]:
        """Return an option that is an axis or a list of axes; negative axes become nonnegative."""
        found = self.option(name, default)
        listed: list[Any] = [found] if isinstance(found, int) else list(found)
        rank = self.type().rank
        if not all(isinstance(each, int) and -rank <= each < rank for each in listed):
            raise self.wrong(name, found)
        return tuple(each % rank for each in listed)

    def axis(self, name: str = "axis", default: int = -1) -> int:
        """Return an option that is a single axis; a negative axis becomes nonnegative."""
        found = self.axes(name, default)
        if len(found) != 1:
            raise self.wrong(name, self.option(name))
        return found[0]

    def inside(self, name: str) -> Layer:
        """Return the nested layer that is described in the option `name`."""
        return self.layer_of(self.option(name), name)

    def layer_of(self, found: object, name: str) -> Layer:
        """Return the layer that the configuration `found` of the option `name` describes."""
        kind = found.get("class_name") if is_fields(found) else None
        options = found.get("config") if is_fields(found) else None
        if not isinstance(kind, str) or not is_fields(options):
            raise self.wrong(name, found)
        return Layer(str(options.get("name", kind)), kind, options, ())

    def check_all_read(self) -> None:
        """Raise `F072` for options and arguments that affect the result but were not read."""
        self.check_options()
        self._check({name: each for name, each in self.named.items() if name != "mask"})
        places = {f"argument {index}": each for index, each in enumerate(self.args)
                  if index not in self._places}  # fmt: skip
        self._check(places)

    def check_options(self) -> None:
        """Raise `F072` for options that affect the result but were not read."""
        self._check(self.layer.options)

    def _check(self, given: Mapping[str, object]) -> None:
        for name, found in given.items():
            is_off = found is None or found is False or found in ({}, [], "")
            if is_off or name in self._read or name in WITHOUT_MEANING:
                continue
            if not name.endswith(_FOR_TRAINING):
                raise self.wrong(name, found)

    # --- arguments

    def argument(self, name: str, index: int) -> object:
        """Return an argument of the call by name or position; None if it is absent."""
        self._read.add(name)
        self._places.add(index)
        if name in self.named:
            return self.named[name]
        return self.args[index] if index < len(self.args) else None

    def first(self) -> object:
        """Return the first argument, or the first item of it if it is a list."""
        self._places.add(0)
        if not self.args:
            self._read.update(list(self.named)[:1])
        found = self.args[0] if self.args else next(iter(self.named.values()), None)
        return next(iter(found), None) if is_list(found) else found

    def tensor(self) -> Expr:
        """Return the first argument as a tensor in the layer's element type."""
        return self.as_tensor(self.first())

    def tensors(self) -> list[Expr]:
        """Return the items of the first argument as tensors if it is a list, else all arguments."""
        return [self.as_tensor(each) for each in self.items()]

    def items(self) -> Sequence[object]:
        """Return the items of the first argument if it is a list, else all arguments."""
        self._places.update(range(len(self.args)))
        first = self.args[0] if len(self.args) == 1 else None
        return first if is_list(first) else self.args

    def values(self) -> list[Any]:
        """Return all arguments by position, then those by name: tensors, numbers, and lists."""
        self._places.update(range(len(self.args)))
        self._read.update(self.named)
        return [self.value(each) for each in (*self.args, *self.named.values())]

    def value(self, given: object) -> Any:
        """Return an argument with arrays of the configuration as constants."""
        if is_list(given):
            return [self.value(each) for each in given]
        array = _array(given)
        return given if array is None else Constant(array, span=self.span)

    def mask(self) -> Expr | None:
        """Return the mask of the time steps of the first argument; None if all are valid.

        In Keras 3 the mask is an argument of the call if a previous layer computed one.
        """
        given = self.named.get("mask")
        if isinstance(given, Expr):
            return given
        found = self.first()
        return self.masks.get(found) if isinstance(found, Expr) else None

    def as_tensor(self, value: object) -> Expr:
        """Return a value that must be a tensor; a number becomes a constant.

        Raises `F021` for other values.
        """
        if isinstance(value, bool | int | float):
            return Constant(np.asarray(value, self.dtype.numpy))
        if not isinstance(value, Expr) or not isinstance(value.ty, TensorType):
            raise self.error(
                ErrorCode.F021, f"an argument of the layer must be a tensor, not {short(value)}"
            )
        if self.layer.is_operation:
            return value
        if value.tensor_type.dtype.is_float and value.tensor_type.dtype is not self.dtype:
            return Call(Cast(self.dtype), (value,), span=self.span)
        return value

    def type(self) -> TensorType:
        """Return the type of the first argument."""
        return self.tensor().tensor_type

    # --- weights

    @property
    def dtype(self) -> DType:
        """Return the layer's element type; raises `F072` for unsupported dtype policies."""
        self._check_not_quantised()
        name = _policy(self.layer.options.get("dtype"))
        name = name.removeprefix("mixed_") if isinstance(name, str) else name
        try:
            found = dtype(name) if isinstance(name, str) else None
        except RelayError:
            found = None
        if found is None:
            raise self.error(
                ErrorCode.F072,
                f"the option dtype={short(name)} is not supported",
                help=self._custom_help,
            )
        return found if found.is_float or self.kind == "InputLayer" else dtype("float32")

    def arrays(self, count: int) -> list[Array]:
        """Return the layer's own weights; raises `F073` unless there are `count` of them."""
        return self.as_weights(self.weights.arrays(), count)

    def as_weights(self, found: Sequence[Array], count: int) -> list[Array]:
        """Return weights in the layer's element type; raises `F073` unless there are `count`."""
        self._check_not_quantised()
        if len(found) != count:
            raise self.error(
                ErrorCode.F073,
                f"the layer needs {count} weights, but the file has {len(found)} for it",
                help=(
                    "load the weights that belong to this model; call a layer once before saving it"
                ),
            )
        return [each.astype(self.dtype.numpy, copy=False) for each in found]

    def constant(self, array: Array) -> Constant:
        """Return an array of weights as a constant in the layer's element type."""
        return Constant(array.astype(self.dtype.numpy, copy=False), span=self.span)

    def constants(self, arrays: Iterable[Array]) -> list[Constant]:
        """Return arrays of weights as constants in the layer's element type."""
        return [self.constant(each) for each in arrays]

    # --- errors and nested layers

    @property
    def _custom_help(self) -> str:
        return custom_help(self.layer.key, "layer's class")

    def _check_not_quantised(self) -> None:
        """Raise `F072` for layers that Keras has quantised, whose weights are codes and scales."""
        match self.layer.options.get("dtype"):
            case {"config": {"mode": str(mode)}}:
                raise self.error(
                    ErrorCode.F072,
                    f"Keras has quantised the layer (dtype policy {mode}), which is not supported",
                    help="save the model before model.quantize(), or export a SavedModel of it: "
                    'model.export("folder")',
                )
            case _:
                pass

    def of_part(self, layer: Layer, weights: Weights) -> "LayerReader":
        """Return a reader of a nested layer, with the arguments of this call."""
        return replace(self, layer=layer, weights=weights, _read=set(), _places=set())

    def wrong(self, name: str, found: object) -> RelayImportError:
        """Return the error for an option with an unsupported value."""
        return self.error(
            ErrorCode.F072,
            f"the option {name}={short(found)} is not supported",
            help=self._custom_help,
        )

    def error(self, code: ErrorCode, problem: str, help: str | None = None) -> RelayImportError:
        """Return an error located at this layer."""
        return RelayImportError(code, f"{self.kind}: {problem}", span=self.span, help=help)


def _array(given: object) -> Array | None:
    """Return the array that a configuration describes; None if it is not an array."""
    if not is_fields(given) or given.get("class_name") not in ("__numpy__", "__tensor__"):
        return None
    found: Any = given.get("config")
    return np.asarray(found["value"], dtype(str(found["dtype"])).numpy)


def _policy(found: object) -> object:
    """Return the name of a dtype policy, which is stored as a name or as a dictionary."""
    match found:
        case None:
            return "float32"
        case {"class_name": "DTypePolicy", "config": {"name": str(name)}}:
            return name
        case {"class_name": "Policy", "config": {"name": str(name)}}:
            return name
        case _:
            return found
