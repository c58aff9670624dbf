"""The constants of the C runtime are those of Python, on every machine."""

import ctypes
import re
from pathlib import Path

import llvmlite.binding as llvm
import pytest

import relay
from relay.build.code import batch_layout, emit_stack_check, emit_terminators
from relay.runtime import stop_request_layout, thread_pool
from relay.runtime.aligned_memory import ALIGNMENT
from relay.runtime.call_boundary import structures
from relay.runtime.code import heap_layout, traps
from relay.runtime.code import register_kinds as kinds
from relay.runtime.host_compilation import runtime_texts
from relay.support import kernel_error_record
from relay.support.llvm_targets import target_machine

OF_PYTHON = {
    "TAGS": kinds.TAGS,
    "CAPACITY": thread_pool.CAPACITY,
    "STACK_EXHAUSTED": traps.STACK_EXHAUSTED,
    "INTERRUPTED": traps.INTERRUPTED,
    "CONTROL_BYTES": ALIGNMENT,
    "CONTROL_LOOK": stop_request_layout.LOOK_OFFSET,
    "RECORD_BYTES": kernel_error_record.RECORD_BYTES,
    "RECORD_CALL": kernel_error_record.CALL_OFFSET,
    "RECORD_LOOK": kernel_error_record.LOOK_OFFSET,
    "RECORD_NEVER": kernel_error_record.NEVER_OFFSET,
    "HEADER": kinds.HEADER_BYTES,
    "DATA": kinds.DATA_OFFSET,
    "BLOCK_TAG": emit_terminators._TAG_OFFSET,
    "BLOCK_NEXT": kinds.MARK_OFFSET,
    "CONTEXT": heap_layout.CONTEXT_BYTES,
    "STOP": heap_layout.STOP_OFFSET,
    "LARGEST_BLOCK": 1 << 40,
    "SIZE_CLASSES": heap_layout.size_class(1 << 40)[0] + 1,
    "CONTEXT_CONSTANTS": 0,
    "CONTEXT_WORKSPACE": 8,
    "CONTEXT_LIMIT": 8 * emit_stack_check._LIMIT,
    "BATCH_NEXT": batch_layout.NEXT_OFFSET,
    "BATCH_COUNT": batch_layout.COUNT_OFFSET,
    "BATCH_TAKEN": batch_layout.TAKEN_OFFSET,
    "BATCH_CAPACITY": batch_layout.CAPACITY_OFFSET,
    "BATCH_BYTES": batch_layout._SLABS_OFFSET,
    "REFERENCE_BYTES": batch_layout.REFERENCE_BYTES,
}
RECORDS = [each for each in vars(structures).values() if isinstance(each, type(ctypes.Structure))]
HEADER = Path(relay.__file__).parent / "runtime" / "c" / "boundary.h"
PLATFORMS = sorted(runtime_texts("layout"))
SOURCES = sorted((Path(relay.__file__).parent / "runtime" / "ir").iterdir())


@pytest.mark.parametrize("platform", PLATFORMS)
def test_constants_agree(platform: str):
    text = runtime_texts("layout")[platform]
    found = re.findall(r"^@(\w+) = .*constant i64 (\d+)", text, re.MULTILINE)
    assert {name: int(number) for name, number in found} == OF_PYTHON


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_fields_are_in_the_order_of_the_header(record: type[ctypes.Structure]):
    """Their sizes are compared when the native code is linked."""
    text = re.sub(r"/\*.*?\*/|union \{|\n  \};", "", HEADER.read_text("utf-8"), flags=re.DOTALL)
    name = record.__name__.removesuffix("Record")
    found = re.search(rf"struct {name} \{{([^}}]*)\}};", text)
    found = found or re.search(rf"struct \{{([^}}]*)\}} {name};", text)
    assert found is not None
    declared = re.findall(r"(\w+)(?:\)\([^)]*\))?[,;]", found[1])
    names = [{"class": "cls"}.get(each, each) for each in declared if each != "as"]
    assert [field[0] for field in record._fields_] == names


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_runtime_is_code_for_every_platform(platform: str):
    """It is compiled for systems on which it has never run, too."""
    triple = f"{platform}-unknown" if "-" not in platform else _triple(platform)
    machine = target_machine(triple, "generic", "", 0)
    texts = [runtime_texts(path.name.partition(".")[0]) for path in SOURCES]
    for text in [each[platform] for each in texts if platform in each]:
        module = llvm.parse_assembly(text)
        module.triple, module.data_layout = machine.triple, str(machine.target_data)
        module.verify()
        assert machine.emit_object(module).startswith(_MAGIC[platform.partition("-")[2]])


_MAGIC = {
    "": b"\0asm",
    "linux": b"\x7fELF",
    "darwin": b"\xcf\xfa\xed\xfe",
    "windows": (b"\x64\x86", b"\x64\xaa"),  # COFF begins with the processor
}


def _triple(platform: str) -> str:
    architecture, system = platform.split("-")
    systems = {"linux": "unknown-linux-gnu", "darwin": "apple-darwin", "windows": "pc-windows-gnu"}
    return f"{architecture}-{systems[system]}"
