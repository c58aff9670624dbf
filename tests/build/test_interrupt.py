"""Signals are heard while programs run, and Ctrl-C stops them: in processes of their own."""

import ctypes
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import relay
from relay.runtime.code.traps import INTERRUPTED
from relay.runtime.native_executable import NativeExecutable

HEAD = '#[version = "0.0.5"]\n'
V = "Tensor[(4), float32]"

ENDLESS = {
    "a loop of numbers": "def @main(%n: int32) -> int32 { @main(add(%n, 2)) }",
    "a loop of tensors": f"""
def @loop(%x: {V}, %n: int32) -> {V} {{ if (less(%n, 0)) {{ %x }} else {{ @loop(tanh(%x), %n) }} }}
def @main(%n: int32) -> {V} {{ @loop(ones(shape=[4], dtype="float32"), %n) }}
""",
    "functions that call each other": """
def @even(%n: int32) -> int32 { @odd(add(%n, 1)) }
def @odd(%n: int32) -> int32 { @even(subtract(%n, 1)) }
def @main(%n: int32) -> int32 { @even(%n) }
""",
    "recursion": """
def @f(%n: int32) -> int32 {
  if (less(%n, 1)) { 1 } else { add(@f(subtract(%n, 1)), @f(subtract(%n, 1))) }
}
def @main(%n: int32) -> int32 { @f(add(%n, 60)) }
""",
    "deep recursion over a list": """
type List { Cons(int32, List), Nil }
def @upto(%n: int32, %l: List) -> List {
  if (less(%n, 1)) { %l } else { @upto(subtract(%n, 1), Cons(%n, %l)) }
}
def @sum(%l: List) -> int32 {
  match (%l) { Cons(%x, %rest) => { add(%x, @sum(%rest)) }, Nil => { 0 } }
}
def @again(%l: List, %n: int32) -> int32 { @again(%l, add(%n, @sum(%l))) }
def @main(%n: int32) -> int32 { @again(@upto(20000, Nil), %n) }
""",
}

CHILD = """
import os, signal, sys, threading, time
import numpy as np, relay
zero, before = np.int32(0), signal.getsignal(signal.SIGINT)
def interrupted(call, *given):
    threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        call(*given)
    except KeyboardInterrupt:
        return True
for text in sys.argv[1:]:
    endless = relay.compile(relay.parse(text))
    print(*[interrupted(endless, zero) for _ in range(3)])
print(interrupted(time.sleep, 5), signal.getsignal(signal.SIGINT) is before)
"""


HEARS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
"""What a process that a shell started in the background does not: it hears Ctrl-C."""


