"""Code for machines that are not here: what the inner loops of their kernels consist of.

LLVM writes the assembly for each of them; no hardware is needed to see that the tile that the model
chose is there, in registers: as many multiply-adds as it has vectors, and nothing on the stack.
"""

import re

import pytest

import relay
from relay.build.kernel_listing import Listing, listings
from tools.assembly import count_lines, inner_loop

CONVOLUTION = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 64, 28, 28), float32], %w: Tensor[(64, 64, 3, 3), float32]) {
  nn.relu(nn.conv2d(%x, %w, padding=[1, 1, 1, 1]))
}
"""
DENSE = """#[version = "0.0.5"]
def @main(%x: Tensor[(64, 128), float32], %w: Tensor[(96, 128), float32]) { nn.dense(%x, %w) }
"""
ROW = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 256), float32], %w: Tensor[(128, 256), float32]) { nn.dense(%x, %w) }
"""
BYTES = """#[version = "0.0.5"]
def @main(%x: Tensor[(64, 128), {}], %w: Tensor[(96, 128), int8]) {{
  nn.dense(%x, %w, out_dtype="int32")
}}
"""
SCORES = """#[version = "0.0.5"]
def @main(%x: Tensor[(2, 64, 128), bfloat16], %w: Tensor[(2, 96, 128), bfloat16]) {
  nn.batch_matmul(%x, %w, out_dtype="float32", transpose_b=True)
}
"""
KERNELS = {"conv2d+relu": CONVOLUTION, "dense": DENSE}

MACHINES = {  # the multiply-adds of a vector, and how the stack is written
    "x86-64-v3": (r"vfmadd\d+ps\b.*ymm", r"\(%[re]?sp\)"),
    "x86-64-v4": (r"vfmadd\d+ps\b.*zmm", r"\(%[re]?sp\)"),
    "aarch64-linux-gnu -mcpu=neoverse-n1": (r"fmla\s+v\d+\.4s", r"\[(sp|x29)\b"),
    "riscv64-linux-gnu -mattr=+v": (r"vfmacc\.v[vf]\b", r"\bv[ls]\d+r(e\d+)?\.v\b"),
    "wasm32": (r"f32x4\.mul\b", r"__stack_pointer"),
}
OF_BYTES = {  # the type of the data, the instruction, and how many of it a word's products take
    "x86-64-v3": ("uint8", r"vpmaddwd\b.*ymm", 2),
    "x86-64-v3 -mattr=+avxvnni": ("uint8", r"vpdpbusd\b.*ymm", 1),
    "x86-64-v4 -mattr=+avx512vnni": ("uint8", r"vpdpbusd\b.*zmm", 1),
    "aarch64-linux-gnu -mcpu=neoverse-n1 -mattr=+dotprod": ("int8", r"sdot\s+v\d+\.4s", 1),
    "aarch64-linux-gnu -mcpu=neoverse-v1 -mattr=+i8mm": ("uint8", r"usdot\s+v\d+\.4s", 1),
}
OF_PAIRS = {
    "x86-64-v4 -mattr=+avx512bf16": r"vdpbf16ps\b.*zmm",
    "aarch64-linux-gnu -mcpu=neoverse-v1 -mattr=+bf16": r"bfdot\s+v\d+\.4s",
}


def listing(source: str, name: str, machine: str) -> Listing:
    (found,) = listings(relay.parse(source), name, target=machine)
    return found


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", KERNELS)
def test_a_tile_is_in_registers(name, machine):
    found = listing(KERNELS[name], name, machine)
    multiply_add, stack = MACHINES[machine]
    high, wide, vectors = map(int, re.findall(r"(?:high|wide|vectors)=(\d+)", found.schedule))
    body = inner_loop(found.assembly, multiply_add)
    assert count_lines(multiply_add, body) == high * wide * vectors > 8
    assert count_lines(stack, body) == 0, "\n".join(body)


@pytest.mark.parametrize("machine", OF_BYTES)
def test_words_of_bytes_are_multiplied_in_registers(machine):
    kind, multiply_add, each = OF_BYTES[machine]
    found = listing(BYTES.format(kind), "dense", machine)
    high, wide, vectors = map(int, re.findall(r"(?:high|wide|vectors)=(\d+)", found.schedule))
    body = inner_loop(found.assembly, multiply_add)
    assert count_lines(multiply_add, body) == each * high * wide * vectors >= 8
    assert count_lines(r"vpmulld|\bmul\s+v", body) == 0
    if each == 1:  # pairs need more registers than a tile of words counts
        stack = r"\[(sp|x29)\b" if machine.startswith("aarch64") else r"\(%[re]?sp\)"
        assert count_lines(stack, body) == 0, "\n".join(body)


@pytest.mark.parametrize("machine", OF_PAIRS)
def test_pairs_of_bfloat16_are_multiplied_in_registers(machine):
    found = listing(SCORES, "batch_matmul", machine)
    high, wide, vectors = map(int, re.findall(r"(?:high|wide|vectors)=(\d+)", found.schedule))
    body = inner_loop(found.assembly, OF_PAIRS[machine])
    assert count_lines(OF_PAIRS[machine], body) == high * wide * vectors >= 8


def test_the_core_decides_about_the_tile():
    """A core with one load a cycle reads less for each multiply-add than one with three."""
    source, reads = DENSE.replace("(64, 128)", "(12, 128)"), {}
    for cpu in ("cortex-a72", "neoverse-v1"):
        found = listing(source, "dense", f"aarch64-linux-gnu -mcpu={cpu}").schedule
        wide, vectors = map(int, re.findall(r"(?:wide|vectors)=(\d+)", found))
        reads[cpu] = (wide + vectors) / (wide * vectors)
    assert reads["cortex-a72"] < reads["neoverse-v1"]


@pytest.mark.parametrize("machine", MACHINES)
def test_a_row_is_reduced_by_vectors(machine):
    found = listing(ROW, "dense", machine)
    multiply_add, stack = MACHINES[machine]
    body = inner_loop(found.assembly, multiply_add)
    assert count_lines(multiply_add, body) >= 2
    assert count_lines(stack, body) == 0, "\n".join(body)
