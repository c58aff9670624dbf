"""Import TorchScript: traced and scripted modules, and their files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast
from warnings import catch_warnings

import torch
from torch.utils import _pytree as pytree

from relay.frontend.custom_translations import OwnTranslations
from relay.frontend.import_result import Imported
from relay.frontend.pytorch import Converter
from relay.frontend.torch.custom_converters import converter
from relay.frontend.torch.dtypes import relay_dtype
from relay.frontend.torch.gradient_modes import with_kept_detach
from relay.frontend.torch.result_expressions import result_of
from relay.frontend.torch.safe_loading import first_line, without_pickles
from relay.frontend.torch.torchscript_graph import ScriptImporter
from relay.ir.dims import Dim, Symbolic
from relay.ir.expr import Function, Tuple, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.support.dtype import DType, dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Source, Span


def is_script(model: object) -> bool:
    """Whether a model is TorchScript: traced or scripted."""
    kinds: Any = torch.jit.ScriptModule | torch.jit.ScriptFunction
    return isinstance(model, kinds)


def from_script(
    model: object,
    infos: Sequence[Any] | None,
    examples: Sequence[Any] | None = None,
    custom: Mapping[str, Converter] | None = None,
    default_dtype: str = "float32",
) -> Imported:
    """Translate a traced or scripted module, or a scripted function.

    `infos` describes each input by a name and a shape, or a name, a shape and an element type,
    `("x", ((1, 3), "int64"))`, or by a name and a list of these if the input is a list or tuple.
    Alternatively, `examples` has a value for each input; values that are not tensors become part of
    the program, and so do the defaults of further inputs. Buffers that a call changes are further
    inputs, and their new values further results. Raises `F014` if the number of inputs is
    wrong, `F036` in training mode.
    """
    graph, owner = _graph_of(model)
    declared = list(graph.inputs())[0 if owner is None else 1 :]
    inputs = _inputs(declared, infos, examples, dtype(default_dtype), _defaults(model))
    given = OwnTranslations(custom, converter)
    values = inputs if owner is None else [owner, *inputs]
    importer = ScriptImporter(graph, given)
    names, results = importer.run(values)
    outputs = [result_of(each) for each in results]
    params = [x for x in pytree.tree_leaves(inputs) if isinstance(x, Var)]
    body = outputs[0] if len(outputs) == 1 else Tuple(tuple(outputs))
    given.warn_of_unused()
    state = importer.state
    main = Function((*params, *state.params.values()), body, attrs={"outputs": tuple(names)})
    return Imported(Module.of(main), state.initial)


def _graph_of(model: Any) -> tuple[Any, Any]:
    """Return a model's graph with calls inlined, and the module that owns its attributes."""
    if isinstance(model, torch.jit.ScriptFunction):
        graph: Any = cast("Any", model).graph.copy()
        torch._C._jit_pass_inline(graph)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - it has no public name
        return graph, None
    if getattr(model, "training", False):
        message = "the model is in training mode"
        raise RelayImportError(
            ErrorCode.F036, message, help="call model.eval() before loading the model"
        )
    if not hasattr(model, "training"):  # it is already frozen
        return model.graph, model
    if not hasattr(model, "inlined_graph"):
        help_ = "write a module with one method forward that calls this module, and script that one"
        message = (
            "the module must have exactly one method forward, but has none or several overloads"
        )
        raise RelayImportError(ErrorCode.F055, message, help=help_)
    frozen = _frozen(model)
    return frozen.graph, frozen


def _frozen(model: Any) -> Any:
    """Return a script module without calls of other modules; raises `F055` if it is damaged.

    PyTorch reads some parts of a file only when it writes the module again.
    """
    try:
        with catch_warnings(action="ignore", category=DeprecationWarning):  # as TorchScript is
            return torch.jit.freeze(with_kept_detach(model), optimize_numerics=False)
    except (RuntimeError, UnicodeDecodeError) as error:
        raise RelayImportError(
            ErrorCode.F055,
            f"PyTorch cannot freeze the TorchScript program: {first_line(error)}",
            help=(
                "call torch.jit.freeze(module) to see the full error; if the file is damaged, "
                "write it again with torch.jit.save"
            ),
        ) from error


def _defaults(model: Any) -> list[object]:
    """Return the default values of the last inputs."""
    is_function = isinstance(model, torch.jit.ScriptFunction)
    schema: Any = cast("Any", model).schema if is_function else model.forward.schema
    return [each.default_value for each in schema.arguments if each.has_default_value()]


