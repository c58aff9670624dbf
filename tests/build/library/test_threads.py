"""Libraries with loops on several threads, called from C."""

from types import SimpleNamespace

import numpy as np

import relay

TEXT = """#[version = "0.0.5"]
def @main(%x: Tensor[(400, 300), float32]) { nn.softmax(exp(%x) * 0.5f, axis=1) }
"""
CALL = """
#include "rows.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static float x[ROWS_INPUT_X_SIZE], y[4][ROWS_OUTPUT_OUTPUT0_SIZE];

static int threads(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/task");
  while (readdir(folder) != NULL) count++;
  closedir(folder);
  return count - 2;
}

static int call(float *to, void *workspace) {
  rows_inputs in = { x };
  rows_outputs out = { to };
  return rows_run(&in, &out, workspace);
}

int main(void) {
  for (int i = 0; i < ROWS_INPUT_X_SIZE; i++) x[i] = (float)(i % 97) / 97;
  size_t alone = rows_workspace_bytes();
  if (call(y[0], NULL) || threads() != 1) return 1;
  rows_set_threads(2);
  if (rows_workspace_bytes() < alone) return 2;
  void *workspace = malloc(rows_workspace_bytes());
  for (int i = 0; i < 50; i++)
    if (call(y[1], workspace)) return 3;
  free(workspace);
  if (threads() != 2) return 4;
  rows_set_threads(4);
  if (call(y[2], NULL) || threads() != 4) return 5;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) _exit(call(y[3], NULL) || threads() != 4 || y[3][77] != y[0][77]);
  int status;
  if (waitpid(child, &status, 0) != child || status != 0) return 6;
  for (int i = 0; i < ROWS_OUTPUT_OUTPUT0_SIZE; i++) {
    if (y[1][i] != y[0][i] || y[2][i] != y[0][i]) return 7;
    printf("%.9g\\n", y[0][i]);
  }
  return 0;
}
"""


def test_a_library_uses_as_many_threads_as_it_is_told(c: SimpleNamespace):
    library = c.folder / "rows.so"
    relay.compile(relay.parse(TEXT), target="native").export(library)
    assert "rows_set_threads" in library.with_suffix(".h").read_text()
    found = np.fromstring(c.run(c.build(CALL, library)), "f", sep="\n")
    x = (np.arange(400 * 300) % 97 / np.float32(97)).astype("f").reshape(400, 300)
    powers = np.exp(np.exp(x) * 0.5)
    np.testing.assert_allclose(
        found.reshape(x.shape), powers / powers.sum(1, keepdims=True), rtol=1e-5
    )


def test_a_library_without_loops_needs_no_threads(c: SimpleNamespace):
    library = c.folder / "small.so"
    text = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(4), float32]) { tanh(%x) }'
    relay.compile(relay.parse(text), target="native").export(library)
    assert "pthread" not in library.with_suffix(".h").read_text()
