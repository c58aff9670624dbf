"""Run a network compiled for another machine: link it, and call it under an emulator.

Libraries for Linux are linked statically by Debian's cross compilers and run by QEMU's user mode
(packages `gcc-aarch64-linux-gnu`, `gcc-riscv64-linux-gnu`, `qemu-user-static`); WebAssembly is
linked by the `ziglang` wheel and run by Node.js.
"""

import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from relay.kernels.machine_names import machine_named
from relay.runtime.executable import Executable

Array = np.ndarray[Any, np.dtype[Any]]
_HOST = Path(__file__).with_name("host.mjs")

_EMULATORS: Mapping[str, Sequence[str]] = {
    "x86_64": (),
    "aarch64": ("qemu-aarch64-static", "-cpu", "max"),
    "riscv64": ("qemu-riscv64-static", "-cpu", "rv64,v=true,vlen=128,elen=64"),
}

_CALLER = """
#include "m.h"
#include <stdio.h>
#include <stdlib.h>
static char out[{outputs}][{bytes}] __attribute__((aligned(64)));
int main(int count, char **paths) {{
  void *inputs[{inputs}], *outputs[{outputs}];
  for (int i = 0; i < {inputs}; i++) {{
    FILE *file = fopen(paths[i + 1], "rb");
    fseek(file, 0, SEEK_END);
    size_t bytes = (size_t)ftell(file);
    rewind(file);
    inputs[i] = aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (fread(inputs[i], 1, bytes, file) != bytes) return 100;
  }}
  for (int i = 0; i < {outputs}; i++) outputs[i] = out[i];
  int status = m_run((const m_inputs *)inputs, (const m_outputs *)outputs, NULL);
  for (int i = 0; i < {outputs}; i++) {{
    FILE *file = fopen(paths[{inputs} + 1 + i], "wb");
    fwrite(out[i], 1, (size_t)atoll(paths[{inputs} + 1 + {outputs} + i]), file);
    fclose(file);
  }}
  return status;
}}
"""


class Missing(NamedTuple):
    """A program that the emulation needs and that is not installed."""

    name: str


def missing(machine: str) -> Missing | None:
    """Return a program that is needed to run code for a machine and is not installed, if any."""
    architecture = machine_named(machine).triple.split("-")[0]
    if architecture == "wasm32":
        needed = ("node",)
    else:
        needed = (_compiler(architecture), *_EMULATORS[architecture][:1])
    return next((Missing(name) for name in needed if shutil.which(name) is None), None)


def run(
    program: Executable, machine: str, inputs: Sequence[Array], like: Sequence[Array], folder: Path
) -> list[Array]:
    """Return the results of a program for a machine, of the shapes and dtypes of `like`."""
    program.export(folder / "m.o")
    given = [_stored(folder / f"in{i}", array) for i, array in enumerate(inputs)]
    wanted = [folder / f"out{i}" for i in range(len(like))]
    sizes = [str(array.nbytes) for array in like]
    architecture = machine_named(machine).triple.split("-")[0]
    made = (
        _wasm(folder) if architecture == "wasm32" else _linked(folder, architecture, inputs, like)
    )
    subprocess.run([*made, *given, *wanted, *sizes], check=True)
    pairs = zip(wanted, like, strict=True)
    return [np.fromfile(path, array.dtype).reshape(array.shape) for path, array in pairs]


def _stored(path: Path, array: Array) -> Path:
    np.ascontiguousarray(array).tofile(path)
    return path


def _compiler(architecture: str) -> str:
    return f"{architecture}-linux-gnu-gcc"


def _linked(
    folder: Path, architecture: str, inputs: Sequence[Array], like: Sequence[Array]
) -> list[str]:
    """Return the command that runs a program linked for Linux."""
    room = max(array.nbytes for array in like) + 64
    source = _CALLER.format(inputs=len(inputs), outputs=len(like), bytes=room)
    (folder / "call.c").write_text(source)
    files = (folder / "call.c", folder / "m.o", f"-I{folder}", "-lm", "-o", folder / "call")
    subprocess.run([_compiler(architecture), "-O1", "-static", *files], check=True)
    return [*_EMULATORS[architecture], str(folder / "call")]


def _wasm(folder: Path) -> list[str]:
    """Return the command that runs a program linked as WebAssembly."""
    linker = (sys.executable, "-m", "ziglang", "wasm-ld", "--no-entry", "--allow-undefined")
    target = folder / "m.wasm"
    subprocess.run([*linker, "--export=m_run", folder / "m.o", "-o", target], check=True)
    return ["node", str(_HOST), str(target)]
