"""Files of PyTorch that are cut off or damaged: each is an error that says what to do."""

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

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


def members_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as whole:
        return {info.filename: whole.read(info) for info in whole.infolist() if info.file_size}


def code_with_damage(path: Path, name: str, share: float) -> str | None:
    """Return the code of the error if a member is damaged at a place."""
    members = members_of(path)
    data = bytearray(members[name])
    place = int(len(data) * share)
    data[place : place + 9] = b"\xff" * len(data[place : place + 9])
    broken = path.with_stem("broken")
    with zipfile.ZipFile(broken, "w", zipfile.ZIP_STORED) as archive:
        for each, content in members.items():
            archive.writestr(each, bytes(data) if each == name else content)
    return code_of(broken)


def test_a_file_whose_members_are_damaged(path: Path):
    random = np.random.default_rng(0)
    for name in members_of(path):
        code = code_with_damage(path, name, random.random())
        assert code is None or code.startswith("F"), name


def test_a_script_whose_lines_of_source_are_damaged_is_whole(path: Path):
    for name in members_of(path):
        if name.endswith(".debug_pkl"):
            for place in range(10):
                assert code_with_damage(path, name, place / 10) is None


class Wave(nn.Module):
    """A module with whatever a test gives it."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: torch.Tensor) -> object:
        return self.function(x)


def undecided(x: torch.Tensor) -> torch.Tensor:
    return x if x.sum() > 0 else -x


UNSUPPORTED: dict[str, tuple[Callable[..., object], str]] = {
    "random numbers": (torch.rand_like, "F010"),
    "an indefinite factorisation": (lambda x: torch.linalg.ldl_factor(x @ x.mT), "F010"),
    "noise of training": (lambda x: torch.dropout(x, 0.5, True), "F036"),
    "attention in training": (
        lambda x: nn.functional.scaled_dot_product_attention(x, x, x, dropout_p=0.5), "F036",
    ),
    "statistics that change": (
        lambda x: nn.functional.batch_norm(x, x[0] * 0, x[0] * 0, training=True), "F036",
    ),
    "bits of another width": (lambda x: x.view(torch.int16), "F030"),
    "elements of another kind": (lambda x: x.to(torch.bits8), "F017"),
    "a branch that data decide": (undecided, "F051"),
    "elimination without pivots": (
        lambda x: torch.linalg.lu_factor(x @ x.mT, pivot=False)[0], "F030",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_modules_that_are_not_supported(name: str):
    function, code = UNSUPPORTED[name]
    with pytest.raises(relay.RelayError) as caught:
        relay.load(Wave(function).eval(), example_inputs=(torch.ones(2, 3),))
    assert caught.value.code == code
    assert caught.value.help


def test_weights_without_elements_are_refused():
    with torch.device("meta"):
        model = nn.Linear(3, 2).eval()
    with pytest.raises(relay.RelayError, match="device meta") as caught:
        relay.load(model, example_inputs=(torch.ones(2, 3, device="meta"),))
    assert caught.value.code == "F015"


def test_parts_of_a_script_that_pytorch_reads_late(tmp_path: Path):
    """PyTorch reads the lines of the source when the module is copied to replace `detach`."""
    path = tmp_path / "model.pt"
    torch.jit.save(torch.jit.trace(Wave(torch.detach).eval(), torch.ones(2, 3)), path)
    (name,) = (each for each in members_of(path) if each.endswith(".debug_pkl"))
    assert code_with_damage(path, name, 0.0) == "F055"


@pytest.mark.parametrize("info", ["x", ("x",), ("x", 3), ("x", (3, "a")), (2, 3)])
def test_descriptions_of_inputs_that_are_none(info: object):
    script = torch.jit.trace(nn.ReLU().eval(), torch.ones(2, 3))
    with pytest.raises(relay.RelayError, match="a name and a shape") as caught:
        relay.frontend.from_pytorch(script, [info])
    assert caught.value.code == "F014"


def test_descriptions_of_inputs_in_a_dictionary():
    script = torch.jit.trace(nn.ReLU().eval(), torch.ones(2, 3))
    module, _ = relay.frontend.from_pytorch(script, {"x": (2, 3)})
    assert module.main.params[0].type.shape == (2, 3)


FILES = {"nothing": b"", "a page": b"<!doctype html>", "a pickle": b"\x80\x04K\x01."}


@pytest.mark.parametrize("suffix", sorted(CODES))
@pytest.mark.parametrize("name", FILES)
def test_files_of_another_kind(name: str, suffix: str, tmp_path: Path):
    path = tmp_path / f"model{suffix}"
    path.write_bytes(FILES[name])
    assert code_of(path) == CODES[suffix]


@pytest.mark.parametrize("suffix", sorted(CODES))
def test_weights_alone_are_not_a_program(suffix: str, tmp_path: Path):
    path = tmp_path / f"model{suffix}"
    torch.save({"weight": torch.zeros(2)}, path)
    assert code_of(path) == CODES[suffix]


@pytest.mark.parametrize(
    "norm", [nn.BatchNorm1d(3), nn.InstanceNorm1d(3, track_running_stats=True)], ids=str
)
def test_a_normalisation_in_training_mode_is_refused(norm: nn.Module):
    """Its running statistics would change, which needs writes that PyTorch decomposes."""
    with pytest.raises(relay.RelayError, match="training mode") as caught:
        relay.compile(norm, (torch.ones(2, 3, 4),))
    assert caught.value.code == "F036"


def test_statistics_outside_of_the_model_are_not_its_own():
    mean, x = torch.zeros(3), torch.randn(2, 3, 4)
    model = Wave(lambda x: nn.functional.instance_norm(x, mean, mean + 1)).eval()
    np.testing.assert_allclose(relay.compile(model, (x,))(x), model(x), rtol=1e-4, atol=1e-5)


def test_a_tensor_alone_is_not_a_tuple_of_example_inputs():
    model, x = nn.ReLU(), cast("Any", torch.ones(2, 3))
    for program in (model, torch.jit.trace(model, x)):
        with pytest.raises(relay.RelayError, match="not a Tensor") as caught:
            relay.compile(program, x)
        assert caught.value.code == "U003"


def test_a_script_without_shapes_names_its_inputs(tmp_path: Path):
    path = tmp_path / "model.pt"
    torch.jit.save(torch.jit.trace(nn.ReLU().eval(), torch.ones(2, 3)), path)
    with pytest.raises(relay.RelayError, match=r"1 input \(input\)") as caught:
        relay.load(path)
    assert 'relay.load(path, shapes={"input":' in str(caught.value.help)
