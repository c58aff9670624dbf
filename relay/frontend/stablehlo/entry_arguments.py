"""Name and type the arguments of the entry function, and convert names of functions."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from relay.frontend.stablehlo.attributes import tensor_type
from relay.frontend.stablehlo.source_locations import span_of
from relay.ir.dims import ANY, Dim, DimVar, substitute, variables
from relay.ir.expr import Var
from relay.ir.module import ENTRY
from relay.ir.types import TensorType
from relay.ops.tensor.shape_assertion import Assured

_WRAPPED = "_wrapped_jax_export_main"
"""The user's function if sizes are symbolic; the entry checks them and calls it."""


@dataclass(frozen=True)
class Input:
    """An input of an exported function; the module lacks inputs that are not used."""

    type: TensorType
    name: str
    is_used: bool

    def with_sizes(self, sizes: Mapping[DimVar, Dim]) -> "Input":
        """Return the input with some of its sizes replaced."""
        shape = tuple(substitute(size, sizes) for size in self.type.shape)
        return replace(self, type=TensorType(shape, self.type.dtype))


def open_inputs(names: Sequence[str], arguments: Sequence[Any]) -> list[Input]:
    """Return inputs for arguments of which the sizes have no names: each is a new variable."""
    found: list[Input] = []
    for name, argument in zip(names, arguments, strict=True):
        ty = tensor_type(argument.type, span_of(argument.location))
        shape = tuple(
            DimVar(f"{valid_name(name)}_{axis}") if size is ANY else size
            for axis, size in enumerate(ty.shape)
        )
        found.append(Input(TensorType(shape, ty.dtype), name, is_used=True))
    return found


def equal_sizes(checks: Iterable[Assured | None]) -> dict[DimVar, Dim]:
    """Return a size, mapped to an expression that a check requires to be equal; or nothing."""
    for check in checks:
        match check:
            case Assured(size=DimVar() as name, found=other, at_least=False):
                pass
            case Assured(size=other, found=DimVar() as name, at_least=False):
                pass
            case _:
                continue
        if name not in variables(other):
            return {name: other}
    return {}


def with_unused(used: Sequence[Var], inputs: Sequence[Input] | None) -> list[Var]:
    """Return the parameters of the entry function, with new ones for unused inputs."""
    if inputs is None:
        return list(used)
    named = iter(used)
    return [next(named) if each.is_used else Var(each.name, each.type) for each in inputs]


def entry_names(functions: Mapping[str, Any]) -> list[str]:
    """Return the names of the entry function's arguments; the function that it wraps has them."""
    entry = functions[ENTRY].regions[0].blocks[0].arguments
    if _WRAPPED not in functions:
        return names_of(entry)
    behind = functions[_WRAPPED].regions[0].blocks[0].arguments  # sizes precede arguments
    return names_of(list(behind)[len(behind) - len(entry) :])


def names_of(arguments: Sequence[Any]) -> list[str]:
    """Return JAX's names of arguments, such as `params['w']`, or their indices without a name."""
    found: list[str] = []
    for index, argument in enumerate(arguments):
        noted = _NAME.fullmatch(str(argument.location))
        name = noted["name"] if noted else f"arg{index}"
        found.append(name if name not in found else f"{name}_{index}")
    return found


_NAME = re.compile(r'loc\("(?P<name>[^"/]+)"\)')


def valid_name(name: str) -> str:
    """Return the Relay name for a function: other characters are replaced by underscores."""
    return "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in name)
