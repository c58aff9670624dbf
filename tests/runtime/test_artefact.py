"""Files: what is saved comes back, and what is damaged is refused with a reason."""

import hashlib
import json
import resource
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relay.runtime import (
    Executable,
    HostRequirements,
    NativeExecutable,
    pack_constants,
    save_program,
)
from relay.runtime.artefact import VERSION, Container, Packer, read_container, write_container
from relay.runtime.code.heap_layout import ARENA_BYTES
from relay.runtime.json_fields import Record
from relay.support.errors import ArtefactError, RelayError

X = np.ones((2, 3), "float32")


@pytest.fixture(scope="module")
def saved(programs, tmp_path_factory):
    path = tmp_path_factory.mktemp("artefact") / "affine.relay"
    NativeExecutable(programs.affine_program((2, 3))).save(path)
    return path


def code_of(action, *args, **options) -> str:
    with pytest.raises(ArtefactError) as caught:
        action(*args, **options)
    assert caught.value.help
    return caught.value.code


def test_what_is_saved_comes_back(programs, saved):
    original = programs.affine_program((2, 3))
    loaded = Executable.load(saved)
    assert isinstance(loaded, NativeExecutable)
    np.testing.assert_array_equal(loaded(X), programs.affine(X))
    program = loaded.program
    for name in ("entry", "signature", "machine", "arena_bytes", "steps", "traps", "metadata"):
        assert getattr(program, name) == getattr(original, name)
    assert program.constants.table == original.constants.table
    bias = program.constants.array(program.constants.table[0])
    np.testing.assert_array_equal(bias, np.arange(6).reshape(2, 3))
    assert [s.label for s in loaded.profile(X).steps] == ["twice", "bias"]


def test_saving_again_gives_the_same_bytes(saved, tmp_path):
    Executable.load(saved).save(tmp_path / "again.relay")
    assert (tmp_path / "again.relay").read_bytes() == saved.read_bytes()


def test_constants_are_mapped_and_aligned(saved):
    loaded = Executable.load(saved)
    assert isinstance(loaded, NativeExecutable)
    block = loaded.program.constants.block
    assert not block.flags.owndata
    assert not block.flags.writeable
    assert block.ctypes.data % 64 == 0


def test_a_file_may_be_replaced_while_it_is_in_use(programs, tmp_path):
    path = tmp_path / "m.relay"
    NativeExecutable(programs.affine_program((2, 3))).save(path)
    loaded = Executable.load(path)
    NativeExecutable(programs.affine_program((1,))).save(path)
    path.unlink()
    np.testing.assert_array_equal(loaded(X), programs.affine(X))


