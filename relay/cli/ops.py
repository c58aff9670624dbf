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
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any, NamedTuple

import relay.ops  # noqa: F401  # pyright: ignore[reportUnusedImport] - fills the table
from relay.cli.console import console, table
from relay.cli.json_output import add_json, print_json
from relay.cli.operator_page import page
from relay.frontend.jax import translated_hlo_operations
from relay.frontend.keras.load import translated_layers
from relay.frontend.mxnet.load import translated_mxnet_operators
from relay.frontend.onnx import registry
from relay.frontend.pytorch import translated_operators
from relay.frontend.tensorflow.load import translated_tensorflow_operators
from relay.frontend.tensorflow_lite import translated_lite_operators
from relay.ir.expr import Operator
from relay.opdef.definition import Fusion, OperatorDef
from relay.opdef.table import OPERATORS
from relay.support.write_file import make_folder, write_text
from relay.testing.element_types import accepted_types, in_words
from relay.testing.operator_coverage import coverage
from relay.testing.tvm_operators import inventory

RULES = ("compute", "decompose", "reference", "gradient", "relayout")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command-line options."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="an operator to explain")
    parser.add_argument("--onnx", action="store_true", help="list the ONNX operators instead")
    parser.add_argument("--torch", action="store_true", help="list PyTorch's operators instead")
    parser.add_argument(
        "--stablehlo", action="store_true", help="list JAX's operations, StableHLO, instead"
    )
    parser.add_argument("--tflite", action="store_true", help="list LiteRT's operators instead")
    parser.add_argument(
        "--tensorflow", action="store_true", help="list TensorFlow's operators instead"
    )
    parser.add_argument("--keras", action="store_true", help="list Keras's layers instead")
    parser.add_argument("--mxnet", action="store_true", help="list MXNet's operators instead")
    parser.add_argument("--types", action="store_true", help="list accepted element types instead")
    help_ = "write a page for each operator, in Markdown, to a folder"
    parser.add_argument("--pages", type=Path, metavar="FOLDER", help=help_)
    parser.add_argument(
        "--coverage",
        action="store_true",
        help="list TVM's operators: whether they exist here, and their derivatives",
    )
    add_json(parser)


class _Frontend(NamedTuple):
    """An importer's option, the nouns for its operators, and the function that lists them."""

    option: str
    one: str
    many: str
    homes: Callable[[], Mapping[str, str]]


_FRONTENDS = (
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
    chosen = [each for each in _FRONTENDS if getattr(options, each.option)]
    if options.json:
        print_json(_described(options, chosen))
    elif chosen:
        _list_translated(chosen[0].one, chosen[0].many, chosen[0].homes(), options.name)
    elif options.onnx:
        _list_onnx(options.name)
    elif options.coverage:
        _list_coverage()
    elif options.types:
        _list_types([options.name] if options.name else sorted(OPERATORS))
    elif options.name:
        found = _page(options.name, OPERATORS.find(options.name))
        console().print(found, soft_wrap=True, end="")
    elif options.pages:
        _write_pages(options.pages)
    else:
        _list()
    return 0


def _described(options: argparse.Namespace, chosen: Sequence[_Frontend]) -> Mapping[str, Any]:
    """Return the object that `--json` prints: an entry for each operator, by name."""
    if options.coverage:
        rows = coverage()
        return {e.name: {"here": e.is_here, "derivative": e.derivative} for e in rows}
    if chosen:
        return dict(sorted(chosen[0].homes().items()))
    if options.onnx:
        keys = sorted(registry.TRANSLATIONS)
        return {f"{domain or 'ai.onnx'}::{name}": _home(domain, name) for domain, name in keys}
    classes = {options.name: OPERATORS.find(options.name)} if options.name else OPERATORS
    return {name: signature(cls) for name, cls in sorted(classes.items())}


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


def _write_pages(folder: Path) -> None:
    """Write the page of each operator to a folder, which is created if necessary."""
    make_folder(folder)
    for name, cls in OPERATORS.items():
        write_text(folder / f"{name}.md", _page(name, cls))
    console().print(f"{len(OPERATORS)} pages are in {folder}")


def _list_types(names: Sequence[str]) -> None:
    grid = table("operator", "arguments", "element types")
    grid.columns[0].min_width = max(map(len, names))
    for name in names:
        cls = OPERATORS.find(name)
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


def _list_onnx(name: str | None) -> None:
    found = sorted(key for key in registry.TRANSLATIONS if name is None or key[1] == name)
    grid = table("domain", "ONNX operator", "translated by")
    for domain, operator in found:
        grid.add_row(domain or "ai.onnx", operator, _home(domain, operator))
    out = console()
    out.print(grid)
    out.print()
    out.print(f"{len(found)} ONNX operators")


def _home(domain: str, operator: str) -> str:
    """Return the location of the function that translates an ONNX operator."""
    translation = registry.TRANSLATIONS[domain, operator]
    home = translation.__module__.removeprefix("relay.frontend.onnx.")
    return f"{home}.{translation.__name__}"


def _list_translated(kind: str, count: str, homes: Mapping[str, str], name: str | None) -> None:
    """Print the operators that an importer supports, or only the one called `name`."""
    found = sorted(key for key in homes if name is None or key.split("::")[-1] == name)
    grid = table(kind, "translated by")
    for key in found:
        grid.add_row(key, homes[key])
    out = console()
    out.print(grid)
    out.print()
    out.print(f"{len(found)} {count}")
