"""docs/how-to/add-a-target.md shows the target that tests/targets/test_second_target.py runs."""

import re
import tomllib
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay as typed

relay: Any = typed
ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tests/targets/vtasim"
PAGE = (ROOT / "docs/how-to/add-a-target.md").read_text("utf-8")
TARGET, PLACED = re.findall(r"^```py\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
(PROJECT,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_object_of_the_page_is_that_of_the_example():
    assert TARGET in (FOLDER / "vtasim/target.py").read_text("utf-8")


def test_the_entry_points_of_the_page_are_those_of_the_example():
    found = ConfigParser()
    found.read(FOLDER / "vtasim-1.0.dist-info/entry_points.txt", "utf-8")
    named = tomllib.loads(PROJECT)["project"]["entry-points"]
    assert named == {group: dict(found[group]) for group in found.sections()}


def test_the_expression_of_the_page_runs_on_the_example(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    x = relay.var("x", shape=(1, 32, 14, 14), dtype="int8")
    w = relay.var("w", shape=(32, 32, 3, 3), dtype="int8")
    session = {"relay": relay, "x": x, "w": w}
    exec(PLACED, session)
    executable = relay.compile(relay.IRModule.from_expr(relay.Function([x, w], session["y"])))
    assert type(executable).__name__ == "PlacedExecutable"
    rng = np.random.default_rng(0)
    image = rng.integers(-3, 4, (1, 32, 14, 14), np.int8)
    kernel = rng.integers(-1, 2, (32, 32, 3, 3), np.int8)
    windows = np.lib.stride_tricks.sliding_window_view(image.astype(int), (3, 3), (2, 3))
    sums = np.einsum("nchwij,ocij->nohw", windows, kernel.astype(int))
    np.testing.assert_array_equal(executable(image, kernel), sums.astype(np.int8))
