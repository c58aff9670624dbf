"""The instructions of the accelerator, as rows of numbers that travel in an artefact.

Three modules (load, compute, store) work at the same time, each through its own instructions in
order. Tokens between neighbours say what may be read, and what may be overwritten.
"""

import json
import struct
from enum import IntEnum

import numpy as np

LANES = 16  # of a vector; a matrix step multiplies a vector by 16 × 16 weights


class Op(IntEnum):
    """What an instruction does."""

    LOAD = 0
    STORE = 1
    GEMM = 2
    ALU = 3


class Pad(IntEnum):
    """The scratchpads: inputs, weights, accumulators, micro-operations."""

    INP = 0
    WGT = 1
    ACC = 2
    UOP = 3


class Alu(IntEnum):
    """What the vector unit computes of an accumulator and a number."""

    MIN = 0
    MAX = 1
    ADD = 2
    SHR = 3


DEPTH = {Pad.INP: 2048, Pad.WGT: 1024, Pad.ACC: 2048, Pad.UOP: 8192}
BYTES = {Pad.INP: 16, Pad.WGT: 256, Pad.ACC: 64, Pad.UOP: 4}
OUT_BYTES = 16  # of an accumulator as int8

TOKENS = ("pop_prev", "pop_next", "push_prev", "push_next")
FIELDS = (
    "op", *TOKENS,
    "pad", "sram", "argument", "dram", "rows", "columns", "stride",  # DMA: elements of a scratchpad
    "top", "bottom", "left", "right",  # zeros around what is loaded
    "reset", "begin", "end", "outer", "inner",  # micro-operations, in two loops
    "acc_outer", "acc_inner", "inp_outer", "inp_inner",
    "alu", "number",
)  # fmt: skip
ROW = np.dtype([(name, np.int32) for name in FIELDS])
UOP = np.dtype([("acc", np.int16), ("inp", np.int16), ("wgt", np.int16), ("zero", np.int16)])
KERNEL = -1
"""The argument that holds the micro-operations of the kernel itself."""


def module_of(row: np.void) -> int:
    """Return which module does an instruction: 0 for load, 1 for compute, 2 for store."""
    if row["op"] == Op.STORE:
        return 2
    return 0 if row["op"] == Op.LOAD and row["pad"] in (Pad.INP, Pad.WGT) else 1


def encode(rows: np.ndarray, uops: np.ndarray) -> bytes:
    """Return the code of a kernel."""
    head = json.dumps({"rows": len(rows), "uops": len(uops)}).encode()
    return struct.pack("<I", len(head)) + head + rows.tobytes() + uops.tobytes()


def decode(code: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Return the instructions and micro-operations of a kernel."""
    (size,) = struct.unpack_from("<I", code)
    start = 4 + size
    counts = json.loads(code[4:start])
    rows = np.frombuffer(code, ROW, counts["rows"], start)
    return rows, np.frombuffer(code, UOP, counts["uops"], start + rows.nbytes)
