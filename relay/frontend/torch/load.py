"""Import exported PyTorch programs, and modules, which are exported first."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, InputSpec, OutputKind

from relay.frontend.custom_translations import OwnTranslations
from relay.frontend.import_result import Imported
from relay.frontend.pytorch import Converter
from relay.frontend.torch import all_translations  # noqa: F401  # pyright: ignore[reportUnusedImport] - fills the table
from relay.frontend.torch.check_supported import check_inference, check_supported
from relay.frontend.torch.custom_converters import converter
from relay.frontend.torch.dtypes import relay_dtype, shared_array
from relay.frontend.torch.export_modules import check_derivatives, check_examples, exported
from relay.frontend.torch.given_shapes import bind_shapes, input_examples
from relay.frontend.torch.graph import GraphImporter
from relay.frontend.torch.load_script import from_script, is_script, opened_script
from relay.frontend.torch.normalize_exported import prepared
from relay.frontend.torch.output_names import exported_names
from relay.frontend.torch.registry import Translation
from relay.frontend.torch.result_expressions import result_of
from relay.frontend.torch.safe_loading import first_line, without_pickles
from relay.frontend.torch.size_limits import within_limits
from relay.frontend.torch.symbolic_sizes import Symbols
from relay.ir.dims import Dim
from relay.ir.expr import Array, Constant, Expr, Function, Tuple, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.ir.walk import substitute
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError, UsageError
from relay.support.span import Source, Span


def from_exported(
    program: ExportedProgram,
    custom: Mapping[str, Converter] | None = None,
    shapes: Mapping[str, Sequence[Dim]] | None = None,
) -> Imported:
    """Translate an exported program to a module whose `main` is its graph.

    Parameters and buffers become constants that share the tensors' memory. Buffers and inputs that
    the program changes are additional results; such a buffer is an input, too. Complex tensors are
    pairs along a last axis of size 2. Dynamic dimensions of the export are symbolic unless `shapes`
    gives them, by input. Raises `F…` errors for unsupported features, with a list of all
    unsupported operators, and `F036` in training mode.
    """
    given = OwnTranslations(custom, converter)
    check_inference(program, given)
    check_derivatives(program)
    program = prepared(program, given)
    check_supported(program.graph_module, given)
    found = _Program(program, given, shapes or {}).imported()
    given.warn_of_unused()
    return found


def from_file(
    path: Path,
    shapes: Mapping[str, Sequence[Dim]] | None,
    custom: Mapping[str, Converter] | None = None,
) -> Imported:
    """Translate a `.pt2` file (an exported program), or a `.pt` file (TorchScript).

    `shapes` are needed for the inputs of TorchScript; those of an exported program replace its
    dynamic sizes.
    """
    model = model_in(path)
    if is_script(model):
        return from_script(model, [*(shapes or {}).items()], None, custom)
    return from_exported(model, custom, shapes)


def model_in(path: Path) -> Any:
    """Return the model in a `.pt2` or a `.pt` file."""
    return opened_script(path) if path.suffix == ".pt" else opened(path)


def from_infos(
    model: object,
    infos: Sequence[Any] | Mapping[str, Any],
    custom: Mapping[str, Converter] | None,
    default_dtype: str,
) -> Imported:
    """Translate a traced or scripted module, given descriptions of its inputs, in order.

    Raises `U003` for other models.
    """
    if not is_script(model):
        check_is_model(model)
        raise UsageError(
            ErrorCode.U003,
            "the option input_infos is accepted for TorchScript only",
            help=(
                "pass example tensors for other modules: from_pytorch(module, example_inputs=(x,))"
            ),
        )
    listed = [*infos.items()] if isinstance(infos, Mapping) else infos
    return from_script(model, listed, None, custom, default_dtype)


def from_model(
    model: object,
    examples: Sequence[Any] | None = None,
    dynamic_shapes: object = None,
    custom: Mapping[str, Converter] | None = None,
    shapes: Mapping[str, Sequence[Dim]] | None = None,
) -> Imported:
    """Translate an exported program, or a module, which is exported with example inputs.

    Raises `U003` if a module has no example inputs, `F051` if it cannot be exported.
    """
    if isinstance(model, ExportedProgram):
        return from_exported(model, custom, shapes)
    if is_script(model):
        if examples is not None:
            check_examples(examples)
        infos = [*shapes.items()] if shapes and examples is None else None
        return from_script(model, infos, examples, custom)
    module = check_is_model(model)
    if examples is None:
        raise UsageError(
            ErrorCode.U003,
            "example inputs are missing, which PyTorch needs to export a module",
            help="pass a tuple of tensors: example_inputs=(x,)",
        )
    return from_exported(exported(module, examples, dynamic_shapes), custom, shapes)


def check_is_model(model: object) -> torch.nn.Module:
    """Return a module; raise `U003` for another object, such as the class of a module."""
    if isinstance(model, torch.nn.Module):
        return model
    message = f"an object of the class {type(model).__name__} is not a PyTorch model"
    help_ = (
        "pass a module, an exported program, a scripted module, or the path of a .pt2 or .pt file"
    )
    if isinstance(model, type) and issubclass(model, torch.nn.Module):
        message = f"{model.__name__} is the class of PyTorch modules, not a module"
        help_ = f"make a module of it: {model.__name__}(…)"
    raise UsageError(ErrorCode.U003, message, help=help_)


class _Program:
    """A translator of an exported program: its inputs, outputs and graph."""

    def __init__(
        self,
        program: ExportedProgram,
        custom: Mapping[str, Translation],
        shapes: Mapping[str, Sequence[Dim]],
    ) -> None:
        self._program = program
        self._signature = program.graph_signature
        self._importer = GraphImporter(Symbols(), custom)
        bind_shapes(program, self._importer.symbols, shapes)
        self._written = set(self._signature.buffers_to_mutate.values())
        self._initial: dict[str, Array] = {}
        self._params: list[Var] = []
        self._state: dict[str, Var] = {}
        self._kept: set[str] = set()

    def imported(self) -> Imported:
        placeholders = [n for n in self._program.graph.nodes if n.op == "placeholder"]
        specs = self._signature.input_specs
        pairs = list(zip(placeholders, specs, strict=True))
        self._name_sizes()
        inputs = [self._input(node.name, spec, node.meta.get("val")) for node, spec in pairs]
        results = self._importer.run(self._program.graph_module, inputs)
        self._keep_state(results)
        names, outputs = self._outputs(results)
        if outputs:
            examples = input_examples(self._program)
            symbols = self._importer.symbols
            outputs[0] = within_limits(outputs[0], self._program, symbols, examples)
        body = outputs[0] if len(outputs) == 1 else Tuple(tuple(outputs))
        weights: dict[Var, Expr] = {
            self._state[name]: Constant(self._initial.pop(self._state[name].name))
            for name in self._kept
        }
        params = (*self._params, *(each for each in self._state.values() if each not in weights))
        main = Function(params, substitute(body, weights), attrs={"outputs": tuple(names)})
        return Imported(Module.of(main), self._initial)

    def _keep_state(self, results: Sequence[object]) -> None:
        """Find the buffers to which the program writes the value that they have: weights."""
        for spec, result in zip(self._signature.output_specs, results, strict=True):
            target = str(spec.target)
            if spec.kind is OutputKind.BUFFER_MUTATION and result is self._state.get(target):
                self._kept.add(target)

    def _name_sizes(self) -> None:
        """Name the dynamic sizes after the first input that has them, then those in formulas."""
        examples, symbols = input_examples(self._program), self._importer.symbols
        for name, example in examples.items():
            symbols.shape(example, name)
        for name, example in examples.items():
            for axis, size in enumerate(example.shape):
                symbols.name_factors(size, name, axis)

    def _input(self, name: str, spec: InputSpec, example: object) -> object:
        """Return the value of a placeholder node: an input, a weight, or a constant."""
        if spec.kind is InputKind.USER_INPUT:
            return self._user_input(name, spec, example)
        if spec.kind is InputKind.TOKEN or spec.target is None:
            return None
        tensor = self._tensor(spec.target)
        span = Span(Source(f"{spec.target} of the model"))
        array = shared_array(tensor, span)
        if spec.target not in self._written:
            return Constant(array, span=span)
        state = Var(spec.target.replace(".", "_"), Constant(array).type, span=span)
        self._state[spec.target] = state
        self._initial[state.name] = array.copy()  # calls of the model write to its own
        return state

    def _user_input(self, name: str, spec: InputSpec, example: object) -> object:
        if not isinstance(example, torch.Tensor):
            return cast("Any", spec.arg).value if example is None else example
        span = Span(Source(f"input {name}"))
        shape = self._importer.symbols.shape(example)
        param = Var(name, TensorType(shape, relay_dtype(example.dtype, span)), span=span)
        self._params.append(param)
        return param

    def _tensor(self, target: str) -> torch.Tensor:
        found: Any = self._program.state_dict.get(target)
        return cast("Any", self._program.constants[target]) if found is None else found

    def _outputs(self, results: Sequence[object]) -> tuple[list[str], list[Expr]]:
        """Return the names and values of `main`'s results: the user's, then written tensors."""
        own: list[tuple[str, Expr]] = []
        written: list[tuple[str, Expr]] = []
        names_of_own = iter(self._names())
        for spec, result in zip(self._signature.output_specs, results, strict=True):
            is_own = spec.kind is OutputKind.USER_OUTPUT
            name = next(names_of_own) if is_own else str(spec.target).replace(".", "_")
            is_weight = not is_own and spec.target in self._kept
            if result is not None and spec.kind is not OutputKind.TOKEN and not is_weight:
                (own if is_own else written).append((name, result_of(result)))
        names, outputs = zip(*(*own, *written), strict=True) if own or written else ((), ())
        return list(names), list(outputs)

    def _names(self) -> list[str]:
        """Return the names of the user's outputs."""
        specs = self._signature.output_specs
        own = [each for each in specs if each.kind is OutputKind.USER_OUTPUT]
        names = [getattr(each.arg, "name", None) or f"output_{i}" for i, each in enumerate(own)]
        return exported_names(self._program.call_spec.out_spec, names)


def opened(path: Path) -> ExportedProgram:
    """Return the exported program in a `.pt2` file; raises `F054` for other files."""
    try:
        with without_pickles():
            return torch.export.load(path)
    except Exception as error:  # noqa: BLE001 - the reader raises what its parts raise
        raise RelayImportError(
            ErrorCode.F054,
            f"the file {path} does not contain a readable exported program: {first_line(error)}",
            help="write the file with torch.export.save, with this or an older PyTorch",
        ) from None
