"""Files that are mapped into memory, and copies from them."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

from relay.support.errors import RelayImportError
from relay.support.mapped_file import copy_array, map_file, mapping_of, mappings_of
from tests.support.resident import resident


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file with 40 MiB of numbers, after one byte."""
    numbers = np.arange(10 << 20, dtype=np.float32)
    place = tmp_path / "numbers"
    place.write_bytes(b"\0" + numbers.tobytes())
    return place


def test_views_know_their_mapping(path):
    memory = map_file(path)
    view = memory[1:].view(np.float32).reshape(2, -1).T
    assert not view.flags.writeable
    assert mappings_of([view, memory, np.ones(3)]) == {mapping_of(memory)}
    assert mapping_of(np.memmap(path, np.uint8, "c")) is None  # releasing it would lose changes


def test_an_empty_file_is_an_empty_array(tmp_path):
    (tmp_path / "empty").touch()
    assert map_file(tmp_path / "empty").shape == (0,)


@pytest.mark.parametrize(
    "arranged",
    [
        lambda x: x,
        lambda x: x.reshape(2, 5, -1),
        lambda x: x.reshape(1024, -1).T,
        lambda x: x.reshape(4, 1, 512, -1).transpose(3, 0, 2, 1),
        lambda x: x[::-3],
        lambda x: np.broadcast_to(x[:5], (1 << 20, 5)),
    ],
)
@pytest.mark.parametrize("start", [0, 1])
def test_copies_equal_the_file(path, arranged, start):
    stored = arranged(map_file(path)[start : start + (40 << 20)].view(np.float32))
    wanted = np.frombuffer(path.read_bytes()[start : start + (40 << 20)], np.float32)
    target = np.empty(stored.shape, np.float32)
    copy_array(target, stored)
    np.testing.assert_array_equal(target, arranged(wanted))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_pages_are_released_after_they_are_copied(path):
    memory = map_file(path)
    target = np.empty_like(memory)
    target[:] = memory
    assert resident(path) >= memory.nbytes
    copy_array(target, memory)
    assert resident(path) == 0


def test_a_file_that_was_written_to_has_changed(path):
    mapping = mapping_of(map_file(path))
    assert mapping is not None
    mapping.check_unchanged()
    os.utime(path, ns=(0, 0))
    with pytest.raises(RelayImportError, match="has changed since it was loaded") as caught:
        mapping.check_unchanged()
    assert caught.value.code == "F082"


def test_a_file_that_was_replaced_or_deleted_has_not_changed(path, tmp_path):
    memory = map_file(path)
    mapping = mapping_of(memory)
    assert mapping is not None
    (tmp_path / "new").write_bytes(b"other")
    (tmp_path / "new").replace(path)
    path.unlink()
    mapping.check_unchanged()
    assert memory[1:].view(np.float32)[-1] == (10 << 20) - 1
