"""Write docs/keras-layers.md: all layers and operations of Keras, and Relay's support.

`python tools/keras_table.py` writes the page again from the classes that it lists; `--registry`
takes them from the installed Keras. `REASONS` has the reasons of classes without a translation.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from inspect import isclass
from pathlib import Path
from pkgutil import walk_packages
from textwrap import fill
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay and tools are those of this checkout
from relay.frontend.keras.load import translated_layers
from tools.pages import Support, names_in, write_or_check

PAGE = Path("docs/keras-layers.md")

INTRODUCTION = """\
<!-- Written by tools/keras_table.py. -->

# Layers and operations of Keras

{summary}

If Relay does not support an option of a layer that it translates, an error names the layer (`F030`,
`F072`). Layers and operations of the second table can be imported if `custom_convert_map` has a
function for them ([run-a-keras-model](how-to/run-a-keras-model.md)).

## Translated classes

| translation | classes |
|---|---|
{translated}

## Other classes

| reason | classes |
|---|---|
{others}
"""

SUMMARY = (
    "Keras 3.15 has {layers} classes of layers, and {operations} classes of operations, which are "
    "the functions of `keras.ops` in the graph of a model. Relay translates {some_layers} of the "
    "layers and {some_operations} of the operations, and layers of older versions and of "
    "`keras.applications`, which are marked with a star."
)

REASONS: Sequence[tuple[str, str]] = (
    (
        "texts and hashes: Relay has no strings",
        r"Hashing|HashedCrossing|StringLookup|TextVectorization",
    ),
    (
        "base classes, cells and inputs, which the importer reads with other layers",
        (
            r"Layer|Wrapper|InputLayer|InputSpec|GRUCell|LSTMCell|SimpleRNNCell|StackedRNNCells|"
            r"ops\.(Function|SegmentReduction)"
        ),
    ),
    (
        "Python code, of which the file only has the name: `custom_convert_map` translates it",
        (
            r"Lambda|FlaxLayer|JaxLayer|TorchModuleWrapper|TFSMLayer|ops\.(Map|Scan|AssociativeScan|"
            r"Switch|WhileLoop|ForiLoop|Cond|VectorizedMap|JVP)"
        ),
    ),
    (
        "complex numbers: operations that take or return pairs of real numbers are supported",
        (r"ops\.(Angle|Imag|ViewAsComplex|ViewAsReal|Polar|Eig)"),
    ),
    (
        "losses of training, which files of models do not contain",
        (r"ops\.SSIM"),
    ),
)
"""Why classes have no translation, and a pattern of their names; the first match counts."""


def registered() -> list[str]:
    """Return the classes of layers and of operations of the installed Keras."""
    layers: Any = import_module("keras").layers
    members: list[Any] = [getattr(layers, name) for name in dir(layers)]
    found = {str(each.__name__) for each in members if isclass(each)}
    renamed = {"GroupedQueryAttention"} & found
    return sorted(found - renamed | {"GroupQueryAttention"} | {f"ops.{n}" for n in _operations()})


def _operations() -> Iterator[str]:
    package: Any = import_module("keras.src.ops")
    base: Any = import_module("keras.src.ops.operation").Operation
    for info in walk_packages(package.__path__, "keras.src.ops."):
        if not info.name.endswith("_test"):
            module: Any = import_module(info.name)
            for name in dir(module):
                if _is_operation(getattr(module, name), base, info.name):
                    yield name


def _is_operation(found: Any, base: Any, module: str) -> bool:
    is_own = isclass(found) and found.__module__ == module
    return is_own and issubclass(found, base) and found is not base


def page(names: Iterable[str]) -> str:
    """Return the text of the page for the classes of Keras."""
    support = Support([*names], translated_layers(), REASONS)
    layers = [name for name in support.names if not name.startswith("ops.")]
    operations = [name for name in support.names if name.startswith("ops.")]
    summary = SUMMARY.format(
        layers=len(layers), some_layers=support.count(layers),
        operations=len(operations), some_operations=support.count(operations),
    )  # fmt: skip
    return INTRODUCTION.format(
        summary=fill(summary, 100), translated=support.translations, others=support.others
    )


def main(args: Sequence[str]) -> int:
    """Write the page, or return 1 if `--check` finds another one."""
    names = registered() if "--registry" in args else names_in(PAGE.read_text("utf-8"))
    return write_or_check(PAGE, lambda: page(names), args)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
