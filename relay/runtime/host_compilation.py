"""Compile LLVM text for this machine, and provide the parts of the C runtime.

The sources of the runtime are in the folder `c`. During development, `tools/c_runtime.py`
translates them to LLVM text in the folder `ir` for each platform, so that users need no C compiler.
"""

import functools
import lzma
from importlib import resources

import llvmlite.binding as llvm

from relay.runtime.host_requirements import HostRequirements
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError
from relay.support.worker_thread import in_worker_thread


@in_worker_thread
def compile_for_host(text: str, level: int = 0) -> bytes:
    """Compile LLVM IR to an object file for this machine with an optimisation level."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(text)
    target = llvm.Target.from_triple(llvm.get_process_triple())
    machine = target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), opt=level, reloc="pic", codemodel="default"
    )
    return machine.emit_object(module)


@functools.cache
def runtime_part(name: str) -> bytes:
    """Return the object code of a C source file of the runtime, by name without suffix.

    Raises `R012` for a platform for which the runtime was not translated.
    """
    architecture, system = HostRequirements.host().platform
    platform = f"{architecture.replace('arm64', 'aarch64')}-{system}"
    return compile_for_host(runtime_text(name, platform), level=1)


_SYSTEMS = (("darwin", "darwin"), ("macos", "darwin"), ("windows", "windows"))
"""Parts of triples that name systems other than Linux, and the names of these in platforms."""


def runtime_platform(triple: str) -> str:
    """Return the platform whose LLVM text of the runtime is linked for a target triple.

    Systems without a text of their own, such as FreeBSD, use the text of Linux; their programs do
    not ask the system for the size of the caller's stack.

    >>> runtime_platform("x86_64-pc-windows-msvc"), runtime_platform("aarch64-unknown-freebsd")
    ('x86_64-windows', 'aarch64-linux')
    """
    architecture = triple.split("-", maxsplit=1)[0]
    if architecture == "wasm32":
        return architecture
    for name, system in _SYSTEMS:
        if name in triple:
            return f"{architecture}-{system}"
    return f"{architecture}-linux"


SECTION = ";;; platform "
"""The beginning of the line that names the platform of the text below it, in a file of `ir`."""


@functools.cache
def runtime_texts(name: str) -> dict[str, str]:
    """Return a C source file of the runtime as LLVM text for each platform it is translated for."""
    data = (resources.files("relay.runtime") / "ir" / f"{name}.ll.xz").read_bytes()
    sections = lzma.decompress(data).decode().split(SECTION)[1:]
    return {platform: text for platform, _, text in (each.partition("\n") for each in sections)}


def runtime_text(name: str, platform: str) -> str:
    """Return a C source file of the runtime as LLVM text; raises `R012` as `runtime_part` does."""
    text = runtime_texts(name).get(platform)
    if text is None:
        raise RunError(
            ErrorCode.R012,
            f"Relay cannot run compiled programs on {platform}",
            help=(
                "run the module with create_executor('debug'), or use a platform of docs/support.md"
            ),
        )
    return text
