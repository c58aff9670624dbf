"""docs/how-to/add-an-operator.md is performed: its file is a module, and its checks are run."""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import relay.ops  # noqa: F401  # pyright: ignore[reportUnusedImport] - the table is full before the page adds to it
from relay.ir.expr import Call, Var
from relay.ir.types import TensorType
from relay.opdef.table import OPERATORS
from relay.semantics.apply_operator import apply
from relay.support.errors import RelayTypeError
from relay.testing import operator_laws

PAGE = Path(__file__).parents[2] / "docs/how-to/add-an-operator.md"
FILE, CHECKS = re.findall(r"^```py\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the page's file as a module; the table of operators forgets it afterwards."""
    monkeypatch.setattr(OPERATORS, "_classes", dict(OPERATORS.items()))
    path = tmp_path / "shrinkage.py"
    path.write_text(FILE, "utf-8")
    spec = importlib.util.spec_from_file_location("shrinkage", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "shrinkage", module)
    spec.loader.exec_module(module)
    return module


def test_the_checks_of_the_page_hold(module: ModuleType):
    assert "contrib.soft_shrink" in OPERATORS
    exec(CHECKS, vars(module))


def test_every_law_is_in_the_table_of_the_page():
    rows = re.findall(r"^\| (\w+) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    assert set(rows) - {"law"} == {law.name for law in operator_laws.LAWS}


def test_the_operator_works(module: ModuleType):
    op = module.SoftShrink(1)
    assert op is module.SoftShrink(1.0)
    call = Call(op, (Var("x", TensorType((2,), "float32")),))
    assert call.type is TensorType((2,), "float32")
    value = apply(op, np.array([-3.0, 0.25], np.float32))
    np.testing.assert_array_equal(value, np.array([-2.0, 0.0], np.float32))


def test_what_it_refuses(module: ModuleType):
    with pytest.raises(RelayTypeError, match="T104"):
        module.SoftShrink(-1.0)
    with pytest.raises(RelayTypeError, match="T102"):
        Call(module.SoftShrink(), (Var("x", TensorType((2,), "int32")),))
