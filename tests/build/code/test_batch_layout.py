"""Parts of a batch: each begins where the one before it ends, at a multiple of its size."""

from types import SimpleNamespace
from typing import Any

from relay.build.code.batch_layout import REFERENCE_BYTES, BatchLayout
from relay.runtime.code.function import Task
from relay.runtime.code.register_kinds import Scalar, Tensor


def test_parts_lie_side_by_side():
    tensor, small, large = Tensor((2,), "float32"), Scalar("int32"), Scalar("int64")
    single = SimpleNamespace(
        kinds=(small, tensor, large, tensor, tensor), parameters=4, results=(tensor, tensor)
    )
    code: Any = SimpleNamespace(functions=[single])
    layout = BatchLayout(code, Task(0, 0, shared=frozenset({1})))
    assert layout.slab(0) % 8 == 0
    assert layout.slab(1) == layout.slab(0) + 8
    assert layout.shared_input(1) == layout.slab(1) + 8
    assert layout.base == layout.shared_input(1) + REFERENCE_BYTES
    assert [layout.each(index) for index in (3, 2, 0)] == [0, REFERENCE_BYTES, REFERENCE_BYTES + 8]
    assert layout.each_call == layout.each(0) + 4
    assert layout.nbytes == layout.each_call + 2 * 8
