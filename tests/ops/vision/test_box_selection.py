"""Rows of boxes: columns are checked where sizes are open, too."""

import numpy as np
import pytest

import relay

PROGRAM = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 3, n), float32]) {
  vision.get_valid_counts(%x, 0.5f, id_index=-1, score_index=1)
}
"""


def test_rows_without_the_column_of_scores_are_refused_at_run_time() -> None:
    compiled = relay.compile(relay.parse(PROGRAM))
    counts, _, _ = compiled(np.ones((1, 3, 2), np.float32))
    assert counts.tolist() == [3]
    with pytest.raises(
        relay.RelayError, match="score_index is 1, but a row of data has only 1 columns"
    ):
        compiled(np.ones((1, 3, 1), np.float32))
