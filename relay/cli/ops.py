"""List Relay's operators, explain one, or list the supported operators of another framework.

    relay ops
    relay ops nn.conv2d
    relay ops --types
    relay ops --pages FOLDER
    relay ops --onnx
    relay ops --torch
    relay ops --keras
    relay ops --mxnet
    relay ops --tflite
    relay ops --stablehlo
    relay ops --tensorflow
    relay ops --coverage

NAME is an operator of the framework for the options that list one: `relay ops --onnx Gemm`.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

import relay.ops  # noqa: F401  # pyright: ignore[reportUnusedImport] - fills the table
from relay.cli.console import console, table
from relay.cli.json_output import add_json, print_json
from relay.cli.operator_page import page
from relay.frontend.jax import translated_hlo_operations
from relay.frontend.keras.load import translated_layers
from relay.frontend.mxnet.load import translated_mxnet_operators
from relay.frontend.onnx.registry import translated_onnx_operators
from relay.frontend.pytorch import translated_operators
from relay.frontend.tensorflow.load import translated_tensorflow_operators
from relay.frontend.tensorflow_lite import translated_lite_operators
from relay.ir.expr import Operator
from relay.opdef.definition import Fusion, OperatorDef
from relay.opdef.table import OPERATORS
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.write_file import make_folder, write_text
from relay.testing.element_types import accepted_types, in_words
from relay.testing.operator_coverage import Covered, coverage
from relay.testing.tvm_operators import inventory

RULES = ("compute", "decompose", "reference", "gradient", "relayout")


_LISTS = {
    "onnx": "list the ONNX operators instead",
    "torch": "list PyTorch's operators instead",
    "stablehlo": "list JAX's operations, StableHLO, instead",
    "tflite": "list LiteRT's operators instead",
    "tensorflow": "list TensorFlow's operators instead",
    "keras": "list Keras's layers instead",
    "mxnet": "list MXNet's operators instead",
    "types": "list accepted element types instead",
    "coverage": "list TVM's operators: whether they exist here, and their derivatives",
}
"""The options that choose another list, each with its line of help."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command-line options."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="an operator to explain")
    lists = parser.add_mutually_exclusive_group()
    for option, about in _LISTS.items():
        lists.add_argument(f"--{option}", action="store_true", help=about)
    help_ = "write a page for each operator, in Markdown, to a folder"
    lists.add_argument("--pages", type=Path, metavar="FOLDER", help=help_)
    add_json(parser)


class _Frontend(NamedTuple):
    """An importer's option, the nouns for its operators, and the function that lists them."""

    option: str
    one: str
    many: str
    homes: Callable[[], Mapping[str, str]]


_FRONTENDS = (
    _Frontend("onnx", "ONNX operator", "ONNX operators", translated_onnx_operators),
    _Frontend("torch", "PyTorch operator", "PyTorch operators", translated_operators),
    _Frontend(
        "stablehlo", "StableHLO operation", "StableHLO operations", translated_hlo_operations
    ),
    _Frontend("tflite", "LiteRT operator", "LiteRT operators", translated_lite_operators),
    _Frontend(
        "tensorflow", "TensorFlow operator", "TensorFlow operators", translated_tensorflow_operators
    ),
    _Frontend("keras", "Keras layer", "Keras layers and operations", translated_layers),
    _Frontend("mxnet", "MXNet operator", "MXNet operators", translated_mxnet_operators),
)


def execute(options: argparse.Namespace) -> int:
    """Run the command: print the table of operators, or the page of one."""
    if options.name and (options.coverage or options.pages):
        option = "--coverage" if options.coverage else "--pages"
        message = f"the option {option} has no effect on the single operator '{options.name}'"
        raise UsageError(ErrorCode.U014, message, help="omit the option, or the name")
    chosen = [each for each in _FRONTENDS if getattr(options, each.option)]
    if options.json:
        print_json(_described(options, chosen))
    elif chosen:
        _list_translated(chosen[0], options.name)
    elif options.coverage:
        _list_coverage()
    elif options.types:
        _list_types(_chosen(options.name))
    elif options.name:
        found = _page(options.name, OPERATORS.find(options.name))
        console().print(found, soft_wrap=True, end="")
    elif options.pages:
        pages = _write_pages(options.pages)
        console().print(f"{len(pages)} pages are in {options.pages}")
    else:
        _list()
    return 0


def _described(options: argparse.Namespace, chosen: Sequence[_Frontend]) -> Mapping[str, Any]:
    """Return the object that `--json` prints: an entry for each operator, by name."""
    name: str | None = options.name
    if options.coverage:
        return {each.name: _covered(each) for each in coverage()}
    if chosen:
        return _translated(chosen[0], name)
    classes = _chosen(name)
    if options.types:
        return {name: _types(cls) for name, cls in classes.items()}
    if options.pages:
        return {"pages": [str(path) for path in _write_pages(options.pages)]}
    return {name: signature(cls) for name, cls in classes.items()}


def _chosen(name: str | None) -> Mapping[str, type[Operator]]:
    """Return all operators by name, or the one called `name`."""
    return {name: OPERATORS.find(name)} if name else dict(sorted(OPERATORS.items()))


