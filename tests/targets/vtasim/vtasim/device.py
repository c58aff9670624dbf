"""The accelerator as the runtime sees it: memory, and a queue that a thread works through."""

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from relay.runtime.device_interface import GLOBAL, Bytes, Event, Pointer, device_failed
from vtasim.isa import decode
from vtasim.machine import Machine, RefusalError


@dataclass(eq=False)
class Memory:
    """A block of the accelerator's memory."""

    data: Bytes

    @property
    def nbytes(self) -> int:
        """Return its size."""
        return self.data.nbytes


@dataclass(eq=False)
class Kernel:
    """The instructions and micro-operations of a kernel."""

    symbol: str
    rows: np.ndarray
    uops: np.ndarray


class Done:
    """What the queue has been asked for."""

    def __init__(self, future: "Future[None]") -> None:
        self._future = future

    def wait(self) -> None:
        """Return when it is done; raises `R060` for what the machine refused."""
        try:
            self._future.result()
        except RefusalError as refusal:
            raise device_failed("vtasim", str(refusal)) from None


class Device:
    """One accelerator; `counts` says what it has done, and refused."""

    spaces = (GLOBAL,)
    opened: "list[Device]" = []

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._queue = ThreadPoolExecutor(1, "vtasim")
        self._blocks: set[Memory] = set()
        Device.opened.append(self)

    def allocate(self, nbytes: int, space: str = GLOBAL) -> Memory:
        """Return a block of memory."""
        assert space == GLOBAL
        memory = Memory(np.zeros(nbytes, np.uint8))
        self._blocks.add(memory)
        return memory

    def free(self, memory: Memory) -> None:
        """Give a block back."""
        self._blocks.remove(memory)

    def load(self, symbol: str, code: bytes) -> Kernel:
        """Return a kernel of the code that the target made."""
        return Kernel(symbol, *decode(code))

    def upload(self, source: Bytes, target: Pointer, after: Sequence[Event]) -> Event:
        """Copy from the host."""
        return self._ask(lambda: self._copy(source, self._bytes(target, source.nbytes)), after)

    def download(self, source: Pointer, target: Bytes, after: Sequence[Event]) -> Event:
        """Copy to the host."""
        return self._ask(lambda: self._copy(self._bytes(source, target.nbytes), target), after)

    def launch(self, kernel: Kernel, arguments: Sequence[Pointer], after: Sequence[Event]) -> Event:
        """Run a kernel."""

        def run() -> None:
            blocks = [self._bytes(pointer) for pointer in arguments]
            Machine(kernel.uops, blocks, self.counts).run(kernel.rows)

        return self._ask(run, after)

    def _ask(self, work: Callable[[], None], after: Sequence[Event]) -> Event:
        def do() -> None:
            for event in after:
                event.wait()
            work()

        return Done(self._queue.submit(do))

    def _copy(self, source: Bytes, target: Bytes) -> None:
        target[:] = source
        self.counts["copied bytes"] += target.nbytes

    def _bytes(self, pointer: Pointer, nbytes: int | None = None) -> Bytes:
        memory = pointer.memory
        assert isinstance(memory, Memory)
        assert memory in self._blocks, "memory that was given back"
        end = None if nbytes is None else pointer.offset + nbytes
        return memory.data[pointer.offset : end]
