"""From an optimised, fused module to a `Program`: kernels, constants, memory, and the entry function."""

from collections.abc import Hashable, Sequence

from relay.build.entry import ENTRY, entry_text
from relay.build.lower import lower
from relay.build.memory import MemoryPlan, plan_memory
from relay.build.straight_line import KernelCall, StraightLine, straight_line
from relay.ir.equality import structural_key
from relay.ir.expr import Call, Function
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.ir.walk import post_order
from relay.kernels.cache import KernelCache
from relay.kernels.compiler import CompiledKernel, compile_kernels, compile_text
from relay.kernels.loops import Kernel
from relay.opdef.definition import OperatorDef
from relay.runtime.program import (
    Constants,
    Location,
    ObjectCode,
    Program,
    Region,
    Signature,
    Step,
    TensorSpec,
    pack_constants,
)
from relay.targets.target import Target
