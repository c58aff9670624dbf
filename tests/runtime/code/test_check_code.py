"""The validator of program code: each of its requirements, and code that violates only this one."""

import re
from collections.abc import Sequence

import numpy as np
import pytest

from relay.runtime.code import instructions as code
from relay.runtime.code import size_instructions as sizes
from relay.runtime.code.check_code import check_code
from relay.runtime.code.function import Block, CodeFunction, KernelUse, ProgramCode, Task
from relay.runtime.code.instructions import Instruction, Terminator
from relay.runtime.code.register_kinds import OBJECT, SIZE, BlockLayout, Kind, Scalar, Tensor
from relay.runtime.code.traps import COMMON_TRAPS, MISMATCH
from relay.runtime.program import pack_constants
from relay.support.dtype import bool_, float32, int32, int64
from relay.support.errors import ArtefactError

FLOAT, INT, BOOL, ROW = Scalar(float32), Scalar(int32), Scalar(bool_), Tensor((4,), float32)
KINDS: dict[str, Kind] = {
    "float": FLOAT,
    "int": INT,
    "bool": BOOL,
    "row": ROW,
    "square": Tensor((2, 2), float32),
    "short": Tensor((3,), float32),
    "open": Tensor((None, 2), float32),
    "size": SIZE,
    "sizes": Tensor((2,), int64),
    "open sizes": Tensor((None,), int64),
    "block": OBJECT,
}
F, I, B, ROWS, SQUARE, SHORT, OPEN, SIZED, SIZES, OPEN_SIZES, BLOCK = range(len(KINDS))  # noqa: E741
NOWHERE = 99

ONE_INT = BlockLayout((INT,))
FREE, CLOSED, PLAIN = 1, 2, 3
FUNCTIONS = (
    CodeFunction("free", (), 0, (), (Block((), code.Return(())),)),
    CodeFunction(
        "closed",
        (OBJECT, FLOAT, INT),
        2,
        (FLOAT,),
        (Block((code.LoadField(2, 0, ONE_INT, 0),), code.Return((1,))),),
    ),
    CodeFunction("plain", (INT,), 1, (INT,), (Block((), code.Return((0,))),)),
)
COPY, OPENED, READS_BLOCK, MAKES_BLOCK, MAKES_NUMBER = range(5)
KERNELS = (
    KernelUse("copy", "copy", (ROW,), (ROW,), sizes=1),
    KernelUse("opened", "opened", (ROW,), (KINDS["open"],)),
    KernelUse("reads", "reads", (OBJECT,), (ROW,)),
    KernelUse("makes", "makes", (ROW,), (OBJECT,)),
    KernelUse("number", "number", (ROW,), (FLOAT,)),
)
CONSTANTS = pack_constants([("row", np.zeros(4, np.float32)), ("number", np.array(1, np.int32))])


def program(instruction: Instruction) -> ProgramCode:
    """Return code that consists of an instruction; all registers are parameters."""
    is_end = isinstance(instruction, Terminator)
    last = code.Return((I,))
    first = Block((), instruction) if is_end else Block((instruction,), code.Jump(1))
    kinds = tuple(KINDS.values())
    main = CodeFunction("main", kinds, len(kinds), (INT,), (first, Block((), last)))
    tasks = (Task(PLAIN, PLAIN),)
    return ProgramCode((main, *FUNCTIONS), KERNELS, CONSTANTS, COMMON_TRAPS, tasks)


VALID: Sequence[Instruction] = [
    code.LoadConstant(ROWS, 0),
    code.LoadConstant(I, 1),
    code.Move(SQUARE, ROWS),
    code.Move(OPEN, OPEN),
    code.Move(F, F),
    code.RunKernel(COPY, (ROWS,), (ROWS,), (SIZED,), (), MISMATCH),
    code.RunKernel(OPENED, (ROWS,), (OPEN,), (), (SIZED,)),
    code.Update(COPY, ROWS, (ROWS,), ROWS, (SIZED,), MISMATCH),
    sizes.SizeOf(SIZED, OPEN, 0),
    sizes.LoadElement(SIZED, I, 0),
    sizes.LoadElement(SIZED, SIZES, 1),
    sizes.LoadElement(SIZED, OPEN_SIZES, 0),
    sizes.View(ROWS, SQUARE, ()),
    sizes.View(OPEN, ROWS, (SIZED,)),
    sizes.Require(SIZED, SIZED, MISMATCH),
    code.Construct(BLOCK, 0, (I,)),
    code.LoadField(I, BLOCK, ONE_INT, 0),
    code.StoreField(BLOCK, ONE_INT, 0, I),
    code.Close(BLOCK, CLOSED, (I,)),
    code.CallFunction(CLOSED, (BLOCK, F), (F,)),
    code.CallClosure(BLOCK, (F,), (F,)),
    code.Defer(0, (I,), (I,)),
    code.TailCall(PLAIN, (I,)),
    code.TailCallClosure(BLOCK, (F,)),
    code.Jump(1, (I,), (I,)),
    code.Branch(B, 1, 1),
    code.Switch(BLOCK, ((0, 1),), 1),
    code.Return((I,)),
    code.Trap(MISMATCH),
]


