"""Models of open sizes called from C: the caller says what inputs have, and is told of results."""

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import relay

MODEL = """#[version = "0.0.5"]
def @main(%x: Tensor[(n, 3), float32], %y: Tensor[(m), float32], %z: Tensor[(2), float32]) {
  let %places = argwhere(greater(%x, 0f));
  (exp(%x), take(%x, take(%places, 0, axis=1), axis=0), %y, add(%z, sum(%y)), argwhere(%y))
}
"""
"""Results whose sizes are those of inputs, depend on data, or are known; one is an input itself."""

CALL = """
#include "open.h"
#include <stdio.h>
#include <stdlib.h>

static void print(const float *elements, int64_t count) {
  printf("%d", (int)count);
  for (int64_t i = 0; i < count; i++) printf(" %.9g", elements[i]);
  puts("");
}

int main(int count, char **arguments) {
  int64_t n = count > 1 ? atoi(arguments[1]) : 0, m = count > 2 ? atoi(arguments[2]) : 0;
  float *x = malloc((3 * n + 1) * sizeof *x), *y = malloc((m + 1) * sizeof *y);
  float z[OPEN_INPUT_Z_SIZE] = { 1, 2 }, sums[OPEN_OUTPUT_OUTPUT3_SIZE];
  for (int64_t i = 0; i < 3 * n; i++) x[i] = (float)((i * 7) % 5) - 2;
  for (int64_t i = 0; i < m; i++) y[i] = (float)(i % 3);
  open_sizes sizes = { .x_0 = n, .y_0 = m };
  open_inputs in = { x, y, z, &sizes };
  open_output0 powers;
  open_output1 rows;
  open_output2 same;
  open_output4 places;
  open_outputs out = { &powers, &rows, &same, sums, &places };
  void *workspace = malloc(open_workspace_bytes());
  for (int i = 0; i < 2; i++) {
    int status = open_run(&in, &out, i ? workspace : NULL);
    if (status) return status;
    if (i) {
      print(powers.elements, 3 * powers.size0);
      print(rows.elements, 3 * rows.size0);
      print(same.elements, same.size0);
      print(sums, OPEN_OUTPUT_OUTPUT3_SIZE);
      printf("%d\\n", (int)places.size0);
    }
    free(powers.elements), free(rows.elements), free(same.elements), free(places.elements);
  }
  free(workspace), free(x), free(y);
  return 0;
}
"""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    path = tmp_path / "open.so"
    relay.compile(relay.parse(MODEL), target="x86-64-v3").export(path)
    return path


def expected(n: int, m: int) -> list[Any]:
    x = ((np.arange(3 * n) * 7) % 5 - 2.0).astype(np.float32).reshape(n, 3)
    y = (np.arange(m) % 3).astype(np.float32)
    z = np.array([1, 2], np.float32)
    return [np.exp(x), x[np.argwhere(x > 0)[:, 0]], y, z + y.sum(), np.count_nonzero(y)]


def test_sizes_are_given_and_told(c: SimpleNamespace, library: Path) -> None:
    """Twice a call, with a workspace of the caller's and without, and nothing is lost."""
    program = c.build(CALL, library)
    valgrind = shutil.which("valgrind")
    check = [] if valgrind is None else [valgrind, "-q", "--leak-check=full", "--error-exitcode=9"]
    for n, m in ((4, 7), (1, 1), (0, 0), (300, 2)):
        *lines, count = c.run(*check, program, n, m).splitlines()
        *wanted, places = expected(n, m)
        assert int(count) == places
        for line, array in zip(lines, wanted, strict=True):
            size, *elements = line.split()
            assert int(size) == array.size
            np.testing.assert_allclose(np.array(elements, np.float32), array.reshape(-1), rtol=1e-6)


def test_a_library_for_this_process_too(c: SimpleNamespace) -> None:
    """A program of several objects, and one object file to link."""
    for target, name in ((None, "open.so"), ("native", "open.o")):
        library = c.folder / name
        relay.compile(relay.parse(MODEL), target=target).export(library)
        assert c.run(c.build(CALL, library), 2, 3).splitlines()[-1] == "2"


@pytest.mark.parametrize(
    ("sizes", "error"), [("3, 2", "R054"), ("-1, -1", "R053"), ("3, -9", "R053")]
)
def test_sizes_that_make_no_sense_are_a_status(c: SimpleNamespace, sizes: str, error: str) -> None:
    n = relay.DimVar("n")
    x, y = (relay.var(name, shape=(n,), dtype="float32") for name in "xy")
    library = c.folder / "sum.so"
    module = relay.Module.of(relay.Function((x, y), relay.add(x, y)))
    relay.compile(module, target="native").export(library)
    source = """
#include "sum.h"
#include <stdio.h>
int main(void) {
  float x[3] = { 1, 2, 3 };
  sum_sizes sizes = { SIZES };
  sum_inputs in = { x, x, &sizes };
  sum_output0 total;
  sum_outputs out = { &total };
  printf("%s", sum_error(sum_run(&in, &out, NULL)));
  return 0;
}
"""
    assert error in c.run(c.build(source.replace("SIZES", sizes), library))
    assert "relay_" not in library.with_suffix(".h").read_text()
