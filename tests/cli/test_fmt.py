import errno
from pathlib import Path

import pytest

from relay.cli.main import main

UGLY = "def @f(%x:int32){%x+1} // one\n"
NEAT = "def @f(%x: int32) {\n  %x + 1\n} // one\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "f.rly"
    path.write_text(UGLY, encoding="utf-8")
    return path


def test_a_file_is_rewritten_once(file: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["fmt", str(file)]) == 0
    assert "formatted" in capsys.readouterr().out
    assert file.read_text(encoding="utf-8") == NEAT
    assert main(["fmt", "--check", str(file)]) == 0
    assert capsys.readouterr().out == ""


def test_a_check_changes_nothing(file: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["fmt", "--check", str(file)]) == 1
    assert "differs" in capsys.readouterr().out
    assert main(["fmt", "--stdout", str(file)]) == 0
    assert capsys.readouterr().out == NEAT
    assert file.read_text(encoding="utf-8") == UGLY


def test_what_cannot_be_laid_out_is_left_alone(file: Path, capsys: pytest.CaptureFixture[str]):
    file.write_text("def @f( {", encoding="utf-8")
    missing = file.with_name("missing.rly")
    assert main(["fmt", str(file), str(missing)]) == 1
    said = capsys.readouterr().err
    assert "P010" in said
    assert "F001" in said
    assert file.read_text(encoding="utf-8") == "def @f( {"


def test_a_byte_order_mark_is_dropped(file: Path):
    file.write_text("\ufeff" + NEAT, encoding="utf-8")
    assert main(["fmt", "--check", str(file)]) == 1
    assert main(["fmt", str(file)]) == 0
    assert file.read_text(encoding="utf-8") == NEAT


BROKEN = "def @main(%x: int32) { %x + }\n\n\ndef @g(%x: int32)    { %y }\n"


def test_a_text_with_mistakes_is_left_alone(file: Path, capsys: pytest.CaptureFixture[str]):
    file.write_text(BROKEN, encoding="utf-8")
    for options in ([], ["--check"], ["--stdout"]):
        assert main(["fmt", *options, str(file)]) == 1
        out, said = capsys.readouterr()
        assert not out
        assert "P010" in said
        assert "%y" in said
        assert file.read_text(encoding="utf-8") == BROKEN


def test_types_may_be_wrong(file: Path):
    file.write_text('#[version = "0.0.5"]\ndef @main(){ 1 + 1f }\n', encoding="utf-8")
    assert main(["check", str(file)]) == 1
    assert main(["fmt", str(file)]) == 0
    assert "def @main() {\n  1 + 1f\n}\n" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize("comment", ["// c", "/* c\r\n  d */"])
def test_lines_that_end_as_on_windows(file: Path, comment: str):
    file.write_bytes(f"def @main() {{\r\n  1 {comment}\r\n}}\r\n".encode())
    assert main(["fmt", str(file)]) == 0
    plain = comment.replace("\r\n", "\n")
    assert file.read_bytes() == f"def @main() {{\n  1 {plain}\n}}\n".encode()


@pytest.mark.parametrize("nothing", ["", "// nothing\n"])
def test_a_text_without_a_word_is_left_alone(
    file: Path, nothing: str, capsys: pytest.CaptureFixture[str]
):
    file.write_text(nothing, encoding="utf-8")
    assert main(["fmt", str(file)]) == 1
    assert "P004" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == nothing


def test_a_file_that_cannot_be_written_is_an_error_and_keeps_its_text(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    def full(self: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(target))

    monkeypatch.setattr(Path, "replace", full)
    assert main(["fmt", str(file)]) == 1
    assert "U015" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == UGLY
    assert list(file.parent.iterdir()) == [file]


def test_a_link_stays_a_link(file: Path):
    link = file.with_name("link.rly")
    link.symlink_to(file)
    assert main(["fmt", str(link)]) == 0
    assert link.is_symlink()
    assert file.read_text(encoding="utf-8") == NEAT
