"""Store in the cache on disk which compiled kernel belongs to which primitive function.

The object code of a kernel has the hash of its loops as its key, and loops take longer to make than
object code to read. Such a record maps the content of a primitive function to the symbol of its
object code and to its schedule, so that a second compilation needs no loops.
"""

from collections.abc import Mapping
from typing import Any

from relay.build.persistent_keys import persistent_keys
from relay.ir.expr import Function
from relay.kernels.kernel_cache import KernelCache, entry_key
from relay.kernels.kernel_compiler import ObjectCode, Options
from relay.targets.target import HostTarget


class KernelRecords:
    """The records of the kernels of one target, compiled with the same options."""

    def __init__(self, cache: KernelCache, target: HostTarget, options: Options) -> None:
        self._cache = cache
        self._target = target
        self._options = options
        self._keys = persistent_keys(target)

    def find(self, function: Function) -> tuple[ObjectCode, Mapping[str, Any]] | None:
        """Return the code and the schedule of a primitive function's kernel, if both are stored."""
        key = self._key(function)
        match None if key is None else self._cache.record(key):
            case {"symbol": str(symbol), "schedule": {**schedule}}:
                code = self._cache.get(entry_key(symbol, self._target.machine, self._options))
                return None if code is None else (code, schedule)
            case _:
                return None

    def add(self, function: Function, code: ObjectCode, schedule: Mapping[str, Any]) -> None:
        """Store the schedule of a kernel whose code is in the cache; not that of plain loops.

        Plain loops result from defects, which are reported at each compilation.
        """
        key = self._key(function) if schedule else None
        if key is not None:
            self._cache.put_record(key, {"symbol": code.symbol, "schedule": dict(schedule)})

    def _key(self, function: Function) -> str | None:
        return None if self._keys is None else self._keys.of(function)
