"""Translate the bytes of a TensorFlow Lite file to a Relay module."""

from collections.abc import Mapping, Sequence

from relay.frontend.custom_translations import OwnTranslations
from relay.frontend.import_result import Imported
from relay.frontend.input_checks import check_distinct, check_known, check_shape
from relay.frontend.tensorflow_lite import Converter
from relay.frontend.tflite import all_translations  # noqa: F401  # pyright: ignore[reportUnusedImport] - fills the table
from relay.frontend.tflite.check_supported import check_supported
from relay.frontend.tflite.custom_converters import converter
from relay.frontend.tflite.graph import GraphImporter, zeros_of
from relay.frontend.tflite.model import LiteGraph, LiteModel, LiteTensor
from relay.frontend.tflite.read_model import read_model
from relay.frontend.tflite.registry import Translation
from relay.frontend.tflite.values import Value
from relay.ir.dims import Dim
from relay.ir.expr import Array, Constant, Expr, Function, Tuple, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.support.dtype import DType, dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayImportError
from relay.support.span import Source, Span


def from_bytes(
    data: bytes,
    name: str,
    shapes: Mapping[str, Sequence[Dim]] | None = None,
    dtypes: Mapping[str, str] | None = None,
    custom: Mapping[str, Converter] | None = None,
    *,
    with_state: bool = False,
) -> Imported:
    """Translate a model to a module whose `main` is the model's first graph.

    Inputs have the names and shapes of the file's tensors; `shapes` replaces some shapes. Weights
    become constants that share the memory of `data`. With `with_state`, variables are the last
    inputs of `main`, and their new values its last results. Raises `F…` errors for models that are
    damaged or not supported; the latter errors list all unsupported operators.
    """
    source = Source(name)
    model = read_model(data, name)
    given = OwnTranslations(custom, converter)
    check_supported(model, given, source)
    try:
        found = _imported(model, source, shapes or {}, dtypes or {}, given, with_state=with_state)
    except RelayError as error:
        error.at(Span(source))
        raise
    given.warn_of_unused()
    return found


def _imported(
    model: LiteModel,
    source: Source,
    shapes: Mapping[str, Sequence[Dim]],
    dtypes: Mapping[str, str],
    given: Mapping[str, Translation],
    *,
    with_state: bool,
) -> Imported:
    """Translate a model whose operators are all supported."""
    graph = model.graphs[0]
    names = [graph.tensors[index].name for index in graph.inputs]
    check_distinct(names, Span(source))
    check_known(shapes, names, Span(source))
    params = [_param(graph.tensors[i], shapes, dtypes, source) for i in graph.inputs]
    places = [i for i, each in enumerate(graph.tensors) if with_state and each.is_variable]
    first = {i: zeros_of(graph.tensors[i], Span(source)) for i in places}
    states = {i: Var(graph.tensors[i].name, each.type) for i, each in first.items()}
    importer = GraphImporter(model, source, given)
    values = importer.initial_values()
    kept: Mapping[str, Array] = values if with_state else {}
    named = {name: Var(name, Constant(each).type) for name, each in kept.items()}
    importer.variables.restore({**importer.variables.snapshot(), **named})
    outputs, last = importer.run_with_state(0, params, states)
    after = importer.variables.snapshot()
    results = _expressions(graph, [*outputs, *last, *(after[name] for name in named)], source)
    body = results[0] if len(results) == 1 else Tuple(tuple(results))
    own = tuple(graph.tensors[index].name for index in (*graph.outputs, *places))
    outs = {"outputs": (*own, *named)}
    main = Function((*params, *states.values(), *named.values()), body, attrs=outs)
    state = {graph.tensors[i].name: first[i].array for i in places}
    return Imported(Module.of(main), {**state, **kept})


def _expressions(graph: LiteGraph, values: Sequence[Value], source: Source) -> list[Expr]:
    """Return results that are tensors; raises `F017` for variables."""
    results = [each for each in values if isinstance(each, Expr)]
    if len(results) < len(values):
        number = next(i for i, each in enumerate(values) if not isinstance(each, Expr))
        message = (
            f"output {number} of the graph '{graph.name}' is a variable; outputs must be tensors"
        )
        help_ = "return the value of the variable"
        raise RelayImportError(ErrorCode.F017, message, span=Span(source), help=help_)
    return results


def _param(
    tensor: LiteTensor,
    shapes: Mapping[str, Sequence[Dim]],
    dtypes: Mapping[str, str],
    source: Source,
) -> Var:
    span = Span(Source(f"{source.name}, input {tensor.name}"))
    declared, given = tensor.shape, shapes.get(tensor.name)
    check_shape(tensor.name, declared, given, span)
    shape = (declared or ()) if given is None else tuple(given)
    return Var(tensor.name, TensorType(shape, _element(tensor, dtypes, span)), span=span)


def _element(tensor: LiteTensor, dtypes: Mapping[str, str], span: Span) -> DType:
    """Return the element type of an input; raises `F017` if it is unsupported or unknown."""
    if tensor.dtype is None:
        raise RelayImportError(
            ErrorCode.F017,
            f"the model has tensors of type {tensor.element}, which Relay does not support",
            span=span,
        )
    wanted = dtypes.get(tensor.name)
    if wanted is not None and dtype(wanted) is not tensor.dtype:
        message = (
            f"the input '{tensor.name}' has the element type {tensor.dtype}, but the type "
            f"{wanted} was requested"
        )
        help_ = f"pass {tensor.dtype} as the type of this input, or omit the type"
        raise RelayImportError(ErrorCode.F017, message, span=span, help=help_)
    return tensor.dtype