@pytest.mark.parametrize("instruction", VALID, ids=repr)
def test_valid_code(instruction: Instruction):
    check_code(program(instruction))


OTHER_KIND = "passes a value of a wrong type"
NO_BLOCK = "uses a number or a tensor as a data value"
FOR_TENSOR = "uses a data value as a tensor"
NO_SIZE = "uses a value that is not an integer as a size"
EXTENTS = "gives tensors too many or too few sizes"
NO_ELEMENT = "reads a size beyond the end of a shape"
NO_REASON = "refers to an error that does not exist"
REFUSED: Sequence[tuple[str, Instruction]] = [
    ("refers to registers that do not exist", code.Release(NOWHERE)),
    ("refers to constants that do not exist", code.LoadConstant(ROWS, 2)),
    (OTHER_KIND, code.LoadConstant(F, 0)),
    (OTHER_KIND, code.LoadConstant(F, 1)),
    ("changes the type of a tensor of dynamic size", code.Move(OPEN, ROWS)),
    ("changes the type of a tensor of dynamic size", code.Move(ROWS, OPEN)),
    ("reshapes a tensor to another number of elements", code.Move(SHORT, ROWS)),
    ("reshapes a tensor to another number of elements", code.Move(SIZES, ROWS)),
    (OTHER_KIND, code.Move(F, I)),
    (OTHER_KIND, code.Move(ROWS, I)),
    ("refers to kernels that do not exist", code.RunKernel(NOWHERE, (ROWS,), (ROWS,))),
    (
        "calls copy with a wrong number of values",
        code.RunKernel(COPY, (ROWS, ROWS), (ROWS,), (SIZED,)),
    ),
    ("calls copy with a wrong number of values", code.RunKernel(COPY, (ROWS,), (), (SIZED,))),
    ("calls copy with a wrong number of values", code.RunKernel(COPY, (ROWS,), (ROWS,))),
    (FOR_TENSOR, code.RunKernel(READS_BLOCK, (BLOCK,), (ROWS,))),
    (FOR_TENSOR, code.RunKernel(MAKES_BLOCK, (ROWS,), (BLOCK,))),
    (OTHER_KIND, code.RunKernel(COPY, (SHORT,), (ROWS,), (SIZED,))),
    (OTHER_KIND, code.RunKernel(COPY, (ROWS,), (SHORT,), (SIZED,))),
    (NO_SIZE, code.RunKernel(COPY, (ROWS,), (ROWS,), (I,))),
    (NO_REASON, code.RunKernel(COPY, (ROWS,), (ROWS,), (SIZED,), (), NOWHERE)),
    (EXTENTS, code.RunKernel(OPENED, (ROWS,), (OPEN,))),
    (OTHER_KIND, code.Update(COPY, SHORT, (ROWS,), ROWS, (SIZED,))),
    ("updates a value that is not a tensor", code.Update(MAKES_NUMBER, F, (ROWS,), F)),
    ("calls copy with a wrong number of values", code.Update(COPY, ROWS, (), ROWS, (SIZED,))),
    (NO_SIZE, code.Update(COPY, ROWS, (ROWS,), ROWS, (I,))),
    ("reads a dynamic size of a tensor that does not have it", sizes.SizeOf(SIZED, OPEN, 1)),
    ("reads a dynamic size of a tensor that does not have it", sizes.SizeOf(SIZED, I, 0)),
    (NO_SIZE, sizes.SizeOf(I, OPEN, 0)),
    (NO_SIZE, sizes.Number(I, 1)),
    (NO_SIZE, sizes.Compute(SIZED, sizes.Arithmetic.ADD, SIZED, I)),
    (NO_ELEMENT, sizes.LoadElement(SIZED, SIZES, 2)),
    (NO_ELEMENT, sizes.LoadElement(SIZED, OPEN_SIZES, 1)),
    (NO_ELEMENT, sizes.LoadElement(SIZED, I, 1)),
    (NO_ELEMENT, sizes.LoadElement(SIZED, ROWS, 0)),
    (NO_ELEMENT, sizes.LoadElement(SIZED, BLOCK, 0)),
    ("reshapes a value that is not a tensor of these elements", sizes.View(ROWS, SIZES, ())),
    ("reshapes a value that is not a tensor of these elements", sizes.View(ROWS, F, ())),
    ("reshapes a value that is not a tensor of these elements", sizes.View(F, ROWS, ())),
    (EXTENTS, sizes.View(OPEN, ROWS, ())),
    (NO_SIZE, sizes.View(OPEN, ROWS, (I,))),
    (NO_REASON, sizes.Require(SIZED, SIZED, NOWHERE)),
    (NO_SIZE, sizes.Require(SIZED, I, MISMATCH)),
    (NO_BLOCK, code.Construct(I, 0, ())),
    (NO_BLOCK, code.LoadField(I, F, ONE_INT, 0)),
    ("refers to fields that do not exist", code.LoadField(I, BLOCK, ONE_INT, 1)),
    (OTHER_KIND, code.LoadField(F, BLOCK, ONE_INT, 0)),
    (NO_BLOCK, code.StoreField(F, ONE_INT, 0, I)),
    ("refers to fields that do not exist", code.StoreField(BLOCK, ONE_INT, 1, I)),
    (OTHER_KIND, code.StoreField(BLOCK, ONE_INT, 0, F)),
    ("refers to functions that do not exist", code.Close(BLOCK, NOWHERE, ())),
    (
        "makes a function value of a function without a parameter for captured values",
        code.Close(BLOCK, FREE, ()),
    ),
    (
        "makes a function value of a function without a parameter for captured values",
        code.Close(BLOCK, PLAIN, ()),
    ),
    (OTHER_KIND, code.Close(BLOCK, CLOSED, (F,))),
    (NO_BLOCK, code.Close(I, CLOSED, (I,))),
    ("refers to functions that do not exist", code.CallFunction(NOWHERE, (), ())),
    (OTHER_KIND, code.CallFunction(CLOSED, (BLOCK, I), (F,))),
    (OTHER_KIND, code.CallFunction(CLOSED, (BLOCK, F), (I,))),
    (NO_BLOCK, code.CallClosure(I, (), ())),
    ("refers to tasks that do not exist", code.Defer(1, (I,), (I,))),
    (OTHER_KIND, code.Defer(0, (F,), (I,))),
    (OTHER_KIND, code.Defer(0, (I,), (F,))),
    (OTHER_KIND, code.TailCall(PLAIN, (F,))),
    (OTHER_KIND, code.TailCall(CLOSED, (BLOCK, F))),
    (NO_BLOCK, code.TailCallClosure(I, ())),
    ("refers to blocks that do not exist", code.Jump(2)),
    (OTHER_KIND, code.Jump(1, (I,), (F,))),
    ("branches on a value that is not a bool", code.Branch(I, 1, 1)),
    ("refers to blocks that do not exist", code.Branch(B, 1, 2)),
    (NO_BLOCK, code.Switch(I, ((0, 1),), 1)),
    ("refers to blocks that do not exist", code.Switch(BLOCK, ((0, 2),), 1)),
    (OTHER_KIND, code.Return((F,))),
    (OTHER_KIND, code.Return(())),
    (NO_REASON, code.Trap(NOWHERE)),
]


