"""`relay compile` into libraries for C, and for other machines."""

import shutil

import pytest


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_a_library_and_its_header(relay, model, tmp_path):
    ran = relay("compile", model, "-o", tmp_path / "libtiny.so")
    assert ran.status == 0, ran.err
    assert "libtiny.so: " in ran.out
    assert "int tiny_run(" in (tmp_path / "tiny.h").read_text()
    relay("compile", model, "-o", tmp_path / "a.relay")
    assert relay("compile", tmp_path / "a.relay", "-o", tmp_path / "b.so").status == 0


def test_a_library_has_no_donated_inputs(relay, model, tmp_path):
    ran = relay("compile", model, "-o", tmp_path / "a.so", "--donate", "x=0")
    assert "error[U014]: the option --donate cannot be used for a C library" in ran.err


def test_an_object_for_another_machine(relay, model, open_model, tmp_path):
    target = ("--target", "aarch64-linux-gnu -mcpu=cortex-a76")
    assert relay("compile", model, "-o", tmp_path / "m.o", *target).status == 0
    assert "cortex-a76" in (tmp_path / "m.h").read_text()
    assert relay("compile", model, "-o", tmp_path / "m.relay", *target).status == 0
    assert "A007" in relay("run", tmp_path / "m.relay", "--random").err
    assert "U014" in relay("compile", tmp_path / "m.relay", "-o", tmp_path / "n.o", *target).err
    assert relay("compile", open_model, "-o", tmp_path / "n.o").status == 0
    assert "_sizes" in (tmp_path / "n.h").read_text()
    assert "C150" in relay("compile", model, "-o", tmp_path / "n.o", "--target", "vax").err
    assert relay("compile", open_model, "-o", tmp_path / "n.o", "--shape", "x=4,2").status == 0
