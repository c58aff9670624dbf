"""The CPU target: vector units, caches, and a pool of threads."""

from relay.targets.cpu.target import cpu_target as cpu_target
from relay.targets.cpu.target import this_cpu as this_cpu