@pytest.mark.parametrize(("said", "instruction"), REFUSED, ids=repr)
def test_invalid_code(said: str, instruction: Instruction):
    with pytest.raises(ArtefactError, match=re.escape(f"the function 'main' {said}")) as caught:
        check_code(program(instruction))
    assert caught.value.code == "A006"


def test_every_instruction_with_requirements_is_among_them():
    classes = [each for module in (code, sizes) for each in vars(module).values()]
    concrete = {c for c in classes if isinstance(c, type) and issubclass(c, Instruction)}
    concrete -= {Instruction, Terminator, sizes.SizeInstruction}
    assert concrete - {type(each) for _, each in REFUSED} == {code.Await, code.Retain}


@pytest.mark.parametrize(("then", "other"), [(1, 2), (2, 1)])
def test_registers_are_written_on_every_path(then: int, other: int):
    blocks = (
        Block((), code.Branch(0, then, other)),
        Block((), code.Return((1,))),
        Block((sizes.Number(1, 5),), code.Jump(1)),
    )
    function = CodeFunction("main", (BOOL, SIZE), 1, (SIZE,), blocks)
    with pytest.raises(ArtefactError, match="reads a value before it is computed"):
        check_code(ProgramCode((function,), (), CONSTANTS, COMMON_TRAPS))


def test_a_thousand_branches_in_a_row_are_checked_in_one_pass():
    blocks: list[Block] = []
    for step in range(1000):
        then, other, joined = 3 * step + 1, 3 * step + 2, 3 * step + 3
        register = 2 * step + 1
        blocks += [
            Block((), code.Branch(0, then, other)),
            Block((sizes.Number(register, 5),), code.Jump(joined)),
            Block((sizes.Number(register + 1, 5),), code.Jump(joined)),
        ]
    kinds = (BOOL, *[SIZE] * 2000)
    function = CodeFunction("main", kinds, 1, (), (*blocks, Block((), code.Return(()))))
    check_code(ProgramCode((function,), (), CONSTANTS, COMMON_TRAPS))


def test_programs_have_code():
    with pytest.raises(ArtefactError, match="there is no code"):
        check_code(ProgramCode((), (), CONSTANTS, COMMON_TRAPS))
    empty = CodeFunction("main", (), 0, (), ())
    with pytest.raises(ArtefactError, match="has no blocks"):
        check_code(ProgramCode((empty,), (), CONSTANTS, COMMON_TRAPS))