def _covered(each: Covered) -> Mapping[str, Any]:
    """Return a row of the table of `--coverage` as JSON."""
    second = bool(each.derivative)
    values = {"here": each.is_here, "derivative": each.derivative}
    return {**values, "second": second, "reason": each.reason}


def _types(cls: type[Operator]) -> Sequence[Mapping[str, Sequence[str]]]:
    """Return the element types of an operator as JSON: of arguments that have the same type."""
    if not issubclass(cls, OperatorDef):
        return []
    return [
        {"arguments": arguments, "types": [str(each) for each in types]}
        for arguments, types in accepted_types(cls).items()
    ]


def signature(cls: type[Operator]) -> str:
    """Return an operator's arguments, and its attributes with their defaults, as text."""
    attributes = [_attribute(each) for each in _fields(cls)]
    given = list(cls.arguments()) if issubclass(cls, OperatorDef) else []
    return ", ".join([*given, *(["*"] if attributes else []), *attributes])


def _fields(cls: type[Operator]) -> tuple[Field[Any], ...]:
    return fields(cls)  # pyright: ignore[reportArgumentType] - `@operator` makes dataclasses


def _attribute(field: Field[Any]) -> str:
    if field.default is MISSING:
        return field.name
    return f"{field.name}={field.default!r}"


def _list() -> None:
    grid = table("operator", "arguments and attributes", "fusion", "gradient", "kernel")
    grid.columns[0].min_width = max(map(len, OPERATORS))  # names are never cut
    for name, cls in sorted(OPERATORS.items()):
        rules = [_mark(cls, "gradient"), _kernel(cls)]
        grid.add_row(name, signature(cls), _fusion(cls), *rules)
    console().print(grid)


def _mark(cls: type[Operator], rule: str) -> str:
    return "yes" if _has(cls, rule) else "–"


def _has(cls: type[Operator], rule: str) -> bool:
    return issubclass(cls, OperatorDef) and cls.has(rule)


def _kernel(cls: type[Operator]) -> str:
    """Return text that says how the operator is compiled: by its formula, or by decomposition."""
    if _has(cls, "compute"):
        return "formula"
    return "parts" if _has(cls, "decompose") else "–"


def _fusion(cls: type[Operator]) -> str:
    fusion: object = cls.fusion if issubclass(cls, OperatorDef) else None
    if isinstance(fusion, property):
        return "by attributes"
    return fusion.name.lower() if isinstance(fusion, Fusion) else "–"


def _page(name: str, cls: type[Operator]) -> str:
    rules = ", ".join(rule for rule in RULES if _has(cls, rule))
    home = f"{cls.__module__}.{cls.__qualname__}"
    facts = (("fusion", _fusion(cls)), ("rules", rules), ("defined in", home))
    return page(name, cls, signature(cls), facts)


def _write_pages(folder: Path) -> list[Path]:
    """Write the page of each operator to a folder, which is created if necessary."""
    make_folder(folder)
    pages = {folder / f"{name}.md": _page(name, cls) for name, cls in OPERATORS.items()}
    for path, text in pages.items():
        write_text(path, text)
    return list(pages)


def _list_types(classes: Mapping[str, type[Operator]]) -> None:
    grid = table("operator", "arguments", "element types")
    grid.columns[0].min_width = max(map(len, classes))
    for name, cls in classes.items():
        if issubclass(cls, OperatorDef):
            for row, (arguments, types) in enumerate(accepted_types(cls).items()):
                grid.add_row("" if row else name, ", ".join(arguments), in_words(types))
    console().print(grid)


def _list_coverage() -> None:
    rows = coverage()
    grid = table("operator", "here", "derivative", "second", "reason")
    for each in rows:
        here, second = _YES[each.is_here], _YES[bool(each.derivative)]
        grid.add_row(each.name, here, each.derivative or "–", second, each.reason)
    out = console()
    out.print(grid)
    out.print()
    classic = [name for names in inventory().values() for name in names]
    here = sum(name in OPERATORS for name in classic)
    out.print(f"{here} of {len(classic)} operators of TVM's Relay exist; {len(OPERATORS)} in all")


_YES = {True: "yes", False: "–"}


def _list_translated(frontend: _Frontend, name: str | None) -> None:
    """Print the operators that an importer supports, or only those called `name`."""
    found = _translated(frontend, name)
    grid = table(frontend.one, "translated by")
    for key, home in found.items():
        grid.add_row(key, home)
    out = console()
    out.print(grid)
    out.print()
    out.print(f"{len(found)} {frontend.many}")


def _translated(frontend: _Frontend, name: str | None) -> Mapping[str, str]:
    """Return the operators that an importer supports, or those called `name`, by name.

    `name` may be written with its namespace, as in `aten::relu`, or without. Raises `U022`, which
    suggests similar names, if there is none.
    """
    homes = frontend.homes()
    found = {key: homes[key] for key in sorted(homes) if name in (None, key, key.split("::")[-1])}
    if not found and name is not None:
        known = sorted({key.split("::")[-1] for key in homes})
        near = get_close_matches(name, known, n=3)
        raise UsageError(
            ErrorCode.U022,
            f"there is no {frontend.one} named '{name}' that Relay translates",
            help=f"did you mean {' or '.join(near)}?"
            if near
            else f"list them all with the command `relay ops --{frontend.option}`",
        )
    return found
