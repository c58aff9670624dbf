"""Programs for other machines: what their files say, and what they compute under an emulator."""

import shutil
import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import relay
from relay.kernels.cpu_model import CpuModel
from relay.kernels.machine_names import machine_named
from relay.runtime.library.undefined_symbols import needed

ELF_MACHINES = {"x86-64-v2": 62, "aarch64-linux-gnu": 183, "riscv64-linux-gnu": 243}
"""What the header of an ELF file calls the machine."""

FUNCTIONS = ("exp", "log", "tanh", "sigmoid", "erf", "sin", "cos", "tan", "atan", "rsqrt", "round")
TARGETS = (*ELF_MACHINES, "wasm32", "aarch64-apple-macos")
DEEP = """#[version = "0.0.5"]
type List { Cons(int32, List), Nil }
def @upto(%n: int32) -> List {
  if (less(%n, 1)) { Nil } else { Cons(%n, @upto(subtract(%n, 1))) }
}
def @sum(%l: List) -> int32 {
  match (%l) { Cons(%x, %rest) => { add(%x, @sum(%rest)) }, Nil => { 0 } }
}
def @main(%n: int32) -> int32 { @sum(@upto(%n)) }
"""

WEIGHTS = np.random.default_rng(1).normal(0, 1, (9, 10)).astype(np.float32)


X = relay.var("x", shape=(3, 10))
SCORES = relay.nn.softmax(relay.nn.dense(relay.tanh(X), relay.const(WEIGHTS)))
NETWORK = relay.Module({"main": relay.Function((X,), SCORES)})


def header(path: Path) -> str:
    return path.with_suffix(".h").read_text()


@pytest.mark.parametrize("target", ELF_MACHINES)
def test_an_object_is_for_the_machine_that_was_named(tmp_path: Path, target: str):
    for model in (NETWORK, relay.parse(DEEP)):
        relay.compile(model, target=target).export(tmp_path / "m.o")
        kind, machine = struct.unpack_from("<HH", (tmp_path / "m.o").read_bytes(), 16)
        assert (kind, machine) == (1, ELF_MACHINES[target])  # to be linked; for this processor


def test_riscv_passes_doubles_in_registers(tmp_path: Path):
    relay.compile(NETWORK, target="riscv64-linux-gnu").export(tmp_path / "m.o")
    (flags,) = struct.unpack_from("<I", (tmp_path / "m.o").read_bytes(), 48)
    assert flags & 6 == 4  # the double-float ABI, or nothing links with the C library


def test_modules_of_other_formats(tmp_path: Path):
    relay.compile(NETWORK, target="wasm32").export(tmp_path / "m.o")
    assert (tmp_path / "m.o").read_bytes()[:8] == b"\0asm\1\0\0\0"
    assert "wasm32" in header(tmp_path / "m.o")
    relay.compile(NETWORK, target="aarch64-apple-macos").export(tmp_path / "m.o")
    assert (tmp_path / "m.o").read_bytes()[:4] == b"\xcf\xfa\xed\xfe"


@pytest.mark.parametrize("target", [*ELF_MACHINES, "wasm32"])
def test_elementary_functions_are_in_the_object(tmp_path: Path, target: str):
    x = relay.var("x", shape=(2, 7))
    values = [getattr(relay, name)(x) for name in FUNCTIONS]
    main = relay.Function((x,), relay.Tuple(tuple(values)))
    relay.compile(relay.Module({"main": main}), target=target).export(tmp_path / "m.o")
    found = needed((tmp_path / "m.o").read_bytes())
    assert found is not None
    of_huge_angles = {"sinf", "cosf", "tanf"}
    library = of_huge_angles | {"malloc", "free", "memcpy", "memset"}
    assert of_huge_angles <= found <= library | {"roundevenf", "roundf"}  # what a processor lacks
    assert ", ".join(sorted(found)) in header(tmp_path / "m.o")


