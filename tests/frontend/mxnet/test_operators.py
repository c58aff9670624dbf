"""Single operators give what MXNet 1.9.1 gives, and the page that lists them is up to date."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from relay.frontend.mxnet.load import import_mxnet
from relay.semantics.evaluate import evaluate
from tools import mxnet_table

ARCHIVE = zipfile.ZipFile(Path(__file__).parent / "operators.zip")
NAMES = [name.removesuffix(".json") for name in ARCHIVE.namelist() if name.endswith(".json")]
GROUPS = [NAMES[start : start + 20] for start in range(0, len(NAMES), 20)]


def arrays(saved, kind):
    return {each: saved[each] for each in saved.files if each.startswith(kind)}


def check(name):
    saved = np.load(io.BytesIO(ARCHIVE.read(f"{name}.npz")))
    text = ARCHIVE.read(f"{name}.json").decode()
    used = {each["name"] for each in json.loads(text)["nodes"]}
    given = {key: x for key, x in arrays(saved, "input").items() if key in used}
    weights = {"input_1": given.pop("input_1")} if name.startswith("rnn") else {}
    shapes = {key: x.shape for key, x in given.items()}
    dtypes = {key: x.dtype.name for key, x in given.items()}
    module = import_mxnet(text, shapes, weights, None, dtypes)
    found = evaluate(module, *(given[each.name] for each in module.main.params))
    listed = found if isinstance(found, tuple) else (found,)
    for one, other in zip(listed, arrays(saved, "output").values(), strict=True):
        result = np.asarray(one)
        assert (result.shape, result.dtype) == (other.shape, other.dtype), name
        np.testing.assert_allclose(result, other, rtol=2e-4, atol=2e-5, err_msg=name)


@pytest.mark.parametrize("names", GROUPS, ids=lambda names: names[0])
def test_operators(names):
    for name in names:
        check(name)


def test_the_page_is_up_to_date():
    page = mxnet_table.PAGE.read_text("utf-8")
    assert page == mxnet_table.page(), "run tools/mxnet_table.py"
