"""Libraries called from C: the values of the same model in Python, and no memory lost."""

import os
import shutil
from types import SimpleNamespace

import numpy as np
import pytest

import relay

HEAD = '#[version = "0.0.5"]\n'

DEEP = """
type List { Cons(float32, List), Nil }
def @upto(%n: int32) -> List {
  if (less(%n, 1)) { Nil } else { Cons(cast(%n, dtype="float32"), @upto(subtract(%n, 1))) }
}
def @sum(%l: List) -> float32 {
  match (%l) { Cons(%x, %rest) => { add(%x, @sum(%rest)) }, Nil => { 0f } }
}
def @main(%n: int32) -> float32 { @sum(@upto(%n)) }
"""
"""As deep as `n`, and as much memory."""

CALL_LSTM = """
#include "lstm.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static float x[LSTM_INPUT_X_SIZE], y[4][LSTM_OUTPUT_Y_SIZE], last[4][LSTM_OUTPUT_LAST_SIZE];

static void *work(void *number) {
  int i = *(int *)number;
  lstm_inputs in = { x };
  lstm_outputs out = { y[i], last[i] };
  void *workspace = malloc(lstm_workspace_bytes());
  int status = lstm_run(&in, &out, workspace);
  free(workspace);
  if (status == 0) status = lstm_run(&in, &out, NULL);
  if (status) fprintf(stderr, "%s\\n", lstm_error(status));
  return NULL;
}

int main(void) {
  pthread_t threads[4];
  int numbers[4] = { 0, 1, 2, 3 };
  for (int i = 0; i < LSTM_INPUT_X_SIZE; i++) x[i] = (float)i / LSTM_INPUT_X_SIZE - 0.5f;
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, &numbers[i]);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < LSTM_OUTPUT_Y_SIZE; j++) printf("%.9g\\n", y[i][j]);
  return 0;
}
"""

CALL_DEEP = """
#include "deep.h"
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments) {
  int32_t n = count > 1 ? atoi(arguments[1]) : 0;
  float sum = 0;
  deep_inputs in = { &n };
  deep_outputs out = { &sum };
  int status = deep_run(&in, &out, NULL);
  printf("%d %.9g\\n", status, sum);
  return 0;
}
"""


def memcheck(*command: object) -> list[str]:
    """Run a program so that an invalid access, a jump on nothing or a leak is a failure."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        pytest.skip("valgrind is not installed")
    return [valgrind, "-q", "--leak-check=full", "--error-exitcode=9", *map(str, command)]


def racecheck(*command: object) -> list[str]:
    """Run a program so that a race of threads is a failure."""
    return [memcheck()[0], "-q", "--tool=helgrind", "--error-exitcode=9", *map(str, command)]


def test_a_recurrent_model_from_four_threads_under_valgrind(c: SimpleNamespace, lstm):
    model = lstm(steps=20)
    library = c.folder / "lstm.so"
    relay.compile(model, target="x86-64-v3").export(library)
    program = c.build(CALL_LSTM, library)
    found = np.fromstring(c.run(*memcheck(program)), np.float32, sep="\n").reshape(4, -1)
    x = (np.arange(100, dtype=np.float32) / 100 - 0.5).reshape(20, 1, 5)
    y, _ = relay.compile(model)(x)
    np.testing.assert_allclose(found, [y.reshape(-1)] * 4, rtol=1e-5, atol=1e-6)
    c.run(*racecheck(program))


def test_recursion_and_a_heap_under_valgrind(c: SimpleNamespace):
    library = c.folder / "libdeep.so"
    model = relay.parse(HEAD + DEEP)
    relay.compile(model, target="x86-64-v3").export(library)
    program = c.build(CALL_DEEP, library)
    expected = [f"0 {relay.compile(model)(np.int32(n)):.9g}" for n in (3000, 100_000)]
    assert [c.run(program, n).strip() for n in (3000, 100_000)] == expected
    found = [
        c.run(*memcheck(program, n)).strip() for n in (3000, 100_000)
    ]  # the second in a thread
    assert found == expected


FITS = (
    HEAD
    + """
type Colour { Red, Green, Blue }
def @main(%n: int32, %float: Tensor[(2), bool]) -> (int32, Tensor[(2), bool]) {
  let %colour = if (less(%n, 0)) { Red } else { Blue };
  (match? (%colour) { Red => { %n } }, logical_not(%float))
}
"""
)


def test_what_stopped_a_program_is_said(c: SimpleNamespace):
    library = c.folder / "colours.v2.so"
    relay.compile(relay.parse(FITS)).export(library)
    program = c.build(
        """
        #include "colours.v2.h"
        #include <stdio.h>

        int main(void) {
          int32_t n = -7, m = 7, result = 0;
          bool bits[COLOURS_V2_INPUT_FLOAT__SIZE] = { true, false }, nots[2] = { true, true };
          colours_v2_outputs out = { .output0 = &result, .output1 = nots };
          colours_v2_inputs good = { .n = &n, .float_ = bits }, bad = { .n = &m, .float_ = bits };
          int status = colours_v2_run(&good, &out, NULL);
          printf("%d %d %d%d\\n", status, result, nots[0], nots[1]);
          puts(colours_v2_error(colours_v2_run(&bad, &out, NULL)));
          puts(colours_v2_error(-1));
          return 0;
        }
        """,
        library,
    )
    good, bad, unknown = c.run(program).splitlines()
    assert good == "0 -7 01"
    assert "R040" in bad
    assert ":6:" in bad  # the line of the match
    assert unknown == "unknown status"


ENDLESS = HEAD + "def @main(%n: int32) -> int32 { @main(add(%n, 2)) }"

STOPPED = """
#include "endless.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int finished;

