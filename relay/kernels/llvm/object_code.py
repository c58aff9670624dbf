"""The result of code generation: the object code of a kernel."""

from collections.abc import Iterable

from relay.support.node import Value, value


@value
class ObjectCode(Value):
    """One compiled kernel: a relocatable object that defines `symbol`.

    A call needs `main` bytes of workspace and `worker` more for each worker of the thread pool.
    When they depend on the kernel's scalars they are None, and the object also defines
    `i64 symbol.workspace(i64 scalar…, i64 workers)`. It `polls` if it may run long. It may call the
    code that it has in common with other kernels, which is `shared`.

    >>> ObjectCode("f", b"", 128, 64).workspace_bytes(workers=2)
    256
    """

    symbol: str
    code: bytes
    main: int | None = 0
    worker: int | None = 0
    polls: bool = False
    shared: "ObjectCode | None" = None

    def workspace_bytes(self, workers: int) -> int | None:
        """Return the bytes of workspace that a call needs; None if scalars determine them."""
        if self.main is None or self.worker is None:
            return None
        return self.main + workers * self.worker


def objects(codes: Iterable[ObjectCode]) -> dict[str, bytes]:
    """Return the distinct objects of kernels by their symbols, with those that they call.

    >>> objects([ObjectCode("f", b"1", shared=ObjectCode("g", b"2"))])
    {'f': b'1', 'g': b'2'}
    """
    found: dict[str, bytes] = {}
    for code in codes:
        found[code.symbol] = code.code
        if code.shared is not None:
            found[code.shared.symbol] = code.shared.code
    return found
