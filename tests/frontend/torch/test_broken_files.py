"""Files of PyTorch that are cut off or damaged: each is an error that says what to do."""

import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import relay

pytestmark = pytest.mark.filterwarnings("ignore")

CODES = {".pt2": "F054", ".pt": "F055"}


@pytest.fixture(scope="module", params=sorted(CODES))
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a small model in one of the formats."""
    found = tmp_path_factory.mktemp("models") / f"model{request.param}"
    model, x = nn.Sequential(nn.Linear(3, 4), nn.ReLU()).eval(), torch.zeros(2, 3)
    if request.param == ".pt2":
        torch.export.save(torch.export.export(model, (x,)), found)
    else:
        torch.jit.save(torch.jit.trace(model, x), found)
    return found


def load(path: Path) -> object:
    return relay.load(path, shapes={"input": (2, 3)} if path.suffix == ".pt" else None)


def code_of(path: Path) -> str | None:
    """Return the code of the error; None if the damage does not matter."""
    try:
        load(path)
    except relay.RelayError as error:
        return error.code
    return None


def test_a_file_that_is_cut_off(path: Path, tmp_path: Path):
    assert load(path) is not None
    data, broken = path.read_bytes(), tmp_path / path.name
    for count in range(10):
        broken.write_bytes(data[: len(data) * count // 10])
        with pytest.raises(relay.RelayError) as caught:
            load(broken)
        assert caught.value.code == CODES[path.suffix]
        assert caught.value.help


def test_a_file_whose_members_are_damaged(path: Path, tmp_path: Path):
    broken, random = tmp_path / path.name, np.random.default_rng(0)
    with zipfile.ZipFile(path) as whole:
        members = {info.filename: whole.read(info) for info in whole.infolist() if info.file_size}
    for name, original in members.items():
        data = bytearray(original)
        place = int(random.integers(len(data)))
        data[place : place + 9] = b"\xff" * len(data[place : place + 9])
        with zipfile.ZipFile(broken, "w", zipfile.ZIP_STORED) as archive:
            for each, content in members.items():
                archive.writestr(each, bytes(data) if each == name else content)
        code = code_of(broken)
        assert code is None or code.startswith("F"), name
