"""The CPU: vector units, caches, and a pool of threads."""

from relay.targets.cpu.target import CpuTarget as CpuTarget
