"""The entry points of the TensorFlow importer: `from_tensorflow`, and the import of files."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias, cast

from relay.frontend.builders.unify_sizes import (
    Attempt,
    SizeNames,
    constraints_in,
    with_equal_sizes,
)
from relay.frontend.builders.weights_as_parameters import with_parameters
from relay.frontend.custom_translations import OwnTranslations, called
from relay.frontend.input_checks import check_distinct, check_known, check_shape
from relay.frontend.lazy_importers import home
from relay.frontend.read_files import read_bytes
from relay.frontend.tensorflow import all_translations  # noqa: F401  # pyright: ignore[reportUnusedImport] - fills the table
from relay.frontend.tensorflow.check_supported import check_supported
from relay.frontend.tensorflow.checkpoint import Checkpoint
from relay.frontend.tensorflow.decode_tensors import FLOATS, array_of, element_dtype
from relay.frontend.tensorflow.graph import GraphImporter
from relay.frontend.tensorflow.inputs_and_outputs import frozen_signature, signature_of
from relay.frontend.tensorflow.model import Endpoint, Signature, TensorFlowModel
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.non_tensor_values import Value, described
from relay.frontend.tensorflow.read_model import SAVED_MODEL, read_graph, read_saved_model
from relay.frontend.tensorflow.registry import TRANSLATIONS, Translation
from relay.frontend.tensorflow.table_values import Tables
from relay.frontend.tensorflow.variable_values import Weights
from relay.ir.dims import Dim, DimVar
from relay.ir.expr import Array, Expr, Function, Tuple, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayImportError, RelayTypeError, UsageError
from relay.support.misspelt_options import suggests_options
from relay.support.span import Source, Span
from relay.transform.tvm_pass_constructors import convert_layout

Converter: TypeAlias = Callable[[Sequence[Value], Mapping[str, Any]], "Expr | Sequence[Expr]"]
"""A user's translation of an operator: maps its inputs and attributes to its result."""

Shapes: TypeAlias = Mapping[str, Sequence[Dim]]


@dataclass(frozen=True)
class _Import:
    """An import: the model, the signature that becomes `main`, and the user's options."""

    model: TensorFlowModel
    signature: Signature
    weight: Weights
    table: Tables
    shapes: Shapes
    custom: OwnTranslations[Translation]
    source: Source


@suggests_options
def from_tensorflow(
    graph: "str | PathLike[str] | bytes | Any",
    layout: str | None = None,
    shape: Shapes | None = None,
    outputs: Sequence[str] | None = None,
    convert_config: Mapping[str, object] | None = None,
    *,
    convert_params: bool = True,
    signature: str | None = None,
    custom_convert_map: Mapping[str, Converter] | None = None,
) -> tuple[Module, dict[str, Any]]:
    """Return a TensorFlow model as a module, and the weights that are parameters, by name.

    `graph` is a `GraphDef`, its bytes, the path of a `.pb` file, or the folder of a SavedModel;
    `signature` selects one of its signatures if there are several. `shape` replaces the shapes of
    inputs by name; `outputs` names the results, by default the results of a frozen graph that no
    node reads. With a `layout` such as `"NCHW"`, convolutions are computed in that layout; inputs
    and results keep theirs. `custom_convert_map` has functions for operators, by name: `f(inputs,
    attributes)`. Weights are constants; without `convert_params`, floating-point ones are the last
    parameters of `main`, unless the import computed with them. `convert_config`, TVM's choice
    between ways to express products, is ignored.
    """
    del convert_config
    given = _opened(graph, shape or {}, outputs, signature, custom_convert_map or {})
    module = _imported(given)
    if layout is not None:
        module = _in_layout(module, layout)
    return (module, {}) if convert_params else with_parameters(module, _float_weights(given))


def _in_layout(module: Module, layout: str) -> Module:
    if layout not in ("NCHW", "NHWC"):
        raise UsageError(
            ErrorCode.U003,
            f"the option layout cannot be '{layout}'",
            help="pass layout='NCHW' or layout='NHWC'",
        )
    return convert_layout({"nn.conv2d": [layout, "default"]})(module)


def _float_weights(given: _Import) -> dict[str, Array]:
    """Return the floating-point variables and constants by name, except scalars."""
    nodes = (each for each in given.model.graph.nodes.values() if each.op == "Const")
    messages = {node.name: node.attributes["value"].tensor for node in nodes}
    arrays = {name: array_of(each, name) for name, each in messages.items() if each.dtype in FLOATS}
    arrays |= given.weight.arrays()
    return {name: each for name, each in arrays.items() if each.ndim and each.dtype.kind == "f"}


def import_tensorflow(
    model: "str | PathLike[str] | bytes | Any", shapes: Shapes | None = None
) -> Module:
    """Return a module whose `main` is a TensorFlow model; see `from_tensorflow`.

    Raises `F092` (not a model), `F093` (variables), `F094` (control flow), `F095` (changed
    variables), `F096` (signature or outputs), and the common errors of importers.
    """
    return _imported(_opened(model, shapes or {}))


def translated_tensorflow_operators() -> Mapping[str, str]:
    """Map each supported TensorFlow operator to the function that translates it.

    >>> translated_tensorflow_operators()["MatMul"]
    'translate.matrix_products.matmul'
    """
    return {name: home(function) for name, function in TRANSLATIONS.items()}


