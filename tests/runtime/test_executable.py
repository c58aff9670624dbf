"""Native executables: values, results, threads, traps, lifetime."""

import gc
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relay.runtime import (
    Executable,
    HostRequirements,
    Location,
    MemoryRegion,
    NativeExecutable,
    ObjectCode,
    Signature,
    Step,
    TensorSpec,
)
from relay.runtime.program import Trap
from relay.runtime.thread_pool import pool
from relay.support.errors import ArtefactError, RunError


def test_a_program_runs(programs):
    fast = NativeExecutable(programs.affine_program((3, 4)))
    x = np.random.default_rng(0).normal(size=(3, 4)).astype("float32")
    np.testing.assert_array_equal(fast(x), programs.affine(x))
    np.testing.assert_array_equal(fast(x=x), programs.affine(x))
    assert list(fast.run(x)) == ["y"]


@given(shape=st.lists(st.integers(0, 5), max_size=4))
def test_any_shape_runs(shape, programs):
    fast = NativeExecutable(programs.affine_program(tuple(shape)))
    x = np.ones(shape, "float32")
    result = fast(x)
    assert result.shape == tuple(shape)
    np.testing.assert_array_equal(result, programs.affine(x))


def test_outputs_are_new_aligned_and_writable(programs):
    fast = NativeExecutable(programs.affine_program((5,)))
    x = np.zeros(5, "float32")
    first, second = fast(x), fast(x)
    assert first.ctypes.data % 64 == 0
    first[:] = -1
    np.testing.assert_array_equal(second, programs.affine(x))
    np.testing.assert_array_equal(fast(x), programs.affine(x))


def test_results_outlive_the_executable(programs):
    result = NativeExecutable(programs.affine_program((5,)))(np.zeros(5, "float32"))
    gc.collect()
    np.testing.assert_array_equal(result, [0, 1, 2, 3, 4])


def test_executables_come_and_go(programs):
    program = programs.affine_program((5,))
    for _ in range(20):
        fast = NativeExecutable(program)
        fast(np.zeros(5, "float32"))
        del fast
    gc.collect()


def test_code_lives_as_long_as_a_function_of_it(programs):
    x, y = np.ones(5, "float32"), np.zeros(5, "float32")
    double = NativeExecutable(programs.affine_program((5,)))._code.kernel("double", 2, 1)
    gc.collect()
    assert double(x.ctypes.data, y.ctypes.data, 5, 0) == 0
    np.testing.assert_array_equal(y, 2 * x)


def test_threads_never_share_memory(programs):
    fast = NativeExecutable(programs.affine_program((1000,)))
    failures = []

    def work(seed: int):
        x = np.full(1000, seed, "float32")
        expected = programs.affine(x)
        failures.extend(i for i in range(200) if not np.array_equal(fast(x), expected))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    assert 1 <= len(fast._frames._free) <= pool().cpus


TUPLE = """
define i32 @relay_run(ptr %inputs, ptr %outputs, ptr %constants, ptr %arena, ptr %workspace) {
  %px = load ptr, ptr %inputs
  %slot = getelementptr ptr, ptr %outputs, i64 1
  %p0 = load ptr, ptr %outputs
  %p1 = load ptr, ptr %slot
  %x = load i64, ptr %px
  %minus = sub i64 0, %x
  store i64 %x, ptr %p0
  store i64 %minus, ptr %p1
  ret i32 0
}
"""


def test_several_outputs_come_as_a_tuple_or_by_name(programs):
    outputs = (TensorSpec("same", (), "int64"), TensorSpec("minus", (1,), "int64"))
    program = programs.entry_program(TUPLE, [TensorSpec("x", (), "int64")], outputs)
    fast = NativeExecutable(program)
    same, minus = fast(np.int64(7))
    assert (same.shape, same[()], minus.tolist()) == ((), 7, [-7])
    assert {name: a.tolist() for name, a in fast.run(7).items()} == {"same": 7, "minus": [-7]}


def test_a_tuple_of_one_stays_a_tuple(programs):
    nothing = "define i32 @relay_run(ptr %i, ptr %o, ptr %c, ptr %a, ptr %w) { ret i32 0 }"
    fast = NativeExecutable(programs.entry_program(nothing, (), [TensorSpec("y", (0,), "int8")]))
    assert isinstance(fast(), tuple)
    assert NativeExecutable(programs.entry_program(nothing))() == ()


TRAP = "define i32 @relay_run(ptr %i, ptr %o, ptr %c, ptr %a, ptr %w) { ret i32 7 }"


