"""Describe the machine of a measurement in generic words, without host names or paths."""

import os
import platform
from pathlib import Path


def describe_machine() -> dict[str, str]:
    """Return the processor, how many cores this process may use, the system and the Python."""
    return {
        "processor": _processor(),
        "cores": str(_cores()),
        "vectors": _vectors(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def machine_line() -> str:
    """Return the sentence that pages of results begin with."""
    return f"Machine: {', '.join(f'{key} {value}' for key, value in describe_machine().items())}."


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _cpuinfo(field: str) -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    rows = (line.split(":", 1) for line in lines if ":" in line)
    return next((value.strip() for key, value in rows if key.strip() == field), "")


def _processor() -> str:
    return _cpuinfo("model name") or platform.processor() or platform.machine()


def _vectors() -> str:
    flags = set(_cpuinfo("flags").split() or _cpuinfo("Features").split())
    known = ("avx512f", "avx512_vnni", "avx512_bf16", "amx_tile", "avx2", "fma", "sve", "asimd")
    return " ".join(name for name in known if name in flags) or "unknown"