def _inputs(
    declared: Sequence[Any],
    infos: Sequence[Any] | None,
    examples: Sequence[Any] | None,
    default: DType,
    defaults: Sequence[object],
) -> list[object]:
    """Return variables for tensor inputs; other examples and defaults unchanged."""
    given = list(examples or ()) if infos is None else list(infos)
    missing = len(declared) - len(given)
    rest = list(defaults[len(defaults) - missing :]) if 0 < missing <= len(defaults) else []
    if len(given) + len(rest) != len(declared):
        raise _other_count([_name(value) for value in declared], len(given))
    if infos is not None:
        return [*(_declared(info, default) for info in infos), *rest]
    pairs = zip(declared, given, strict=False)
    return [*(_example(_name(value), each) for value, each in pairs), *rest]


def _other_count(names: Sequence[str], given: int) -> RelayImportError:
    """Return the error `F014` for another number of shapes than the model has inputs."""
    inputs = "1 input" if len(names) == 1 else f"{len(names)} inputs"
    message = f"the model has {inputs} ({', '.join(names)}), but shapes are given for {given}"
    first = names[0] if names else "x"
    help_ = (
        f'pass a shape for each, in order: relay.load(path, shapes={{"{first}": (1, 3, 224, 224)}})'
        f', or relay.frontend.from_pytorch(script, [("{first}", (1, 3, 224, 224))])'
    )
    return RelayImportError(ErrorCode.F014, message, help=help_)


def _name(value: Any) -> str:
    """Return the name of an input without the suffix that TorchScript appends."""
    return value.debugName().partition(".")[0]


def _declared(info: Any, default: DType) -> object:
    """Return a variable for a described tensor, or a list of variables for a list of tensors."""
    pair = cast("Sequence[Any]", info) if isinstance(info, list | tuple) else ()
    if len(pair) != 2 or not isinstance(pair[0], str) or not isinstance(pair[1], list | tuple):
        raise _invalid(cast("object", info))
    name, rest = pair[0], cast("Sequence[Any]", pair[1])
    if _is_list(rest):
        return [_declared((f"{name}_{i}", each), default) for i, each in enumerate(rest)]
    shape, element = (rest[0], dtype(rest[1])) if _has_dtype(rest) else (rest, default)
    sizes = tuple(cast("Sequence[object]", shape))
    if not all(isinstance(each, int | Symbolic) for each in sizes):
        raise _invalid(cast("object", info))
    return Var(name, TensorType(cast("tuple[Dim, ...]", sizes), element), span=_span(name))


def _invalid(info: object) -> RelayImportError:
    """Return the error `F014` for a description of an input that is not a name and a shape."""
    return RelayImportError(
        ErrorCode.F014,
        f"an input must be described by a name and a shape, not {info!r}",
        help='write [("x", (1, 3, 224, 224))], or [("x", ((1, 3), "int64"))]',
    )


def _is_list(rest: Any) -> bool:
    """Whether a description is a list of shapes, or of pairs of a shape and an element type."""
    return len(rest) > 0 and all(isinstance(x, list | tuple) for x in rest)


def _has_dtype(rest: Any) -> bool:
    return len(rest) == 2 and isinstance(rest[0], list | tuple)


def _example(name: str, example: object) -> object:
    """Return an example with its tensors, also those in lists and dictionaries, as variables."""
    if isinstance(example, torch.Tensor):
        ty = TensorType(tuple(example.shape), relay_dtype(example.dtype, _span(name)))
        return Var(name, ty, span=_span(name))
    if isinstance(example, dict):
        table = cast("dict[str, object]", example)
        return {key: _example(f"{name}_{key}", each) for key, each in table.items()}
    if isinstance(example, list | tuple):
        listed = cast("Sequence[object]", example)
        return [_example(f"{name}_{index}", each) for index, each in enumerate(listed)]
    return example


def _span(name: str) -> Span:
    return Span(Source(f"input {name}"))


def opened_script(path: Path) -> Any:
    """Return the module in a TorchScript file (`.pt`); raises `F055` for other files."""
    try:
        with without_pickles():
            return cast("Any", torch.jit.load(path))
    except Exception as error:  # noqa: BLE001 - the reader raises what its parts raise
        raise RelayImportError(
            ErrorCode.F055,
            f"the file {path} does not contain a TorchScript program: {first_line(error)}",
            help="write the file with torch.jit.save; a file of weights alone is not enough",
        ) from None
