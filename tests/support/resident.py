"""The part of a mapped file that is in memory."""

from pathlib import Path


def resident(path: Path) -> int:
    """Return the bytes of a mapped file that are in the memory of this process."""
    lines = Path("/proc/self/smaps").read_text().splitlines()
    heads = [k for k, line in enumerate(lines) if line.endswith(str(path))]
    sizes = [line for k in heads for line in lines[k : k + 5] if line.startswith("Rss:")]
    return sum(int(line.split()[1]) for line in sizes) << 10
