"""The folder for what benchmarks build or download: outside the repository, never committed."""

import os
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
