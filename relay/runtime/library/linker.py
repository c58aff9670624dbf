"""Link object files to a shared library by calling an external linker."""

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from relay.runtime.host_requirements import HostRequirements
from relay.support.error_codes import ErrorCode
from relay.support.errors import ArtefactError

_NAMES = ("cc", "gcc", "clang")


def link(
    objects: Sequence[Path],
    output: Path,
    machine: HostRequirements,
    offered: Sequence[str],
    file: str,
) -> None:
    """Link objects to the shared library `output`; it exports only the symbols in `offered`.

    `file` is the name by which other programs will load it. Raises `A013` if no linker for the
    machine is found, `A014` if the linker fails.
    """
    exports = output.with_suffix(".exports")
    if "windows" in machine.triple:
        exports = output.with_suffix(".def")
        exports.write_text("EXPORTS\n" + "".join(f"  {name}\n" for name in offered))
        options = ["-shared", str(exports)]
    elif "darwin" in machine.triple or "macos" in machine.triple:
        exports.write_text("".join(f"_{name}\n" for name in offered))
        options = [
            "-dynamiclib",
            f"-Wl,-exported_symbols_list,{exports}",
            f"-Wl,-install_name,@rpath/{file}",
        ]
    else:
        shown = f"global: {' '.join(f'{name};' for name in offered)} " if offered else ""
        exports.write_text(f"{{ {shown}local: *; }};\n")
        options = [
            "-shared",
            f"-Wl,--version-script={exports}",
            f"-Wl,-soname,{file}",
            "-Wl,-z,defs",
        ]
    _run([*_linker(machine), *options, "-o", str(output), *map(str, objects), "-lm", "-pthread"])


def _linker(machine: HostRequirements) -> list[str]:
    """Return the command line of a linker for a machine; raises `A013` if none is installed."""
    for command in _commands(machine):
        return command
    raise ArtefactError(
        ErrorCode.A013,
        f"no linker was found that can link for {machine.triple}",
        help="install a C compiler (cc, gcc or clang), or `pip install relay-compiler[export]`",
    )


def _commands(machine: HostRequirements) -> Iterator[list[str]]:
    """Yield candidate linker commands: the system's compiler, then that of a Python wheel."""
    parts = machine.triple.split("-")
    short = "-".join(part for part in parts if part not in {"unknown", "pc"})
    here = machine.platform == HostRequirements.host().platform
    for name in _NAMES if here else (f"{short}-gcc",):
        if shutil.which(name):
            yield [name]
    if importlib.util.find_spec("ziglang"):
        yield [sys.executable, "-m", "ziglang", "cc", "-target", short]


def _run(command: Sequence[str]) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False
        )
    except OSError as error:
        raise _failed(command, str(error)) from error
    if done.returncode != 0:
        raise _failed(command, done.stderr)


def _failed(command: Sequence[str], said: str) -> ArtefactError:
    lines = said.strip().splitlines()[-8:]
    return ArtefactError(
        ErrorCode.A014,
        f"the linker '{command[0]}' failed",
        notes=lines,
        help="check the free space for temporary files, and that the compiler works by itself",
    )
