"""The folder for what benchmarks build or download: outside the repository, never committed."""

import os
from collections.abc import Mapping
from pathlib import Path


def cache_directory(*parts: str) -> Path:
    """Return (and create) a folder of the benchmark cache.

    The root is `$RELAY_BENCHMARK_CACHE`, else `$XDG_CACHE_HOME/relay-benchmarks`, else the
    same name under `~/.cache`.
    """
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    root = Path(os.environ.get("RELAY_BENCHMARK_CACHE") or base / "relay-benchmarks")
    folder = root.joinpath(*parts)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def with_bytecode(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment in which Python stores the bytecode of the modules that it imports.

    Installed packages have theirs. Without it, a compilation from a checkout would also measure the
    translation of the compiler's own sources.
    """
    kept = {name: each for name, each in environment.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(cache_directory("bytecode"))}
