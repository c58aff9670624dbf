"""Which tensors lie in the stack frame of their function."""

from relay.build.code.stack_allocation import FRAME_BYTES, place_in_frame
from relay.runtime.code.function import Block, CodeFunction
from relay.runtime.code.instructions import Return, RunKernel
from relay.runtime.code.register_kinds import Tensor
from relay.support.dtype import uint8


def test_a_frame_holds_no_more_bytes_than_deep_recursion_allows():
    sizes = (FRAME_BYTES // 2, FRAME_BYTES + 1, FRAME_BYTES // 2, 1, 0, None)
    kinds = tuple(Tensor((size,), uint8) for size in sizes)
    block = Block((RunKernel(0, (), tuple(range(len(kinds)))),), Return(()))
    assert place_in_frame(CodeFunction("f", kinds, 0, (), (block,))).frame == {0, 2, 4}


def test_parameters_and_results_are_not_in_the_frame():
    kinds = (Tensor((4,), uint8),) * 3
    block = Block((RunKernel(0, (0,), (1,)), RunKernel(0, (1,), (2,))), Return((2,)))
    assert place_in_frame(CodeFunction("f", kinds, 1, kinds[:1], (block,))).frame == {1}