def test_another_process_can_load(saved):
    script = (
        "import sys, numpy as np; from relay.runtime import Executable;"
        "y = Executable.load(sys.argv[1])(np.ones((2, 3), 'float32'));"
        "assert y.tolist() == [[2, 3, 4], [5, 6, 7]];"
        "assert not any(m.startswith(('relay.kernels', 'relay.ir')) for m in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script, saved], check=True, timeout=60)


def test_missing_and_foreign_files(tmp_path):
    assert code_of(Executable.load, tmp_path / "none.relay") == "A001"
    assert code_of(Executable.load, tmp_path) == "A001"
    for content in (b"", b"hello", b"\x89PNG\r\n\x1a\n" + bytes(100), bytes(1000)):
        (tmp_path / "x").write_bytes(content)
        assert code_of(Executable.load, tmp_path / "x") == "A002"
    (tmp_path / "a.so").write_bytes(b"\x7fELF" + bytes(100))
    with pytest.raises(RelayError, match=r'native code[\s\S]*export_library\("model.relay"\)'):
        Executable.load(tmp_path / "a.so")


def test_a_newer_version_is_refused(saved, tmp_path):
    content = bytearray(saved.read_bytes())
    content[8:12] = (VERSION + 1).to_bytes(4, "little")
    (tmp_path / "x").write_bytes(content)
    assert code_of(Executable.load, tmp_path / "x") == "A003"


def test_every_truncation_is_noticed(saved, tmp_path):
    content = saved.read_bytes()
    padding = -len(read_container(saved).sections[-1]) % 64
    for size in [*range(1, 200), *range(200, len(content) - padding, 97)]:
        (tmp_path / "x").write_bytes(content[:size])
        assert code_of(Executable.load, tmp_path / "x", verify=False) in ("A002", "A004", "A005")
    needed = len(content) - padding
    (tmp_path / "x").write_bytes(content[: needed - 1])
    with pytest.raises(RelayError, match=f"has {needed - 1} bytes, but at least {needed} are"):
        Executable.load(tmp_path / "x")


@given(st.data())
def test_every_changed_byte_is_noticed(saved, tmp_path_factory, data):
    content = bytearray(saved.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    path = tmp_path_factory.mktemp("changed") / "x"
    path.write_bytes(content)
    try:
        loaded = Executable.load(path)
    except ArtefactError:
        return
    assert loaded(X).tolist() == [[2, 3, 4], [5, 6, 7]]  # a byte of padding


@given(st.binary(max_size=300))
def test_random_bytes_are_refused(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("random") / "x"
    path.write_bytes(content)
    code_of(Executable.load, path)
    path.write_bytes(b"\x89RELAY\r\n\x01\0\0\0" + content)
    code_of(Executable.load, path)


def json_values():
    leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner)
    )


def places(value, path=()):
    """List the paths to everything inside a JSON value."""
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items if isinstance(value, dict | list | tuple) else ():
        nested = isinstance(inner, dict | list | tuple)
        found += places(inner, (*path, key)) if nested else [(*path, key)]
    return found


@given(st.data())
def test_a_header_that_lies_is_refused_or_harmless(saved, tmp_path_factory, data):
    """Any field may hold anything: loading gives an executable or a `RelayError`."""
    container = read_container(saved)
    body = json.loads(json.dumps(container.body))
    *way, last = data.draw(st.sampled_from(places(body)))
    target = body
    for key in way:
        target = target[key]
    target[last] = data.draw(json_values())
    path = tmp_path_factory.mktemp("lies") / "x"
    write_container(path, Container(container.kind, body, container.sections))
    with suppress(RelayError):
        Executable.load(path)


def with_body(saved, path, change) -> str:
    """Save a file with a changed body, and return the code of the error when it is loaded."""
    container = read_container(saved)
    body = json.loads(json.dumps(container.body))
    change(body["program"])
    write_container(path, Container(container.kind, body, container.sections))
    return code_of(Executable.load, path)


LIES = [
    lambda p: p.update(entry=""),
    lambda p: p["constants"]["table"][0].update(offset=10**6),
    lambda p: p["constants"]["table"][0].update(shape=[2**40, 2**40]),
    lambda p: p["constants"]["table"][0].update(shape=[-1]),
    lambda p: p["constants"].update(block=99),
    lambda p: p["steps"][0]["arguments"][0].update(index=1),
    lambda p: p["steps"][0]["arguments"][1].update(offset=25),
    lambda p: p["steps"][0]["arguments"][1].update(region="moon"),
    lambda p: p["steps"][0].update(sizes=[24]),
    lambda p: p["signature"]["outputs"][0].update(shape=[2, 2]),
    lambda p: p.update(arena_bytes=20),
    lambda p: p["signature"]["inputs"][0].update(shape=["n", 3]),
    lambda p: p["signature"]["inputs"][0].update(shape=[2**62, 2**62]),
    lambda p: p["signature"]["inputs"][0].update(dtype="float33"),
    lambda p: p.update(arena_bytes=-1),
    lambda p: p.update(arena_bytes=2**63),
    lambda p: p.update(arena_bytes=True),
    lambda p: p.update(metadata={"a": 1}),
    lambda p: p.update(entry=chr(0xD800)),
    lambda p: p.pop("entry"),
]


def test_a_heap_has_room(saved, tmp_path):
    def lie(program):
        program.update(exports=["relay_forget"], arena_bytes=ARENA_BYTES - 64)

    assert with_body(saved, tmp_path / "x", lie) == "A006"


@pytest.mark.parametrize("lie", LIES)
def test_sizes_and_places_are_checked(saved, tmp_path, lie):
    assert with_body(saved, tmp_path / "x", lie) == "A006"


def test_text_of_a_header_can_be_printed():
    record = Record({"name": "größe", "half": chr(0xD800)}, "header")
    assert record.text("name") == "größe"
    assert code_of(record.text, "half") == "A006"


@pytest.mark.parametrize("text", [b"[]", b"{", b"\xff", b"[" * 10**5, b"{}", b'{"sections": 3}'])
def test_a_header_that_is_not_json_is_refused(tmp_path, text):
    from relay.runtime.artefact import _MAGIC, _PREFIX

    digest = hashlib.sha256(text).digest()
    content = _PREFIX.pack(_MAGIC, VERSION, 0, len(text), digest) + text
    (tmp_path / "x").write_bytes(content)
    assert code_of(Executable.load, tmp_path / "x") == "A006"


def test_an_unknown_kind_is_named(tmp_path):
    write_container(tmp_path / "x", Packer().container("quantum", {}))
    with pytest.raises(ArtefactError, match="'quantum'") as caught:
        Executable.load(tmp_path / "x")
    assert caught.value.code == "A010"


def test_a_file_for_another_machine_is_refused(saved, tmp_path):
    def other(program):
        program["machine"]["features"] += ",+antigravity"

    assert with_body(saved, tmp_path / "x", other) == "A008"

    def foreign(program):
        program["machine"]["triple"] = "wasm32-unknown-wasi"

    assert with_body(saved, tmp_path / "x", foreign) == "A007"
    assert HostRequirements.host().platform[0] in HostRequirements.host().triple


def test_a_program_for_another_machine_can_be_saved(programs, tmp_path):
    program = programs.affine_program((2, 3), machine=HostRequirements("riscv64-unknown-linux-gnu"))
    save_program(program, tmp_path / "x")
    assert code_of(Executable.load, tmp_path / "x") == "A007"


def test_a_folder_that_is_not_there(programs, tmp_path):
    fast = NativeExecutable(programs.affine_program((2, 3)))
    assert code_of(fast.save, tmp_path / "none" / "x.relay") == "A009"
    (tmp_path / "folder").mkdir()
    assert code_of(fast.save, tmp_path / "folder") == "A009"
    assert [p.name for p in tmp_path.iterdir()] == ["folder"]


def test_a_full_disk_keeps_the_old_file(programs, tmp_path):
    fast = NativeExecutable(programs.affine_program((100, 100)))
    path = tmp_path / "m.relay"
    path.write_bytes(b"old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))
    try:
        assert code_of(fast.save, path) == "A009"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
    fast.save(path)
    assert isinstance(Executable.load(path), NativeExecutable)


def test_a_link_stays_a_link_and_permissions_are_usual(programs, tmp_path):
    fast = NativeExecutable(programs.affine_program((2, 3)))
    (tmp_path / "link").symlink_to("m.relay")
    fast.save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    usual = tmp_path / "usual"
    usual.touch()
    assert (tmp_path / "m.relay").stat().st_mode == usual.stat().st_mode


def test_constants_of_every_type_come_back(tmp_path):
    rng = np.random.default_rng(0)
    arrays = [
        (name, rng.integers(0, 2, size=(3, 2)).astype(name))
        for name in ("bool", "int8", "uint16", "int64", "float16", "float64")
    ]
    arrays += [("empty", np.ones((0, 3), "float32")), ("scalar", np.array(1.5))]
    packed = pack_constants(arrays)
    for entry, (name, array) in zip(packed.table, arrays, strict=True):
        found = packed.array(entry)
        assert (entry.name, found.dtype) == (name, array.dtype)
        np.testing.assert_array_equal(found, array)