def test_functions_are_found_among_other_imports():
    """The sections of types and imports of a module, as the standard of WebAssembly writes them."""
    imports = [
        b"\x03env\x03sin\x00\x00",  # a function of type 0
        b"\x03env\x01t\x01\x70\x00\x01",  # a table of references, at least one
        b"\x03env\x01u\x01\x70\x01\x01\x80\x01",  # another, at most 128
        b"\x03env\x01m\x02\x00\x80\x01",  # a memory of at least 128 pages
        b"\x03env\x01n\x02\x01\x01\x02",  # another, of one or two
        b"\x03env\x01g\x03\x7f\x01",  # a variable
        b"\x03env\x03cos\x00\x00",
    ]
    listed = bytes([len(imports)]) + b"".join(imports)
    types = b"\x01\x04\x01\x60\x00\x00"
    module = b"\0asm\1\0\0\0" + types + b"\x02" + bytes([len(listed)]) + listed
    assert needed(module + b"\x03\x01\x00") == {"sin", "cos"}


def test_machines_have_the_numbers_of_their_kind():
    machines = {name: machine_named(name) for name in TARGETS}
    assert [m.vector_bytes for m in machines.values()] == [16, 16, 8, 16, 16]
    assert [m.vector_registers for m in machines.values()] == [16, 32, 32, 16, 32]
    assert [m.pointer_bytes for m in machines.values()] == [8, 8, 8, 4, 8]
    assert machine_named("x86-64-v3").vector_bytes == 32
    assert machine_named("x86-64-v4").vector_bytes == 64
    assert machine_named("riscv64-linux-gnu -mattr=+v").vector_bytes == 16
    assert machine_named("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a76").cpu == "cortex-a76"
    assert machine_named("native") is CpuModel.host()


CALL = """
#include "m.h"
#include <stdio.h>
int main(void) {
  static float x[M_INPUT_X_SIZE], y[M_OUTPUT_Y_SIZE], last[M_OUTPUT_LAST_SIZE];
  m_inputs in = { x };
  m_outputs out = { y, last };
  for (int i = 0; i < M_INPUT_X_SIZE; i++) x[i] = (float)i / M_INPUT_X_SIZE - 0.5f;
  int status = m_run(&in, &out, NULL);
  for (int i = 0; i < M_OUTPUT_Y_SIZE; i++) printf("%.9g\\n", y[i]);
  return status;
}
"""

CALL_DEEP = """
#include "deep.h"
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **arguments) {
  int32_t n = count > 1 ? atoi(arguments[1]) : 0, sum = 0;
  deep_inputs in = { &n };
  deep_outputs out = { &sum };
  int status = deep_run(&in, &out, NULL);
  printf("%d %d\\n", status, (int)sum);
  return 0;
}
"""


def emulated(target: str, qemu: str) -> tuple[list[str], str]:
    """Return a compiler that links for a target, and the program that runs what it makes."""
    emulator = shutil.which(qemu)
    if emulator is None:
        pytest.skip(f"{qemu} is not installed")
    found = shutil.which(f"{target}-gcc")
    if found is None:
        pytest.skip(f"{target}-gcc is not installed")
    return [found, "-static"], emulator


def test_a_machine_whose_vectors_hold_one_element_runs_loops():
    text = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(n), int32]) { cast(%x, dtype="int64") }'
    made: Any = relay.compile(relay.parse(text), target="riscv64-linux-gnu")
    assert made.program.objects


@pytest.mark.parametrize("architecture", ["aarch64", "riscv64"])
def test_programs_run_under_an_emulator(c: SimpleNamespace, lstm, architecture: str):
    target = f"{architecture}-linux-gnu"
    compiler, emulator = emulated(target, f"qemu-{architecture}-static")
    model = lstm(steps=6)
    relay.compile(model, target=target).export(c.folder / "m.o")
    program = c.build_with(compiler, CALL, c.folder / "m.o")
    found = np.fromstring(c.run(emulator, program), np.float32, sep="\n")
    x = (np.arange(30, dtype=np.float32) / 30 - 0.5).reshape(6, 1, 5)
    np.testing.assert_allclose(found, relay.compile(model)(x)[0].ravel(), rtol=1e-5, atol=1e-6)
    relay.compile(relay.parse(DEEP), target=target).export(c.folder / "deep.o")
    program = c.build_with(compiler, CALL_DEEP, c.folder / "deep.o")
    assert c.run(emulator, program, 50).split() == ["0", "1275"]
    assert c.run(emulator, program, 60_000).split() == ["0", "1800030000"]
