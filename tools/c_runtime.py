"""Translate the C sources of the runtime to LLVM text with the compiler in a wheel.

Run `python tools/c_runtime.py` after a change of `relay/runtime/c`; `--check` only compares. The
compiler is that of `ziglang`, pinned in pyproject.toml, because the text depends on its version.
The texts of a source for all platforms are almost equal, and are compressed together: in the wheel
they take 40 kB, 250 kB one by one. `--show NAME PLATFORM` prints one of them.
"""

import argparse
import lzma
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
from relay.runtime.host_compilation import SECTION, runtime_texts

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
"""Our name of each platform, and the compiler's."""

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


def translations() -> dict[str, dict[str, str]]:
    """Return the text of each source for each platform: by name, then by platform."""
    sources = sorted(SOURCES.glob("*.c"))
    with ThreadPoolExecutor() as executor:
        found = {
            source.stem: {
                platform: executor.submit(translated, source, target)
                for platform, target in PLATFORMS.items()
                if _is_for(source.stem, platform)
            }
            for source in sources
        }
    return {
        name: {platform: future.result() for platform, future in each.items()}
        for name, each in found.items()
    }


def packed(texts: dict[str, str]) -> bytes:
    """Return the texts of a source by platform as one compressed file."""
    whole = "".join(f"{SECTION}{platform}\n{text}" for platform, text in texts.items())
    return lzma.compress(whole.encode(), preset=9 | lzma.PRESET_EXTREME)


def main() -> int:
    """Write the translations, report those that are not up to date, or print one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument("--show", nargs=2, metavar=("NAME", "PLATFORM"), help="print a text")
    options = parser.parse_args()
    if options.show:
        name, platform = options.show
        print(runtime_texts(name)[platform], end="")
        return 0
    return _update(check=options.check)


def _update(*, check: bool) -> int:
    wanted = translations()
    files = {TEXTS / f"{name}.ll.xz": texts for name, texts in wanted.items()}
    stale = [
        path for path in files
        if not path.exists() or runtime_texts(path.name.partition(".")[0]) != files[path]
    ]  # fmt: skip
    surplus = [path for path in TEXTS.iterdir() if path not in files] if TEXTS.exists() else []
    for path in (*stale, *surplus):
        print(f"{'not up to date' if check else 'changed'}: {path.relative_to(RUNTIME)}")
    if not check:
        TEXTS.mkdir(exist_ok=True)
        for path in stale:
            path.write_bytes(packed(files[path]))
        for path in surplus:
            path.unlink()
    return int(check and bool(stale or surplus))


if __name__ == "__main__":
    sys.exit(main())
