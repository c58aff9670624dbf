"""Translate the C sources of the runtime to LLVM text with the compiler in a wheel.

Run `python tools/c_runtime.py` after a change of `relay/runtime/c`; `--check` only compares. The
compiler is that of `ziglang`, pinned in pyproject.toml, because the text depends on its version.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

RUNTIME = Path(__file__).parents[1] / "relay" / "runtime"
SOURCES, TEXTS = RUNTIME / "c", RUNTIME / "ir"

PLATFORMS = {
    "wasm32": "wasm32-freestanding",
    "x86_64-linux": "x86_64-linux-gnu",
    "aarch64-linux": "aarch64-linux-gnu",
    "riscv64-linux": "riscv64-linux-gnu",
    "x86_64-darwin": "x86_64-macos",
    "aarch64-darwin": "aarch64-macos",
    "x86_64-windows": "x86_64-windows-gnu",
    "aarch64-windows": "aarch64-windows-gnu",
}
"""The folder of each platform, and the compiler's name of it."""

OF_PROGRAMS = ("heap", "segments", "entry", "batches", "layout", "library", "library_alone")
"""Sources that are linked into programs for all machines; the others need a process with Python."""

OPTIONS = (
    *("-std=gnu11", "-O2", "-g0", "-fPIC", "-S", "-emit-llvm", "-mcpu=baseline"),
    *("-Wall", "-Wextra", "-Werror", "-Wno-unused-command-line-argument"),
    *("-fno-strict-aliasing", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops"),
    *("-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-fno-sanitize=all"),
)

KEPT = ("alwaysinline", "cold", "noinline", "noreturn")
"""The attributes of functions that are kept: others name a CPU, or repeat what LLVM infers. What is
cold and not inlined is not optimised again, which would cost time in each compilation."""


def translated(source: Path, target: str) -> str:
    """Return the LLVM text of a C source for a platform, independent of this machine."""
    command = (sys.executable, "-m", "ziglang", "cc", "-target", target, *OPTIONS)
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "out.ll"
        done = subprocess.run(
            [*command, "-o", str(output), source.name],
            capture_output=True, text=True, cwd=SOURCES, check=False,
        )  # fmt: skip
        if done.returncode != 0:
            sys.exit(done.stderr)
        text = output.read_text()
    if source.stem in OF_PROGRAMS:  # the text that calls these, or is called, has no such marks
        text = re.sub(r"\b(signext|zeroext) ", "", text)
    return "\n".join(_cleaned(text)) + "\n"


def _cleaned(text: str) -> Iterator[str]:
    """Yield the relevant lines of an LLVM module: without target settings and value names."""
    yield "; Written by tools/c_runtime.py from the C sources; do not edit."
    blank = False
    for given in text.splitlines():
        if re.match(r"; ModuleID|source_filename|target |!(?!.*branch_weights)|; Function", given):
            continue
        line = re.sub(r" +; preds.*|, !(?!prof)[\w.]+ !\d+", "", given)
        if line.startswith("attributes #"):
            head, _, words = line.partition("{")
            kept = ["nounwind", *(word for word in words.split() if word in KEPT)]
            kept += ["optnone"] if {"cold", "noinline"} <= {*kept} else []
            line = f"{head}{{ {' '.join(kept)} }}"
        if line or not blank:
            yield line
        blank = not line


def _is_for(source: str, platform: str) -> bool:
    """Whether a source is used on a platform; C libraries are not built for Windows."""
    if platform == "wasm32":
        return source in OF_PROGRAMS
    return source != "library_pool" or "windows" not in platform


def texts() -> dict[Path, str]:
    """Return all translations, by output file."""
    sources = sorted(SOURCES.glob("*.c"))
    with ThreadPoolExecutor() as executor:
        found = {
            TEXTS / folder / f"{source.stem}.ll": executor.submit(translated, source, target)
            for source in sources
            for folder, target in PLATFORMS.items()
            if _is_for(source.stem, folder)
        }
    return {path: future.result() for path, future in found.items()}


def main() -> int:
    """Write the translations, or report those that are not up to date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    check = parser.parse_args().check
    wanted = texts()
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text() != text]
    surplus = [path for path in TEXTS.rglob("*.ll") if path not in wanted]
    for path in (*stale, *surplus):
        print(f"{'not up to date' if check else 'changed'}: {path.relative_to(RUNTIME)}")
    if not check:
        for path in stale:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[path])
        for path in surplus:
            path.unlink()
    return int(check and bool(stale or surplus))


if __name__ == "__main__":
    sys.exit(main())