def _opened(
    model: "str | PathLike[str] | bytes | Any",
    shapes: Shapes,
    outputs: Sequence[str] | None = None,
    signature: str | None = None,
    custom: Mapping[str, Converter] = MappingProxyType({}),
) -> _Import:
    """Read a model, and choose its inputs and outputs."""
    translations = OwnTranslations(custom, _translation)
    if isinstance(model, str | PathLike):
        path = Path(cast("str | PathLike[str]", model))
        folder = path.parent if path.name == SAVED_MODEL else path
        if folder.is_dir():
            return _opened_folder(folder, shapes, outputs, signature, translations)
        return _opened_graph(read_bytes(path), str(path), shapes, outputs, translations)
    if not isinstance(model, bytes) and not hasattr(model, "SerializeToString"):
        raise UsageError(
            ErrorCode.U003,
            f"an object of the class {type(model).__name__} is not a TensorFlow graph",
            help="pass a GraphDef, the path of a .pb file, or the folder of a SavedModel; of a"
            " function, function.get_concrete_function(…).graph.as_graph_def()",
        )
    data = model if isinstance(model, bytes) else model.SerializeToString()
    return _opened_graph(data, "graph", shapes, outputs, translations)


def _opened_folder(
    folder: Path,
    shapes: Shapes,
    outputs: Sequence[str] | None,
    signature: str | None,
    custom: OwnTranslations[Translation],
) -> _Import:
    found, source = read_saved_model(folder), Source(str(folder))
    chosen = signature_of(found, signature, outputs, Span(source))
    checkpoint = Checkpoint(folder / "variables" / "variables")
    weights, tables = Weights(found, checkpoint, str(folder)), Tables(found, folder, str(folder))
    return _Import(found, chosen, weights, tables, shapes, custom, source)


def _opened_graph(
    data: bytes,
    name: str,
    shapes: Shapes,
    outputs: Sequence[str] | None,
    custom: OwnTranslations[Translation],
) -> _Import:
    found, source = read_graph(data, name), Source(name)
    try:
        chosen = frozen_signature(found.graph, shapes, outputs)
    except RelayError as error:
        error.at(Span(source))
        raise
    weights, tables = Weights(found, None, name), Tables(found, None, name)
    return _Import(found, chosen, weights, tables, shapes, custom, source)


def _translation(function: Converter) -> Translation:
    """Wrap a user's translation function, `f(inputs, attributes)`, for the importer."""

    def translate(node: TfNode) -> Value | Sequence[Value]:
        return called(function, node.inputs, node.attributes())

    return translate


def _imported(given: _Import) -> Module:
    """Translate a model; repeat this with unified sizes if constraints require equal sizes."""
    try:
        _check(given)
        found = with_equal_sizes(lambda same: _attempt(given, same))
    except RelayError as error:
        error.at(Span(given.source))
        raise
    given.custom.warn_of_unused()
    return found


def _check(given: _Import) -> None:
    """Raise the errors for inputs, unsupported operators and changed variables."""
    names, span = [each.name for each in given.signature.inputs], Span(given.source)
    check_distinct(names, span)
    check_known(given.shapes, names, span)
    wanted = [each.output.node for each in given.signature.outputs]
    fed = {each.output.node for each in given.signature.inputs}
    check_supported(given.model.graph, wanted, fed, given.model.library, given.custom, given.source)


def _attempt(given: _Import, same: Mapping[DimVar, Dim]) -> Attempt:
    importer = GraphImporter(
        given.model.library, given.weight, given.table, given.custom, given.source
    )
    try:
        module: Module | RelayTypeError = _module(given, importer, same)
    except RelayTypeError as error:
        module = error
    return Attempt(module, lambda: constraints_in(importer.translated))


def _module(given: _Import, importer: GraphImporter, same: Mapping[DimVar, Dim]) -> Module:
    names = SizeNames()
    params = [_param(each, given, names, same) for each in given.signature.inputs]
    fed = zip(given.signature.inputs, params, strict=True)
    values = importer.run(
        given.model.graph,
        {each.output.node: [param] for each, param in fed},
        [each.output for each in given.signature.outputs],
    )
    results = [_result(*each) for each in zip(values, given.signature.outputs, strict=True)]
    body = results[0] if len(results) == 1 else Tuple(tuple(results))
    outputs = tuple(each.name for each in given.signature.outputs)
    return Module.of(Function(tuple(params), body, attrs={"outputs": outputs}))


def _result(value: Value, endpoint: Endpoint) -> Expr:
    if isinstance(value, Expr):
        return value
    message = f"the output '{endpoint.name}' is not a tensor, but {described(value)}"
    raise RelayImportError(ErrorCode.F096, message)


def _param(endpoint: Endpoint, given: _Import, names: SizeNames, same: Mapping[DimVar, Dim]) -> Var:
    """Return the parameter of `main` for an input; unknown sizes become named symbols."""
    span = Span(Source(f"{given.source.name}, input {endpoint.name}"))
    declared, chosen = endpoint.shape, given.shapes.get(endpoint.name)
    check_shape(endpoint.name, declared, chosen, span)
    sizes: list[Dim] = list(chosen) if chosen is not None else []
    if chosen is None:
        for axis, size in enumerate(declared or ()):
            symbol = DimVar(names.unused(f"{endpoint.name}_{axis}")) if size < 0 else None
            sizes.append(size if symbol is None else same.get(symbol, symbol))
    try:
        ty = TensorType(tuple(sizes), element_dtype(endpoint.element))
    except RelayError as error:
        raise error.at(span) from None
    return Var(endpoint.name, ty, span=span)
