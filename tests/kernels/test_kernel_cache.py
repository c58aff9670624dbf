"""The cache of compiled kernels: it speeds up, and it never fails or lies."""

import logging
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from kernels.llvm.running import HOST, i64, mul, serial

from relay.kernels.kernel_cache import KernelCache, _make_private, default_folder, entry_key
from relay.kernels.kernel_compiler import Options, compile_kernels, compile_texts
from relay.kernels.llvm.execution_engine import Engine
from relay.kernels.llvm.object_code import ObjectCode
from relay.kernels.loops import Buffer, Kernel, Load, Mode, Store
from relay.kernels.scalar import Const, Var
from relay.support.dtype import float32
from relay.support.node import replace


def scaled(factor: float, name: str = "scaled") -> Kernel:
    x, y, i = Buffer("x", (5,), float32), Buffer("y", (5,), float32), Var("i")
    body = serial(i, 5, Store(y, (i,), mul(Load(x, (i,)), Const(factor, float32))))
    return Kernel(name, (x, y), (), body)


def entries(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.kernel"))


def check(code: ObjectCode, factor: float) -> None:
    kernel, x = scaled(factor), np.arange(5, dtype=np.float32)
    y = np.zeros_like(x)
    Engine([code]).function(kernel, code)(x, y)
    np.testing.assert_array_equal(y, x * np.float32(factor))


def test_the_second_time_the_code_comes_from_the_folder(tmp_path, monkeypatch):
    (first,) = compile_kernels([scaled(2.0)], HOST, Options(), KernelCache(tmp_path))
    monkeypatch.setattr(
        "relay.kernels.kernel_compiler.emit_kernel", None
    )  # compiling would fail now
    (second,) = compile_kernels([scaled(2.0, "other")], HOST, Options(), KernelCache(tmp_path))
    assert second is first
    check(second, 2.0)


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "swap"])
def test_a_damaged_entry_is_compiled_again(tmp_path, damage):
    compile_kernels([scaled(2.0), scaled(3.0)], HOST, Options(), KernelCache(tmp_path))
    first, second = entries(tmp_path)
    data = bytearray(first.read_bytes())
    if damage == "flip":
        data[len(data) // 2] ^= 1
    new = {"flip": bytes(data), "cut": bytes(data[:-7]), "empty": b"", "swap": second.read_bytes()}
    first.write_bytes(new[damage])
    codes = compile_kernels([scaled(2.0), scaled(3.0)], HOST, Options(), KernelCache(tmp_path))
    check(codes[0], 2.0)
    check(codes[1], 3.0)
    assert first.read_bytes() != new[damage]


def test_the_key_tells_apart_what_the_code_depends_on():
    keys = {
        entry_key("relay_k_0", HOST, Options()),
        entry_key("relay_k_1", HOST, Options()),
        entry_key("relay_k_0", replace(HOST, features="+sse2"), Options()),
        entry_key("relay_k_0", replace(HOST, cpu="generic"), Options()),
        entry_key("relay_k_0", replace(HOST, fma_ports=0), Options()),
        entry_key("relay_k_0", HOST, Options(fast_math=True)),
        entry_key("relay_k_0", HOST, Options(level=1)),
    }
    assert len(keys) == 7


def test_a_folder_that_cannot_be_written_is_a_warning(tmp_path, caplog):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    with caplog.at_level(logging.WARNING):
        kept = KernelCache(blocked / "kernels")
        codes = compile_kernels([scaled(2.0), scaled(3.0)], HOST, Options(), kept)
    check(codes[0], 2.0)
    assert len(caplog.records) == 1


def test_a_full_disk_is_a_warning(tmp_path, caplog, monkeypatch):
    def full(*arguments: object, **named: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with caplog.at_level(logging.WARNING):
        codes = compile_kernels([scaled(2.0), scaled(3.0)], HOST, Options(), KernelCache(tmp_path))
    check(codes[0], 2.0)
    assert len(caplog.records) == 1
    assert list(tmp_path.iterdir()) == []


ONE = ObjectCode("k", b"code")

posix = pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")


@posix
def test_the_folder_belongs_to_the_user_alone(tmp_path):
    folder = tmp_path / "kernels"
    KernelCache(folder).put("0", ONE)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert KernelCache(folder).get("0") == ONE
    folder.chmod(0o777)
    assert KernelCache(folder).get("0") is None  # anybody could have written it
    assert folder.stat().st_mode & 0o077 == 0
    assert entries(folder) == []


@posix
def test_nothing_that_others_left_in_an_open_folder_is_used(tmp_path):
    """Neither links to files of the user nor folders; a file that is not of the cache stays."""
    folder, mine = tmp_path / "kernels", tmp_path / "mine"
    mine.mkdir()
    folder.mkdir()
    folder.chmod(0o777)
    (folder / "looked").symlink_to(mine / "new")
    (folder / f"{0:064}.kernel").symlink_to(mine)
    (folder / f"{1:064}.kernel").mkdir()
    (folder / f"{1:064}.kernel" / "inner").symlink_to(mine)
    (folder / "notes").write_text("of somebody")
    kept = KernelCache(folder)
    assert [path.name for path in folder.iterdir()] == ["notes"]
    kept.put(f"{0:064}", ONE)
    assert kept.get(f"{0:064}") == ONE
    assert list(mine.iterdir()) == []
    assert not (folder / "looked").is_symlink()


@posix
@pytest.mark.parametrize("left", ["pipe", "folder", "link"])
@pytest.mark.parametrize("name", ["0.kernel", "looked"])
def test_what_is_no_regular_file_is_replaced(tmp_path, left, name, caplog):
    folder, mine = tmp_path / "kernels", tmp_path / "mine"
    kept = KernelCache(folder)
    path = folder / name
    if left == "pipe":
        os.mkfifo(path)
    elif left == "folder":
        (path / "inner").mkdir(parents=True)
    else:
        path.symlink_to(mine)
    os.utime(path, (0, 0), follow_symlinks=False)
    assert kept.get("0") is None
    kept.put("0", ONE)
    assert kept.get("0") == ONE
    assert path.is_file()
    assert not path.is_symlink()
    assert not mine.exists()
    assert not caplog.records


@pytest.mark.parametrize("content", [b"", b"xx\n", b"{}\n", b"[1]\n", b'{"bytes": "4"}\ncode'])
def test_an_entry_in_another_format_is_none(tmp_path, content):
    kept = KernelCache(tmp_path)
    kept._store("0", content)
    assert kept.get("0") is None
    kept.put("0", ONE)
    assert kept.get("0") == ONE


@posix
def test_a_link_to_another_folder_is_not_the_cache(tmp_path, caplog):
    """Neither the mode nor a file of its target changes."""
    target = tmp_path / "precious"
    target.mkdir()
    target.chmod(0o777)
    (target / "mine.kernel").write_bytes(b"not of Relay")
    folder = tmp_path / "relay" / "kernels"
    folder.parent.mkdir()
    folder.symlink_to(target)
    with caplog.at_level(logging.WARNING):
        kept = KernelCache(folder)
        kept.put("0", ONE)
    assert kept.get("0") is None
    assert "is a symbolic link" in caplog.text
    assert target.stat().st_mode & 0o777 == 0o777
    assert [path.name for path in target.iterdir()] == ["mine.kernel"]


@posix
def test_a_folder_above_the_cache_may_be_a_link(tmp_path):
    (tmp_path / "large-disk").mkdir()
    (tmp_path / "cache").symlink_to(tmp_path / "large-disk")
    KernelCache(tmp_path / "cache" / "relay" / "kernels").put("0", ONE)
    assert KernelCache(tmp_path / "large-disk" / "relay" / "kernels").get("0") == ONE


@posix
def test_what_others_own_or_may_write_is_no_entry(tmp_path, monkeypatch):
    kept = KernelCache(tmp_path)
    kept.put("0", ONE)
    (path,) = entries(tmp_path)
    path.chmod(0o620)
    assert kept.get("0") is None
    path.chmod(0o600)
    assert kept.get("0") == ONE
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert kept.get("0") is None
    path.unlink()
    (tmp_path / "elsewhere").rename(path)
    monkeypatch.setattr(os, "getuid", lambda: os.geteuid() + 1)
    assert kept.get("0") is None
    with pytest.raises(PermissionError, match="another user"):
        _make_private(tmp_path)


def test_without_a_home_folder_nothing_is_cached(monkeypatch, caplog):
    def none() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("RELAY_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", none)
    with caplog.at_level(logging.WARNING):
        kept = KernelCache()
        kept.put("0", ONE)
    assert kept.get("0") is None
    assert [record.getMessage() for record in caplog.records] == [
        "compiled kernels are not cached on disk: Could not determine home directory."
    ]


def test_the_oldest_entries_go_when_the_folder_is_full(tmp_path):
    kept = KernelCache(tmp_path, limit=10_000)
    for number in range(65):  # the size is looked at after the 1st and the 64th entry
        kept.put(f"{number:064}", ObjectCode(f"k{number}", bytes(500)))
        os.utime(tmp_path / f"{number:064}.kernel", (number, number))
    sizes = [path.stat().st_size for path in entries(tmp_path)]
    assert 5_000 < sum(sizes) <= 10_000
    assert kept.get(f"{64:064}") is not None
    assert kept.get(f"{0:064}") is None


def test_a_cache_that_begins_looks_only_where_nobody_has_lately(tmp_path):
    first = KernelCache(tmp_path, limit=100)
    first.put("0" * 64, ObjectCode("k", bytes(500)))
    assert entries(tmp_path) == []  # nobody had looked: the folder is too large already
    second = KernelCache(tmp_path, limit=100)
    second.put("1" * 64, ObjectCode("k", bytes(500)))
    assert len(entries(tmp_path)) == 1
    tomorrow = time.time() + 86_400  # a wrong time must not put off the check for ever
    os.utime(tmp_path / "looked", (tomorrow, tomorrow))
    third = KernelCache(tmp_path, limit=100)
    third.put("2" * 64, ObjectCode("k", bytes(500)))
    assert entries(tmp_path) == []


def test_default_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("RELAY_CACHE_DIR", str(tmp_path / "own"))
    assert default_folder() == tmp_path / "own" / "kernels"
    monkeypatch.delenv("RELAY_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert default_folder() == tmp_path / "xdg" / "relay" / "kernels"


def test_two_processes_may_fill_it_at_once(tmp_path):
    program = (
        "import sys; from pathlib import Path; from relay.kernels.kernel_cache import KernelCache;"
        "from relay.kernels.llvm.object_code import ObjectCode;"
        "kept = KernelCache(Path(sys.argv[1]));"
        "codes = [ObjectCode(f'k{i}', bytes([i]) * 1000) for i in range(50)];"
        "[kept.put(f'{i:064}', c) for i, c in enumerate(codes)];"
        "assert all(kept.get(f'{i:064}') is c for i, c in enumerate(codes))"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    started = [subprocess.Popen(command) for _ in range(2)]
    assert [process.wait() for process in started] == [0, 0]
    assert len(entries(tmp_path)) == 50
    assert not list(tmp_path.glob("writing-*"))


def test_many_kernels_are_compiled_by_helpers():
    kernels = [scaled(float(n)) for n in range(40)]
    codes = compile_kernels([*kernels, scaled(3.0, "again")], HOST)
    assert codes[40] is codes[3]
    assert len({code.symbol for code in codes}) == 40
    check(codes[7], 7.0)
    check(codes[31], 31.0)


@pytest.mark.parametrize("executable", ["", "/no/such/python"])
def test_without_helpers_this_process_compiles_alone(monkeypatch, executable):
    monkeypatch.setattr(sys, "executable", executable)
    codes = compile_kernels([scaled(float(n)) for n in range(40)], HOST)
    check(codes[9], 9.0)


def test_names_do_not_matter_and_modes_and_the_order_of_parameters_do():
    a, b = compile_kernels([scaled(2.0, "a"), scaled(2.0, "b")], HOST)
    assert a is b
    x, y, i = Buffer("x", (5,), float32), Buffer("y", (5,), float32), Var("i")
    made = [
        Kernel("k", (x, y), (), serial(i, i64(5), Store(y, (i,), Load(x, (i,))), mode))
        for mode in (Mode.SERIAL, Mode.PARALLEL, Mode.UNROLL)
    ]
    assert len({code.symbol for code in compile_kernels(made, HOST)}) == 3
    other, copy = Buffer("other", (5,), float32), serial(i, 5, Store(y, (i,), Load(x, (i,))))
    orders = [Kernel("k", params, (), copy) for params in ((x, other, y), (other, x, y))]
    assert len({code.symbol for code in compile_kernels(orders, HOST)}) == 2


def test_what_stands_between_kernels_is_kept_too(tmp_path, monkeypatch):
    text = "define i32 @f() {{\n  ret i32 {}\n}}\n"
    cache = KernelCache(tmp_path)

    def compiled(*texts: str, level: int = 1) -> bytes:
        return compile_texts("f", texts, HOST, Options(), level, cache).code

    one, two = (compiled(text.format(n)) for n in (1, 2))
    assert one != two
    compiled(text.format(1), level=2)
    assert len(entries(tmp_path)) == 3
    monkeypatch.setattr("relay.kernels.kernel_compiler.linked_object_code", None)
    assert [compiled(text.format(n)) for n in (1, 2)] == [one, two]
