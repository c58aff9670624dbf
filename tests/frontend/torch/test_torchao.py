"""Programs that torchao quantised by PT2E (`tools/torchao_models.py`) give PyTorch's answers."""

import io
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import relay
from relay.ir.expr import Call, Operator
from relay.ir.walk import post_order
from relay.transform.multiply_quantised import MultiplyQuantised

ARCHIVE = zipfile.ZipFile(Path(__file__).parent / "quantised.zip")
PRODUCTS = {
    "attention_dynamic": {"qnn.dense": 4, "nn.batch_matmul": 2},
    "attention_x86": {"qnn.dense": 4, "nn.batch_matmul": 2},
    "convolutions_x86": {"qnn.conv2d": 2, "qnn.dense": 1},
    "convolutions_xnnpack": {"qnn.conv2d": 2, "qnn.dense": 1},
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_a_quantised_program(name: str, tmp_path: Path):
    module = relay.load(ARCHIVE.extract(f"{name}.pt2", tmp_path))
    with np.load(io.BytesIO(ARCHIVE.read(f"{name}.npz"))) as answers:
        found = relay.compile(module, threads=1)(answers["x"])
        np.testing.assert_allclose(np.asarray(found), answers["y"], atol=1e-5)
    calls = [e for e in post_order(MultiplyQuantised()(module).main) if isinstance(e, Call)]
    names = [each.op.name for each in calls if isinstance(each.op, Operator)]
    kinds = ("conv2d", "dense", "matmul")
    assert Counter(each for each in names if each.endswith(kinds)) == PRODUCTS[name]