def test_a_trap_is_an_error(programs):
    fast = NativeExecutable(
        programs.entry_program(TRAP, traps=(Trap(7, "R008", "index out of bounds"),))
    )
    for use in (fast, fast.profile):
        with pytest.raises(RunError, match="index out of bounds") as caught:
            use()
        assert caught.value.code == "R008"
    with pytest.raises(RunError, match="error number 7"):
        NativeExecutable(programs.entry_program(TRAP))()


PARALLEL = """
declare i32 @relay_parallel_for(ptr, ptr, i64, i64, i32, ptr)
declare float @expf(float)
define internal void @body(ptr %closure, i64 %begin, i64 %end, i64 %worker) {
  %x = load ptr, ptr %closure
  %slot = getelementptr ptr, ptr %closure, i64 1
  %y = load ptr, ptr %slot
  %slot2 = getelementptr ptr, ptr %closure, i64 2
  %workspace = load ptr, ptr %slot2
  %mine = getelementptr i64, ptr %workspace, i64 %worker
  %part = sub i64 %end, %begin
  store i64 %part, ptr %mine
  br label %test
test:
  %i = phi i64 [%begin, %0], [%next, %loop]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %loop, label %done
loop:
  %px = getelementptr float, ptr %x, i64 %i
  %py = getelementptr float, ptr %y, i64 %i
  %v = load float, ptr %px
  %e = call float @expf(float %v)
  store float %e, ptr %py
  %next = add i64 %i, 1
  br label %test
done:
  ret void
}
define i32 @relay_run(ptr %inputs, ptr %outputs, ptr %constants, ptr %arena, ptr %workspace) {
  %closure = alloca [3 x ptr]
  %x = load ptr, ptr %inputs
  %y = load ptr, ptr %outputs
  store ptr %x, ptr %closure
  %slot = getelementptr ptr, ptr %closure, i64 1
  store ptr %y, ptr %slot
  %slot2 = getelementptr ptr, ptr %closure, i64 2
  store ptr %workspace, ptr %slot2
  %status = call i32 @relay_parallel_for(ptr @body, ptr %closure, i64 1000, i64 7, i32 0, ptr null)
  ret i32 %status
}
"""


def test_scratch_grows_with_the_threads(programs):
    program = programs.affine_program((4,), workspace_bytes=1000, worker_bytes=64)
    for threads in (1, 5):
        frame = NativeExecutable(program, threads=threads)._frames.take()
        assert [block.nbytes for block in frame._blocks] == [16, 1000 + 64 * threads]
        assert frame.workspace % 64 == 0


def test_results_do_not_depend_on_the_number_of_threads(programs):
    program = programs.entry_program(
        PARALLEL,
        [TensorSpec("x", (1000,), "float32")],
        [TensorSpec("y", (1000,), "float32")],
        worker_bytes=8,
    )
    x = np.random.default_rng(1).normal(size=1000).astype("float32")
    results = [NativeExecutable(program, threads=t)(x)[0] for t in (1, 2, 3, 7, None)]
    np.testing.assert_allclose(results[0], np.exp(x), rtol=1e-6)
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])