def child(script: str, *arguments: str) -> list[str]:
    command = [sys.executable, "-c", HEARS + script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout.split("\n")[:-1]


def test_programs_without_end_are_interrupted():
    texts = [HEAD + text for text in ENDLESS.values()]
    assert child(CHILD, *texts) == ["True True True"] * len(texts) + ["True True"]


def test_a_long_program_without_loops_stops_between_kernels():
    x = relay.var("x", shape=(600, 600))
    product = relay.nn.dense(relay.tanh(x), x)
    made = relay.compile(relay.Module({"main": relay.Function((x,), product)}))
    assert isinstance(made, NativeExecutable)
    array = np.ones((600, 600), np.float32)
    (before,) = made.invoke([array])
    frame = made._frames.take()
    results = made._place(frame, [array])
    stop = ctypes.c_int32.from_address(frame.stop)
    stop.value = 1
    tables = (frame.input_table, frame.output_table, made._constants)
    assert made._code.entry(*tables, frame.arena, frame.workspace) == INTERRUPTED
    stop.value = 0
    assert made._code.entry(*tables, frame.arena, frame.workspace) == 0
    np.testing.assert_array_equal(results[0], before)


KERNELS = """
import os, signal, sys, threading, time
import numpy as np, relay
n = relay.DimVar("n")
x, one = relay.var("x", shape=(n,)), relay.var("x", shape=(1,))
pairs = relay.sum(relay.reshape(x, (n, 1)) * relay.reshape(x, (1, n)))
branch = relay.If(relay.sum(x) < 0.0, relay.sum(x), pairs)
many = relay.sum(relay.exp(relay.broadcast_to(one, (1 << 36,))))
def interrupted(call, given):
    pressed = []
    def press():
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)
    threading.Timer(0.05, press).start()
    try:
        call(given)
    except KeyboardInterrupt:
        return time.monotonic() - pressed[0] < 10
cases = (x, pairs, 1 << 20, 1), (x, branch, 1 << 20, 2), (one, many, 1, 2)
for param, result, size, threads in cases:
    made = relay.compile(relay.Module({"main": relay.Function((param,), result)}), threads=threads)
    long = np.ones(size, np.float32)
    roads = made, lambda x: made.invoke([x]), made.profile
    print(*[interrupted(road, long) for road in roads])
    if size > 1:
        print(made(np.arange(3, dtype=np.float32)))
machine = relay.vm.compile(relay.Module({"main": relay.Function((x,), branch)}))
print(interrupted(machine, np.ones(1 << 20, np.float32)))
print(machine(np.arange(3, dtype=np.float32)))
"""


def test_long_kernels_are_interrupted_and_the_next_call_is_right():
    """Dynamic sizes, the same after a branch, one static loop of two threads, and the VM."""
    three = "True True True"
    expected = [three, "9.0", three, "9.0", three, "True", "9.0"]
    assert child(KERNELS) == expected


OTHER = """
import os, signal, sys, threading, time
import numpy as np, relay
long = relay.compile(relay.parse(sys.argv[1]))
results = []
worker = threading.Thread(target=lambda: results.append(long(np.int32(30_000_000))))
worker.start()
try:
    os.kill(os.getpid(), signal.SIGINT)
    worker.join()
except KeyboardInterrupt:
    print("main thread interrupted")
worker.join()
print(*results)
"""


def test_another_thread_runs_to_its_end():
    text = (
        "def @main(%n: int32) -> int32 { if (less(%n, 1)) { %n } else { @main(subtract(%n, 3)) } }"
    )
    assert child(OTHER, HEAD + text) == ["main thread interrupted", "0"]


OWN = """
import os, signal, sys, threading
import numpy as np, relay
endless = relay.compile(relay.parse(sys.argv[1]))
heard = []
def stop(*_):
    raise TimeoutError
def note(*_):
    heard.append(1)
    signal.signal(signal.SIGINT, stop)
    threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
signal.signal(signal.SIGINT, note)
threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    endless(np.int32(0))
except TimeoutError:
    print(*heard)
"""


def test_only_what_a_handler_of_the_users_raises_stops_a_program():
    assert child(OWN, HEAD + ENDLESS["a loop of numbers"]) == ["1"]


ALARMS = """
import signal, sys, threading
import numpy as np, relay
zero, main = np.int32(0), threading.get_ident()
endless, inner = [relay.compile(relay.parse(text)) for text in sys.argv[1:]]
heard = []
def alarm(*_):
    heard.append(threading.get_ident() == main and int(inner(np.int32(6))))
    if len(heard) % 3 == 0:
        raise TimeoutError(len(heard))
signal.signal(signal.SIGALRM, alarm)
signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
for call in (endless, endless, lambda x: endless.invoke([x])):
    try:
        call(np.zeros((), np.int32))
    except TimeoutError as error:
        print(error)
signal.setitimer(signal.ITIMER_REAL, 0)
print(*heard)
"""


@pytest.mark.parametrize("which", ["a loop of numbers", "deep recursion over a list"])
def test_handlers_of_other_signals_run_and_may_run_programs(which: str):
    inner = HEAD + ENDLESS["recursion"].replace("%n, 60", "%n, 0")
    heard = child(ALARMS, HEAD + ENDLESS[which], inner)
    assert heard == ["3", "6", "9", " ".join(["64"] * 9)]


PENDING = """
import ctypes, functools, operator, os, signal, sys
import numpy as np, relay
from relay.runtime.interrupts import raised
made = relay.compile(relay.parse(sys.argv[1]))
kill = functools.partial(ctypes.CDLL(None).kill, os.getpid(), signal.SIGINT)
frame = made._frames.take()
run = functools.partial(made._cross, frame.call, np.int32(0))
print([*map(operator.call, (kill, run))][1], repr(raised()))  # nothing of Python between them
"""


def test_a_signal_that_comes_just_before_a_program_begins_is_heard():
    assert child(PENDING, HEAD + ENDLESS["a loop of numbers"]) == ["5 KeyboardInterrupt()"]


IGNORING = """
import os, signal, sys, threading
import numpy as np, relay
counting = relay.compile(relay.parse(sys.argv[1]))
signal.signal(signal.SIGINT, signal.SIG_IGN)
threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT)).start()
print(counting(np.int32(30_000_000)))
"""


def test_a_signal_that_is_ignored_stays_ignored():
    text = (
        "def @main(%n: int32) -> int32 { if (less(%n, 1)) { %n } else { @main(subtract(%n, 3)) } }"
    )
    assert child(IGNORING, HEAD + text) == ["0"]


def branching(count: int) -> str:
    """Return a program of so many branches, one after another, without a loop."""
    lines = [
        f"let %x{i + 1} = if (less(%x{i}, {i})) {{ %x{i} }} else {{ 3 }};" for i in range(count)
    ]
    return f"{HEAD}def @main(%x0: int32) -> int32 {{ {' '.join(lines)} %x{count} }}"


def test_programs_are_watched_if_they_have_loops():
    text = f"{HEAD}def @main(%x: Tensor[(SIZE), float32]) {{ tanh(%x) + exp(%x) }}"
    fixed, dynamic = text.replace("SIZE", "100"), text.replace("SIZE", "n")
    loop = HEAD + ENDLESS["a loop of numbers"]
    expectations = ((fixed, False), (branching(3), False), (dynamic, True), (loop, True))
    for text, expected in expectations:
        made = relay.compile(relay.parse(text))
        assert isinstance(made, NativeExecutable)
        assert made.program.interruptible is expected


COPIES = """
import signal, sys
import numpy as np, relay
class Stop(Exception): pass
def stop(number, frame): raise Stop
signal.signal(signal.SIGALRM, stop)
copying = relay.compile(relay.parse(sys.argv[1]), threads=1)
x, stopped = np.ones(1 << 24, np.float32), 0
for moment in range(1, 21):
    try:
        signal.setitimer(signal.ITIMER_REAL, moment * 1e-3)
        copying(x)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except Stop:
        stopped += 1
print(stopped > 0, (copying(x) == -1).all())
"""


def test_the_copy_of_a_large_result_is_interrupted():
    text = "def @main(%x: Tensor[(n), float32]) { negative(%x) }"
    assert child(COPIES, HEAD + text) == ["True True"]


VALUES = """
import gc, signal, sys, time
import numpy as np, relay
from relay.runtime import Data
head, result, argument = sys.argv[1:]
make, take = [relay.compile(relay.parse(head + text)) for text in (result, argument)]
class Stop(Exception): pass
heard, last = [], 0
def alarm(*_):
    heard.append(gc.isenabled())  # collection is off while results are copied
    if len(heard) == last:
        raise Stop
def during(call, given, moment):
    global last
    heard.clear()
    last = moment
    signal.setitimer(signal.ITIMER_REAL, 1e-3, 1e-3)
    try:
        found = call(given)
        signal.setitimer(signal.ITIMER_REAL, 0)
        return found
    except Stop:
        signal.setitimer(signal.ITIMER_REAL, 0)
signal.signal(signal.SIGALRM, alarm)
count = np.int32(200_000)
long = during(make, count, 0)
print(heard.count(False) > 2)
print(during(take, long, 0), len(heard) > 2)
before = sys.getallocatedblocks()
for call, given in (make, count), (take, long):
    print(*[during(call, given, moment) for moment in (1, 3, 5)])
while sys.getallocatedblocks() > before + 10_000:
    time.sleep(0.01)  # what was made so far is released in another thread
print(take(long), take(make(count)))
"""


def test_signals_are_heard_while_values_of_data_types_are_copied():
    """Also when they stop the call, which leaves nothing behind."""
    head = f"""{HEAD}type List {{ Cons(int32, List), Nil }}
def @upto(%n: int32, %l: List) -> List {{
  if (less(%n, 1)) {{ %l }} else {{ @upto(subtract(%n, 1), Cons(%n, %l)) }}
}}
"""
    result = "def @main(%n: int32) -> List { @upto(%n, Nil) }"
    argument = "def @main(%l: List) { match (%l) { Cons(%x, %rest) => { %x }, Nil => { 0 } } }"
    stopped = "None None None"
    expected = ["True", "1 True", stopped, stopped, "1 1"]
    assert child(VALUES, head, result, argument) == expected


FILES = """
import signal, sys
from pathlib import Path
import numpy as np, relay
heard = []
def alarm(number, frame):
    heard.append(Path(frame.f_code.co_filename).name == "artefact.py")
signal.signal(signal.SIGALRM, alarm)
x = relay.var("x", shape=(1 << 25,))
large = relay.const(np.arange(1 << 25, dtype=np.float32))
made = relay.compile(relay.Module({"main": relay.Function((x,), x + large)}))
for call in made.save, relay.Executable.load:
    heard.clear()
    signal.setitimer(signal.ITIMER_REAL, 1e-3, 1e-3)
    call(sys.argv[1])
    signal.setitimer(signal.ITIMER_REAL, 0)
    print(heard.count(True) > 9)
"""


def test_signals_are_heard_while_large_files_are_written_and_checked(tmp_path: Path):
    assert child(FILES, str(tmp_path / "large.relay")) == ["True", "True"]
