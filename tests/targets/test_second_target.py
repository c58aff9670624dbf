"""A second target, an accelerator that is not a CPU, in a folder of its own: `vtasim`.

Nothing outside of that folder knows it. Its entry points lead to it, as those of a package do.
"""

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import relay
from relay.kernels.cpu_model import CpuModel as Cpu
from relay.kernels.kernel_compiler import compile_kernels
from relay.kernels.passes.printer import text
from relay.runtime import Executable
from relay.runtime.device_interface import Pointer, open_device
from relay.runtime.kernel_schedules import schedules_of
from relay.runtime.multi_device_executable import PlacedExecutable
from relay.runtime.multi_device_program import HOST, Launch, Transfer
from relay.support.errors import ArtefactError, CompileError, RunError
from relay.support.node import replace
from relay.targets.registry import device_target
from relay.transform.convert_layout import ConvertLayout

FOLDER = Path(__file__).parent / "vtasim"
LAYERS = {  # of ResNet-18, as its tuning logs number them: image, channels in and out, taps, stride
    "C2": (56, 64, 64, 3, 1),
    "C3": (56, 64, 128, 3, 2),
    "C4": (56, 64, 128, 1, 2),
    "C5": (28, 128, 128, 3, 1),
    "C6": (28, 128, 256, 3, 2),
    "C7": (28, 128, 256, 1, 2),
    "C8": (14, 256, 256, 3, 1),
    "C9": (14, 256, 512, 3, 2),
    "C10": (14, 256, 512, 1, 2),
    "C11": (7, 512, 512, 3, 1),
}
SMALL = (14, 32, 32, 3, 1)


@pytest.fixture(autouse=True)
def _installed(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))


def convolution(layer, device="vtasim") -> str:
    size, inner, outer, taps, stride = layer
    pad = taps // 2
    return f"""#[version = "0.0.5"]
def @main(%x: Tensor[(1, {inner}, {size}, {size}), float32],
          %w: Tensor[({outer}, {inner}, {taps}, {taps}), int8]) {{
  %0 = cast(clip(floor(%x), a_min=-128f, a_max=127f), dtype="int8");
  %1 = nn.conv2d(on_device(%0, virtual_device="cpu"), %w, strides=[{stride}, {stride}],
                 padding=[{pad}, {pad}, {pad}, {pad}], out_dtype="int32");
  %2 = cast(clip(right_shift(%1, 9), a_min=-127f, a_max=127f), dtype="int8");
  cast(on_device(%2, virtual_device="{device}"), dtype="float32")
}}
"""


def inputs(layer):
    size, inner, outer, taps, _ = layer
    rng = np.random.default_rng(0)
    x = rng.normal(scale=60, size=(1, inner, size, size)).astype(np.float32)
    return x, rng.integers(-128, 128, (outer, inner, taps, taps), np.int8)


