"""docs/how-to/run-a-jax-function.md is performed, block after block."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relay import RelayError

PAGE = Path(__file__).parents[2] / "docs/how-to/run-a-jax-function.md"


def test_the_blocks_of_the_page_run(tmp_path, monkeypatch):
    jax = pytest.importorskip("jax")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```py\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 6
    session: dict[str, Any] = {
        "f": lambda a: jax.lax.linalg.tridiagonal(a)[1],
        "a": np.eye(3, dtype=np.float32),
    }
    for block in blocks:
        if "return ..." in block:  # the reader's part of a translation
            with pytest.raises(RelayError, match=r"F057.*tridiagonal returned ellipsis"):
                exec(block, session)
        else:
            exec(block, session)
    states = session["step"](session["w"], session["xs"])
    for found, wanted in zip((session["last"], session["sums"]), states, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)
    np.testing.assert_allclose(session["spectrum"], np.fft.fft(session["x"]), atol=1e-4)
