"""Replace the dynamic sizes of an exported program's inputs by those that a user gives."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import sympy as _sympy  # pyright: ignore[reportMissingTypeStubs] - it has none
import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind

from relay.frontend.input_checks import check_known
from relay.frontend.torch.symbolic_sizes import Symbols, formula_of
from relay.ir.dims import Dim, Symbolic
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Source, Span

sympy: Any = _sympy


def bind_shapes(
    program: ExportedProgram, symbols: Symbols, shapes: Mapping[str, Sequence[Dim]]
) -> None:
    """Declare the dynamic sizes of inputs, by name, that `shapes` gives.

    Raises `F019` for unknown inputs, `F014` for shapes that the program does not accept.
    """
    examples = input_examples(program)
    for name, shape in shapes.items():
        check_known([name], examples, Span(Source(f"input {name}")))
        sizes, given = examples[name].shape, cast("Sequence[object]", shape)
        is_valid = len(given) == len(sizes) and all(isinstance(x, int | Symbolic) for x in given)
        if not is_valid or not all(
            _bind(program, symbols, size, dim) for size, dim in zip(sizes, shape, strict=True)
        ):
            raise _misfit(name, sizes, shape)


def input_examples(program: ExportedProgram) -> dict[str, torch.Tensor]:
    """Return the tensors that describe the user's inputs, by name."""
    nodes = [node for node in program.graph.nodes if node.op == "placeholder"]
    pairs = zip(nodes, program.graph_signature.input_specs, strict=True)
    found = {
        node.name: node.meta.get("val") for node, spec in pairs if spec.kind is InputKind.USER_INPUT
    }
    return {name: each for name, each in found.items() if isinstance(each, torch.Tensor)}


def _bind(program: ExportedProgram, symbols: Symbols, size: Any, dim: Dim) -> bool:
    """Declare that a size is `dim`; return whether the program accepts it."""
    if not isinstance(size, torch.SymInt):
        return int(size) == dim
    formula = formula_of(size)
    if not isinstance(formula, sympy.Symbol):
        solved = _solved(formula, dim)
        if solved is None:
            return False
        formula, dim = solved
    limits = cast("Any", program.range_constraints).get(formula)
    if isinstance(dim, int) and limits is not None and not limits.lower <= dim <= limits.upper:
        return False
    return symbols.declare(formula, dim) == dim


def _solved(formula: Any, dim: Dim) -> tuple[Any, int] | None:
    """Return the symbol of a formula such as `2*s`, and its value if the formula is `dim`."""
    unknown = list(formula.free_symbols)
    if len(unknown) != 1 or not isinstance(dim, int):
        return None
    solutions = [x for x in sympy.solve(formula - dim, unknown[0]) if x.is_integer]
    return (unknown[0], int(solutions[0])) if len(solutions) == 1 else None


def _misfit(name: str, sizes: Sequence[object], shape: Sequence[object]) -> RelayImportError:
    exported = ", ".join(map(str, sizes))
    message = (
        f"the shape {shape!r} is given for the input '{name}', but it was exported with the "
        f"shape ({exported})"
    )
    help_ = (
        "give sizes within the limits of the export; only dynamic dimensions can be replaced: "
        "torch.export.export(model, inputs, dynamic_shapes={…})"
    )
    return RelayImportError(ErrorCode.F014, message, span=Span(Source(f"input {name}")), help=help_)
