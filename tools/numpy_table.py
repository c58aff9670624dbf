"""Write docs/numpy.md: which functions of NumPy are supported, unsupported, or out of scope.

`python tools/numpy_table.py` writes the page; `--check` only compares.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay and tools are those of this checkout
import relay.numpy
from relay.numpy.unsupported_functions import OUTSIDE, REFUSED
from relay.support.errors import RelayError
from tools.pages import write_or_check

PAGE = Path("docs/numpy.md")
MODULES: dict[str, ModuleType] = {
    "": np,
    "linalg.": np.linalg,
    "fft.": np.fft,
    "lib.stride_tricks.": np.lib.stride_tricks,
}
OURS: dict[str, ModuleType] = {
    "": relay.numpy,
    "linalg.": relay.numpy.linalg,
    "fft.": relay.numpy.fft,
    "lib.stride_tricks.": relay.numpy.lib.stride_tricks,
}
INTRODUCTION = """\
<!-- Written by tools/numpy_table.py. -->

# NumPy's functions

Programs may call NumPy's functions. In a function decorated with `@relay.function`, write
`np.sin(x)` as usual. Elsewhere, `relay.numpy` has functions of the same names, which take
expressions, numbers, arrays and lists, and return expressions.

The results equal those of NumPy {version}, also for NaN, infinities and empty arrays, except that
element types stay narrow: results that NumPy would give 64 bits by default are int32 or float32,
and a float keeps its width in an operation with integers.

{supported} of NumPy's functions are supported. {refused} functions are not supported: calling
them raises `F119`. {outside} functions do not compute tensors: they read files or print, for
example.
"""


def public() -> Iterator[tuple[str, str]]:
    """Yield the public callables of NumPy: the prefix of the module, and the name."""
    for prefix, module in MODULES.items():
        for name in sorted(set(getattr(module, "__all__", dir(module)))):
            if name[0] != "_" and callable(getattr(module, name, None)):
                yield prefix, name


def supported(prefix: str, name: str) -> bool:
    """Whether `relay.numpy` has a function of that name."""
    try:
        return callable(getattr(OURS[prefix], name))
    except (AttributeError, RelayError):
        return False


def rows() -> tuple[list[tuple[str, str]], list[tuple[str, str]], dict[str, list[str]]]:
    """Return the supported functions, the unsupported ones, and those out of scope by reason."""
    fine: list[tuple[str, str]] = []
    refused: list[tuple[str, str]] = []
    outside: dict[str, list[str]] = {reason: [] for reason in OUTSIDE}
    for prefix, name in public():
        whole = prefix + name
        reason = next((why for why, names in OUTSIDE.items() if whole in names), None)
        if supported(prefix, name):
            says = getattr(OURS[prefix], name).__doc__.strip().splitlines()[0]
            fine.append((whole, says))
        elif reason is not None:
            outside[reason].append(whole)
        elif whole in REFUSED:
            refused.append((whole, REFUSED[whole]))
        else:
            sys.exit(f"np.{whole} has no row: support it, or list it in unsupported_functions.py")
    return fine, refused, outside


def page() -> str:
    """Return the whole of docs/numpy.md."""
    fine, refused, outside = rows()
    counts = {
        "supported": len(fine),
        "refused": len(refused),
        "outside": sum(map(len, outside.values())),
    }
    version = ".".join(np.__version__.split(".")[:2])
    lines = [INTRODUCTION.format(version=version, **counts)]
    lines += ["## Supported functions\n", "| function | what it does |", "|---|---|"]
    lines += [f"| `{name}` | {_cell(says)} |" for name, says in fine]
    lines += ["\n## Unsupported functions (`F119`)\n", "| function | instead |", "|---|---|"]
    lines += [f"| `{name}` | {_cell(help_)} |" for name, help_ in refused]
    lines += ["\n## Functions that do not compute tensors\n", "| what | names |", "|---|---|"]
    lines += [
        f"| {reason} | {', '.join(f'`{name}`' for name in names)} |"
        for reason, names in outside.items()
    ]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(write_or_check(PAGE, page, sys.argv[1:]))
