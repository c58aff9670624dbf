"""The LLVM text that makes a program a library: its C functions, and space for its weights."""

import hashlib
from collections.abc import Iterator, Mapping
from importlib import resources
from string import Template

from relay.runtime.code.traps import NO_MEMORY
from relay.runtime.library.header import statuses
from relay.runtime.library.results import results_text
from relay.runtime.memory import ALIGNMENT, align_up
from relay.runtime.program import Program

MARK = hashlib.sha256(b"weights").digest()
"""The marker in an object of the start of the weights, until they are filled in."""

FUNCTIONS = ("run", "stop", "workspace_bytes", "error")
"""The functions of a library, without the prefix of its name and an underscore."""


def library_text(program: Program, name: str, pointer_bits: int) -> str:
    """Return the module with the functions of the library `name` and space for weights."""
    arena = align_up(program.arena_bytes)
    if program.stop is None:  # the word exists even if it is never polled
        arena += ALIGNMENT
    scratch = align_up(program.workspace_bytes + program.worker_bytes)
    text = Template(
        (resources.files("relay.runtime.library") / "library.ll").read_text()
    ).substitute(
        name=name,
        word=pointer_bits,
        mark=_escaped(MARK),
        rest=max(0, program.constants.block.nbytes - len(MARK)),
        arena=arena,
        stop=arena - ALIGNMENT,
        line=ALIGNMENT,
        bytes=arena + scratch + ALIGNMENT,
        no_memory=NO_MEMORY,
    )
    return (
        "\n".join([text, results_text(program, pointer_bits), *_error(name, statuses(program))])
        + "\n"
    )


def _error(name: str, texts: Mapping[int, str]) -> Iterator[str]:
    """Write the function from a status to its meaning."""
    for number, text in (*texts.items(), ("unknown", "unknown status")):
        content = text.encode() + b"\0"
        value = f'[{len(content)} x i8] c"{_escaped(content)}"'
        yield f"@text.{number} = private unnamed_addr constant {value}"
    cases = " ".join(f"i32 {number}, label %case{number}" for number in texts)
    yield f"define ptr @{name}_error(i32 %status) {{"
    yield f"  switch i32 %status, label %unknown [ {cases} ]"
    yield from ("unknown:", "  ret ptr @text.unknown")
    for number in texts:
        yield from (f"case{number}:", f"  ret ptr @text.{number}")
    yield "}"


def _escaped(content: bytes) -> str:
    """Return bytes escaped for an LLVM string."""
    return "".join(f"\\{byte:02x}" for byte in content)
