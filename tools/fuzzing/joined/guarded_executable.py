"""A native program whose inputs, and results of static sizes, lie beside inaccessible memory."""

from collections.abc import Mapping, Sequence
from typing import Any

from relay.ir.expr import Array
from relay.runtime.aligned_memory import address
from relay.runtime.frame_pool import CallMemory
from relay.runtime.native_executable import NativeExecutable
from relay.runtime.program import Program
from tools.fuzzing.sizes.guarded import GuardedMemory


class GuardedExecutable(NativeExecutable):
    """A program that is called with copies of its arguments in guarded memory.

    If `places_results`, results of static sizes lie in such memory, too. Calls then go through
    Python, because the native call boundary allocates results elsewhere. Arrays are valid until the
    next call.
    """

    def __init__(self, program: Program, *, places_results: bool) -> None:
        super().__init__(program, threads=1)
        self._memory = GuardedMemory()
        self._places_results = places_results
        self._turn = 0

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Run the program; raises an `AssertionError` if it writes beside arrays, or to inputs."""
        self._turn += 1
        inputs = [
            self._memory.copy(place, each, at_end=self._at_end(place))
            for place, each in enumerate(args)
        ]
        call = self._called if self._places_results else self._through_boundary
        results = call(inputs, named)
        assert self._memory.is_intact(), "memory beside an array was written to"
        pairs = zip(inputs, args, strict=True)
        assert all(one.tobytes() == other.tobytes() for one, other in pairs), "an input has changed"
        return results

    def _through_boundary(self, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        return super().__call__(*args, **named)

    def _at_end(self, place: int) -> bool:
        """Whether an array ends at its guard: three times of four."""
        return (place + self._turn) % 4 != 3

    def _place(self, frame: CallMemory, arrays: Sequence[Array]) -> list[Array]:
        """Allocate results of static sizes in guarded memory, if this was requested."""
        results = super()._place(frame, arrays)
        for index, slot in self._made if self._places_results else ():
            at_end, of = self._at_end(index), (slot.shape(()), slot.dtype)
            results[index] = self._memory.array(("result", index), *of, at_end=at_end)
            frame.words[slot.entry // 8] = address(results[index])
        return results
