"""The records of kernels in the cache: one in another format is made again."""

import numpy as np
import pytest

import relay
from relay.kernels.kernel_cache import KernelCache, _seal


@pytest.mark.parametrize("content", [b"", b"xx\n", b"{}\n", b"[]", b'{"symbol": 1, "schedule": 2}'])
def test_entries_in_another_format_are_made_again(tmp_path, monkeypatch, content):
    monkeypatch.setenv("RELAY_CACHE_DIR", str(tmp_path))
    x = relay.var("x", shape=(3,))
    module = relay.Module({"main": relay.Function((x,), relay.exp(x))})
    relay.compile(module)
    paths = list((tmp_path / "kernels").glob("*.kernel"))
    for path in paths:
        path.write_bytes(_seal(path.stem, content) + content)
    given = np.arange(3, dtype=np.float32)
    np.testing.assert_allclose(relay.compile(module)(given), np.exp(given), rtol=1e-6)
    assert len(paths) >= 2  # a kernel's code and its record
    kept = KernelCache(tmp_path / "kernels")
    assert content not in [kept._found(path.stem, bytes) for path in paths]