@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_an_executable_runs_in_a_forked_child(programs):
    spec = [TensorSpec(name, (1000,), "float32") for name in "xy"]
    fast = NativeExecutable(
        programs.entry_program(PARALLEL, spec[:1], spec[1:], worker_bytes=8), threads=3
    )
    x = np.random.default_rng(1).normal(size=1000).astype("float32")
    expected = fast(x)[0]
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # a deadlock ends the child, with a status that is not 0
        os._exit(0 if np.array_equal(fast(x)[0], expected) else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_an_executable_may_be_dropped_while_it_runs(programs):
    program = programs.affine_program((200_000,))
    x = np.ones(200_000, "float32")
    for _ in range(5):
        results = []
        fast = NativeExecutable(program)
        thread = threading.Thread(target=lambda f=fast, r=results: r.append(f(x)))
        thread.start()
        del fast
        gc.collect()
        thread.join(30)
        np.testing.assert_array_equal(results[0], programs.affine(x))


def test_two_executables_keep_their_own_numbers_of_threads(programs):
    program = programs.affine_program((5,))
    one, three = NativeExecutable(program, threads=1), NativeExecutable(program, threads=3)
    assert (one.threads, three.threads) == (1, 3)


def test_profile_names_each_step(programs):
    fast = NativeExecutable(programs.affine_program((100,)))
    profile = fast.profile(np.ones(100, "float32"), repeats=3)
    assert [(s.label, s.symbol, s.flops) for s in profile.steps] == [
        ("twice", "double", 100),
        ("bias", "add", 100),
    ]
    assert all(s.milliseconds > 0 for s in profile.steps)
    assert profile.total.bytes == 2000
    assert profile.steps[0].gflops > 0
    assert "bias" in str(profile)


def test_profile_of_a_program_without_steps_is_one_step(programs):
    fast = NativeExecutable(programs.affine_program((4,), steps=()))
    assert [s.symbol for s in fast.profile(np.ones(4, "float32")).steps] == ["relay_run"]


def test_profile_wants_at_least_one_run(programs):
    with pytest.raises(RunError) as caught:
        NativeExecutable(programs.affine_program((4,))).profile(np.ones(4, "float32"), repeats=0)
    assert caught.value.code == "R013"


PEEK = """
define i32 @peek(ptr %from, ptr %to, ptr %workspace) {
  %value = load i32, ptr %from
  store i32 %value, ptr %to
  ret i32 0
}
define i32 @relay_run(ptr %inputs, ptr %outputs, ptr %constants, ptr %arena, ptr %workspace) {
  ret i32 0
}
"""


def test_steps_find_their_arguments(programs):
    """The kernel copies one element from each region to the output, where a trap would lie."""
    spec = [TensorSpec("x", (4,), "int32"), TensorSpec("z", (4,), "int32")]
    places = [Location(MemoryRegion.INPUT, 8, 1), Location(MemoryRegion.OUTPUT, 12)]
    program = programs.entry_program(
        PEEK, spec, [TensorSpec("y", (4,), "int32")], steps=(Step("peek", "peek", places, (4, 4)),)
    )
    fast = NativeExecutable(program)
    frame = fast._frames.take()
    arrays = [np.arange(4, dtype="int32"), np.arange(10, 14, dtype="int32")]
    result = fast._place(frame, arrays)[0]
    assert fast._time(fast._calls(frame), frame)
    assert result[3] == 12


def test_a_missing_symbol_is_an_error(programs, capfd):
    text = """
    declare i32 @not_there()
    define i32 @relay_run(ptr %i, ptr %o, ptr %c, ptr %a, ptr %w) {
      %r = call i32 @not_there()
      ret i32 %r
    }"""
    with pytest.raises(RunError) as caught:
        NativeExecutable(programs.entry_program(text))
    assert caught.value.code == "R012"


def test_an_object_that_is_none_is_an_error(programs):
    broken = (ObjectCode("relay_run", b"not an object file"),)
    with pytest.raises(RunError) as caught:
        NativeExecutable(programs.entry_program(TRAP, objects=broken))
    assert caught.value.code == "R012"


def test_too_much_memory_is_an_error(programs):
    fast = NativeExecutable(programs.affine_program((4,), arena_bytes=2**61))
    with pytest.raises(RunError) as caught:
        fast(np.ones(4, "float32"))
    assert caught.value.code == "R009"


@pytest.mark.parametrize(
    ("machine", "code"),
    [
        (HostRequirements("riscv64-unknown-linux-gnu"), "A007"),
        (HostRequirements(HostRequirements.host().triple.replace("linux", "darwin")), "A007"),
        (
            HostRequirements(HostRequirements.host().triple, "future", "+sse2,+flux-capacitor"),
            "A008",
        ),
    ],
)
def test_code_for_another_machine_is_refused(programs, machine, code):
    with pytest.raises(ArtefactError) as caught:
        NativeExecutable(programs.affine_program((4,), machine=machine))
    assert caught.value.code == code


def test_sixty_objects_link(programs):
    kernels = [
        ObjectCode(
            f"k{i}",
            programs.compile(f"define i32 @k{i}(i32 %x) {{ %y = add i32 %x, {i} ret i32 %y }}"),
        )
        for i in range(60)
    ]
    lines = [f"%v{i + 1} = call i32 @k{i}(i32 %v{i})" for i in range(60)]
    declared = "\n".join(f"declare i32 @k{i}(i32)" for i in range(60))
    text = f"""{declared}
    define i32 @relay_run(ptr %i, ptr %o, ptr %c, ptr %a, ptr %w) {{
      %v0 = add i32 0, 0
      {chr(10).join(lines)}
      ret i32 %v60
    }}"""
    program = programs.entry_program(text)
    objects = (*kernels, *program.objects)
    with pytest.raises(RunError, match=f"error number {sum(range(60))}"):
        NativeExecutable(programs.entry_program(text, objects=objects))()


def test_the_runtime_needs_no_compiler():
    script = (
        "import sys, relay.runtime;"
        "rooms = {m.split('.')[1] for m in sys.modules if m.startswith('relay.')};"
        "assert rooms <= {'runtime', 'support'}, rooms"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_an_executable_shows_its_signature(programs):
    fast = NativeExecutable(programs.affine_program((5,)))
    assert repr(fast) == "<NativeExecutable (x: float32[5]) -> (y: float32[5])>"


def test_the_surface_is_abstract():
    with pytest.raises(TypeError):
        Executable(Signature((), ()))  # pyright: ignore[reportAbstractUsage]