def expected(layer, x, w):
    """Return what NumPy says: all windows, multiplied as doubles, which are exact here."""
    taps, stride = layer[3:]
    whole = np.clip(np.floor(x), -128, 127)
    padded = np.pad(whole, ((0, 0), (0, 0), (taps // 2,) * 2, (taps // 2,) * 2))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (taps, taps), (2, 3))
    windows = windows[:, :, ::stride, ::stride].astype(np.float64)
    sums = np.einsum("nchwij,ocij->nohw", windows, w.astype(np.float64), optimize=True)
    return np.clip(sums.astype(np.int64) >> 9, -127, 127).astype(np.float32)


def counts():
    from vtasim.device import Device

    return Device.opened[-1].counts


def placed(layer) -> PlacedExecutable:
    executable = relay.compile(relay.parse(convolution(layer)), threads=1)
    assert isinstance(executable, PlacedExecutable)
    return executable


@pytest.fixture
def chosen(monkeypatch):
    """Return what the rule is asked to carry out: matches and configurations."""
    from vtasim.target import Convolve

    seen, apply = [], Convolve.apply

    def spied(self, matched, config):
        seen.append((matched, config))
        return apply(self, matched, config)

    monkeypatch.setattr(Convolve, "apply", spied)
    return seen


@pytest.mark.parametrize("name", LAYERS)
def test_resnet_18_runs_by_the_matrix_unit(name, chosen):
    from vtasim.target import work

    layer = LAYERS[name]
    executable = placed(layer)
    x, w = inputs(layer)
    counts().clear()
    np.testing.assert_array_equal(executable(x, w), expected(layer, x, w))
    size, inner, outer, taps, stride = layer
    found, products = counts(), (size // stride) ** 2 * inner * outer * taps**2
    assert found["GEMM"] * 256 == products  # a step multiplies 16 × 16 weights
    assert found["OUT bytes"] == (size // stride) ** 2 * outer
    ((matched, config),) = chosen
    predicted = work(matched, config)
    assert {key: found[key] for key in predicted} == predicted
    assert not [key for key in found if key.startswith("refused")]


def test_the_schedule_is_data(chosen):
    module = relay.parse(convolution(SMALL))
    name = "conv2d+right_shift+clip+cast"
    wanted = {"rows": 7, "columns": 7, "threads": 1}
    executable = relay.compile(module, threads=1, schedules={name: wanted})
    assert isinstance(executable, PlacedExecutable)
    ((_, config),) = chosen
    assert {key: getattr(config, key) for key in wanted} == wanted
    x, w = inputs(SMALL)
    np.testing.assert_array_equal(executable(x, w), expected(SMALL, x, w))
    (schedule,) = [s for s in schedules_of(executable.program.native) if s.name == name]
    assert (
        str(schedule)
        == f"convolve(rows=7, columns=7, out={config.out}, into={config.into}, threads=1)"
    )
    with pytest.raises(CompileError, match="cannot be applied") as caught:
        relay.compile(module, schedules={name: {"rows": 5}})
    assert caught.value.code == "C170"


@pytest.mark.parametrize("order", range(3))
@pytest.mark.parametrize("threads", [1, 2])
def test_any_order_of_the_modules_gives_the_same(order, threads, monkeypatch):
    from vtasim import machine

    monkeypatch.setattr(machine.Machine, "order", machine.ORDERS[order])
    wanted = {"rows": 7, "into": 1, "out": 1, "threads": threads}
    schedules = {"conv2d+right_shift+clip+cast": wanted}
    executable = relay.compile(relay.parse(convolution(SMALL)), threads=1, schedules=schedules)
    x, w = inputs(SMALL)
    np.testing.assert_array_equal(executable(x, w), expected(SMALL, x, w))


def test_a_saved_program_needs_the_runtime_and_the_device_alone(tmp_path):
    executable = placed(SMALL)
    x, w = inputs(SMALL)
    executable.save(tmp_path / "model.relay")
    np.savez(tmp_path / "arrays.npz", x=x, w=w, y=executable(x, w))
    script = """
import sys
import numpy as np
from relay.runtime import Executable
arrays = np.load("arrays.npz")
model = Executable.load("model.relay", threads=1)
np.testing.assert_array_equal(model(arrays["x"], arrays["w"]), arrays["y"])
runs = ("relay.runtime", "relay.support")
rooms = [m for m in sys.modules if m.startswith("relay.") and not m.startswith(runs)]
assert not rooms, rooms
assert "vtasim.device" in sys.modules and "vtasim.target" not in sys.modules
"""
    path = f"{Path(relay.__file__).parents[1]}:{FOLDER}"
    command = [sys.executable, "-c", script]
    subprocess.run(command, check=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path})


def test_copies_and_launches_are_asynchronous(monkeypatch):
    """The host goes on while the device is busy, until it needs what the device writes."""
    from vtasim.device import Device

    executable = placed(SMALL)
    gate, asked, launch = threading.Event(), [], Device.launch

    def slow(self, kernel, arguments, after):
        self._ask(lambda: gate.wait(60) or None, ())
        asked.append(kernel.symbol)
        threading.Timer(0.05, gate.set).start()  # until then, nothing after it is done
        event = launch(self, kernel, arguments, after)
        assert not gate.is_set(), "the launch waited"
        return event

    monkeypatch.setattr(Device, "launch", slow)
    x, w = inputs(SMALL)
    np.testing.assert_array_equal(executable(x, w), expected(SMALL, x, w))
    assert len(asked) == 1


def test_steps_wait_for_those_of_other_devices_that_they_depend_on():
    steps = placed(SMALL).program.steps
    kinds = [type(step) for step in steps]
    down = next(
        n for n, s in enumerate(steps) if isinstance(s, Transfer) and s.target.device == HOST
    )
    reader = next(n for n in range(down, len(steps)) if steps[n].device == HOST)
    assert steps[reader].after == (down,)
    assert kinds.count(Transfer) == 3
    assert [s.label for s in steps if isinstance(s, Launch) and s.device != HOST] == [
        "conv2d+right_shift+clip+cast"
    ]


def test_the_machine_refuses_what_does_not_fit_and_what_was_not_moved():
    from vtasim.device import Device
    from vtasim.isa import FIELDS, KERNEL, ROW, UOP, Op, Pad, encode

    def code(*rows):
        table = [
            tuple({**dict.fromkeys(FIELDS, 0), **row}[name] for name in FIELDS) for row in rows
        ]
        return encode(np.array(table, ROW), np.array([(0, 0, 0, 0)], UOP))

    device = open_device("vtasim")
    assert isinstance(device, Device)
    uops = {"op": Op.LOAD, "pad": Pad.UOP, "argument": KERNEL, "rows": 1, "columns": 1}
    block = device.allocate(1 << 20)
    inp = {"op": Op.LOAD, "pad": Pad.INP, "rows": 1, "stride": 1}
    gemm = {"op": Op.GEMM, "end": 1, "outer": 1, "inner": 1}
    for kind, rows in {
        "oversized": [{**inp, "columns": 2049}],
        "unmoved": [uops, gemm],
        "outside": [{**inp, "columns": 16, "dram": 1 << 16}],
        "deadlock": [{**uops, "pop_prev": 1}],
        "tokens": [{**uops, "push_prev": 1}],
    }.items():
        kernel = device.load(kind, code(*rows))
        pointer = Pointer(block)
        with pytest.raises(RunError) as caught:
            device.launch(kernel, [pointer], ()).wait()
        assert caught.value.code == "R060"
        assert device.counts[f"refused: {kind}"] == 1


def test_a_failure_of_the_device_is_raised_by_the_call(monkeypatch):
    from vtasim import machine

    executable = placed(SMALL)
    depth = {**machine.DEPTH, machine.Pad.ACC: 8}
    monkeypatch.setattr(machine, "DEPTH", depth)
    with pytest.raises(RunError, match="ACC has 8 elements") as caught:
        executable(*inputs(SMALL))
    assert caught.value.code == "R060"
    monkeypatch.undo()


def test_a_kernel_in_another_machine_s_instructions_reads_as_loops(chosen):
    placed(SMALL)
    ((matched, config),) = chosen
    (rule,) = device_target("vtasim").rules
    kernel = rule.apply(matched, config)
    assert "gemm(reset=1" in text(kernel).replace("pop_next=1, ", "")
    with pytest.raises(CompileError) as caught:
        compile_kernels([kernel], Cpu.host())
    assert caught.value.code == "C005"


def test_what_the_device_has_no_rule_for_is_said():
    program = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) { on_device(tanh(%x), virtual_device="vtasim") }
"""
    with pytest.raises(
        CompileError, match="the device 'vtasim' has no kernel for the operator tanh"
    ) as caught:
        relay.compile(relay.parse(program))
    assert caught.value.code == "C172"


def test_tiles_that_fit_nowhere_are_no_match():
    wide = convolution(SMALL).replace("14, 14", "1, 20000")
    with pytest.raises(
        CompileError, match="the device 'vtasim' has no kernel for the operator conv2d"
    ) as caught:
        relay.compile(relay.parse(wide))
    assert caught.value.code == "C172"


def test_a_device_that_nobody_brings():
    with pytest.raises(
        CompileError, match="no installed package provides the target 'npu'"
    ) as caught:
        relay.compile(relay.parse(convolution(SMALL, "npu")))
    assert caught.value.code == "C171"
    with pytest.raises(CompileError, match="'vtasim' is a device"):
        relay.compile(relay.parse(convolution(SMALL)), target="vtasim")


def test_a_file_for_a_device_that_is_not_here(tmp_path, monkeypatch):
    placed(SMALL).save(tmp_path / "model.relay")
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p != str(FOLDER)])
    with pytest.raises(ArtefactError, match="'vtasim', which no installed package") as caught:
        Executable.load(tmp_path / "model.relay")
    assert caught.value.code == "A018"


@pytest.mark.parametrize(
    ("options", "why"),
    [({"target": "native"}, "for the CPU alone"), ({"batch": True}, "")],
)
def test_programs_that_run_on_the_host_alone(options, why):
    module = relay.parse(convolution(SMALL))
    if not why:
        assert relay.compile(module, threads=1, **options).kind == "placed"
        return
    with pytest.raises(CompileError, match=why) as caught:
        relay.compile(module, **options)
    assert caught.value.code == "C174"
    for make in (relay.vm.compile, relay.build):
        with pytest.raises(CompileError) as caught:
            make(module)
        assert caught.value.code == "C174"


def test_signals_are_handled_during_kernels_on_the_host():
    class Heard(Exception):  # noqa: N818 - this is no error
        pass

    def hear(*_):
        raise Heard

    text = convolution(SMALL).replace("int8]) {", "int8], %y: Tensor[(1), float32]) {")
    last = 'cast(on_device(%2, virtual_device="vtasim"), dtype="float32")'
    long = "sum(exp(broadcast_to(%y, shape=[68719476736])))"
    made = relay.compile(relay.parse(text.replace(last, f"({last}, {long})")), threads=1)
    before = signal.signal(signal.SIGALRM, hear)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(Heard):
            made(*inputs(SMALL), np.ones(1, np.float32))
    finally:
        signal.signal(signal.SIGALRM, before)


BLOCK = """#[version = "0.0.5"]
def @main(%x: Tensor[(2, 17, 6, 6), int8], %w: Tensor[(32, 17, 3, 3), int8]) {
  %0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1], out_dtype="int32");
  %1 = cast(clip(right_shift(%0, 9), a_min=-127f, a_max=127f), dtype="int8");
  %2 = on_device(%1, virtual_device="vtasim");
  %3 = topk(%x, k=2, axis=1);
  (%2, %x, %2, negative(%2), %3.1)
}
"""


def test_channels_that_fill_no_block_and_results_of_all_kinds():
    """The host pads to blocks; a result may be used twice, be an input, or come from the host.

    There it may be one of several of a kernel.
    """
    executable = relay.compile(relay.parse(BLOCK), threads=1)
    rng = np.random.default_rng(0)
    x = rng.integers(-128, 128, (2, 17, 6, 6), np.int8)
    w = rng.integers(-128, 128, (32, 17, 3, 3), np.int8)
    first, same, again, opposite, largest = executable(x, w)
    wanted = expected((6, 17, 32, 3, 1), x, w)
    np.testing.assert_array_equal(first, wanted)
    np.testing.assert_array_equal(again, wanted)
    np.testing.assert_array_equal(opposite, -wanted)
    np.testing.assert_array_equal(same, x)
    np.testing.assert_array_equal(largest, np.argsort(-x.astype(int), 1, kind="stable")[:, :2])
    labels = [step.label for step in executable.profile(x, w, repeats=1).steps]
    assert labels.count("copy to vtasim") == 2
    assert labels.count("copy from vtasim") >= 1


def test_several_threads_may_call_at_once():
    executable = placed(SMALL)
    x, w = inputs(SMALL)
    wanted = expected(SMALL, x, w)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: executable(x, w), range(12)):
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("(1, 32, 14, 14)", "(n, 32, 14, 14)"), "it has dynamic sizes"),
        (("%w: T", "%b: bool, %w: T"), "branches, loops"),
    ],
)
def test_only_plain_dataflow_of_known_sizes_is_placed(change, why):
    source = convolution(SMALL).replace(*change)
    if "bool" in change[1]:
        source = source.replace("  cast(on", "  if (%b) { %x } else { cast(on").replace(
            'dtype="float32")\n}', 'dtype="float32") }\n}'
        )
    with pytest.raises(CompileError, match=why) as caught:
        relay.compile(relay.parse(source))
    assert caught.value.code == "C174"


def test_channels_of_a_result_fill_blocks_or_the_device_has_no_rule(monkeypatch):
    from vtasim import target

    module = relay.parse(BLOCK.replace("(32, 17, 3, 3)", "(20, 17, 3, 3)"))
    with pytest.raises(CompileError) as caught:
        relay.compile(module)
    assert caught.value.code == "C172"
    careless = replace(target.TARGET, layouts=ConvertLayout(lambda call, _: target.blocked(call)))
    monkeypatch.setattr(target, "TARGET", careless)
    with pytest.raises(
        CompileError, match="layouts that the device vtasim prefers change"
    ) as caught:
        relay.compile(module)
    assert caught.value.code == "C175"