static void *stop(void *workspace) {
  while (!__atomic_load_n(&finished, __ATOMIC_SEQ_CST)) {
    endless_stop(workspace);
    usleep(1000);
  }
  return NULL;
}

int main(void) {
  void *workspace = malloc(endless_workspace_bytes());
  int32_t n = 0, result;
  endless_inputs in = { &n };
  endless_outputs out = { &result };
  pthread_t thread;
  pthread_create(&thread, NULL, stop, workspace);
  int status = endless_run(&in, &out, workspace);
  __atomic_store_n(&finished, 1, __ATOMIC_SEQ_CST);
  pthread_join(thread, NULL);
  puts(endless_error(status));
  free(workspace);
  return 0;
}
"""


def test_a_call_is_stopped_from_another_thread(c: SimpleNamespace):
    relay.compile(relay.parse(ENDLESS)).export(c.folder / "endless.so")
    source = "#define _DEFAULT_SOURCE\n" + STOPPED
    assert "R055" in c.run(c.build(source, c.folder / "endless.so"))


def affine(scale: float) -> relay.Module:
    x = relay.var("x", shape=(4, 2))
    product = relay.nn.dense(x, relay.const(np.full((3, 2), scale, np.float32)))
    return relay.Module({"main": relay.Function((x,), relay.nn.relu(product))})


def test_objects_of_two_models_in_one_program(c: SimpleNamespace):
    paths = [c.folder / "one.o", c.folder / "two.o"]
    for path, scale in zip(paths, (1.0, 2.0), strict=True):
        relay.compile(affine(scale), target="native").export(path)
    call = """
      {{ float y[12]; {0}_inputs in = {{ x }}; {0}_outputs out = {{ y }};
        if ({0}_run(&in, &out, NULL)) return 1;
        for (int i = 0; i < 12; i++) printf(i < 11 ? "%g " : "%g\\n", y[i]); }}
    """
    calls = "".join(call.format(name) for name in ("one", "two"))
    source = f"""
    #include "one.h"
    #include "two.h"
    #include <stdio.h>
    int main(void) {{ static float x[8] = {{ 1, 2, 3, 4, -5, -6, 7, 8 }}; {calls} return 0; }}
    """
    x = np.array([1, 2, 3, 4, -5, -6, 7, 8], np.float32).reshape(4, 2)
    found = [np.fromstring(line, sep=" ") for line in c.run(c.build(source, *paths)).splitlines()]
    expected = [relay.compile(affine(scale))(x).ravel() for scale in (1.0, 2.0)]
    np.testing.assert_array_equal(found, expected)


CALL_MODEL = """
#include "model.h"
#include <stdio.h>
int main(void) {
  float x[MODEL_INPUT_X_SIZE] = { 1 }, y[MODEL_OUTPUT_OUTPUT0_SIZE];
  model_inputs in = { x };
  model_outputs out = { y };
  int status = model_run(&in, &out, NULL);
  printf("%d %g %s\\n", status, y[0], MODEL_RELAY_VERSION);
  return 0;
}
"""


def test_a_saved_model_becomes_a_library(c: SimpleNamespace):
    saved = c.folder / "model.relay"
    relay.compile(affine(3.0)).save(saved)
    relay.Executable.load(saved).export(c.folder / "model.so")
    program = c.build(CALL_MODEL, c.folder / "model.so")
    assert c.run(program).strip() == f"0 3 {relay.__version__}"


@pytest.mark.slow
def test_the_wheel_links_where_there_is_no_compiler(
    c: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
):
    pytest.importorskip("ziglang")
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", str(c.folder))
    relay.compile(affine(3.0), target="x86-64-v2").export(c.folder / "model.so")
    monkeypatch.setenv("PATH", path)
    program = c.build(CALL_MODEL, c.folder / "model.so")
    assert c.run(program).strip() == f"0 3 {relay.__version__}"


def test_the_header_is_one_of_cpp_too(c: SimpleNamespace):
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("there is no C++ compiler")
    relay.compile(affine(1.0)).export(c.folder / "model.so")
    (c.folder / "program.cpp").write_text(
        '#include "model.h"\nint main() { return model_run(0, 0, 0) && 0; }\n'
    )
    c.run(compiler, "-std=c++17", "-Wall", "-Werror", "-fsyntax-only", c.folder / "program.cpp")


@pytest.mark.parametrize("size", [3, relay.DimVar("n")])
@pytest.mark.parametrize(
    ("given", "results"),
    [("sizes", ("run", "outputs")), ("X", ("inputs", "NULL")), ("x", ("X", "linux"))],
)
def test_names_of_tensors_never_clash_with_those_of_the_header(
    c: SimpleNamespace, size: relay.DimVar | int, given: str, results: tuple[str, str]
):
    x, y = (relay.var(name, relay.TensorType((size,), "float32")) for name in (given, "x_2"))
    attrs = {"outputs": results}
    function = relay.Function((x, y), relay.Tuple((x + x, y + y)), attrs=attrs)
    relay.compile(relay.IRModule.from_expr(function), target="x86-64-v2").export(c.folder / "m.o")
    (c.folder / "use.c").write_text('#include "m.h"\nint main(void) { return 0; }\n')
    c.run("cc", "-Wall", "-Werror", "-fsyntax-only", c.folder / "use.c")
