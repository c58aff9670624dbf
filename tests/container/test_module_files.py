"""Modules as files: what is written comes back, and what is damaged is refused."""

import errno
import json
import os
import struct
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import modules, types

import relay
from relay.container.module_file import KIND, pack, unpack
from relay.frontend.load import load_program
from relay.ir.equality import structural_equal
from relay.ir.expr import Call, Constant, Expr, Function, Let, Tuple, Var
from relay.ir.field_validation import Mark
from relay.ir.module import Module
from relay.ir.walk import post_order
from relay.opdef.definition import OperatorDef
from relay.opdef.table import OPERATORS
from relay.prelude import library
from relay.runtime import artefact
from relay.runtime.artefact import Container
from relay.support.errors import ArtefactError, RelayError
from relay.support.node import value

EVERYTHING = """#[version = "0.0.5"]
import "prelude.rly"
type Even[A] { Empty, More(A, Odd[A]), }
type Odd[A] { Less(A, Even[A]), }
def @twice[A](%f: fn (A) -> A, %x: A) -> A { %f(%f(%x)) }
def @main(%x: Tensor[(n, 3), float32], %t: Even[int32]) {
  let %r = ref(2f);
  let %loop = fn (%i: int32) -> int32 { if (%i <= 0) { 0 } else { %loop(%i - 1) } };
  ref_write(%r, ref_read(%r) * 0.1f);
  let %y = @twice(fn (%v: Tensor[(n, 3), float32]) { nn.relu(%v) * ref_read(%r) }, %x);
  let %h = match? (%t) { More(%a, Less(%b, _)) => %a + %b, Empty => %loop(3) };
  %0 = exp(%y);
  (%0, %0, strided_slice(%x, begin=[0, 0], end=[1, 1]), %h, @sum(Cons(%h, Nil)), 3u8, nanf, -inff)
}"""


def there_and_back(module: Module, folder: Path) -> Module:
    relay.save(module, folder / "module.relay")
    return relay.load(folder / "module.relay")


def assert_same(module: Module, again: Module) -> None:
    assert structural_equal(module, again)
    for name, function in module.functions.items():
        pairs = zip(post_order(function), post_order(again[name]), strict=True)
        for expr, other in pairs:
            assert type(expr) is type(other)
            assert repr(expr.ty) == repr(other.ty)
            assert str(expr.span) == str(other.span)


def test_everything_that_the_language_has(tmp_path: Path):
    module = relay.parse(EVERYTHING, "everything.rly")
    again = there_and_back(module, tmp_path)
    assert_same(module, again)
    span = again.main.body.span
    assert span is not None
    assert span.source.line(1) == EVERYTHING.splitlines()[0]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(modules())
def test_random_modules(module: Module):
    assert_same(module, unpack(pack(module)))


@given(types())
def test_every_type_comes_back_as_the_same_object(ty: Any):
    module = Module.of(Function((x := Var("x", ty),), x))
    assert unpack(pack(module)).main.params[0].annotation is ty


def test_every_operator(tmp_path: Path):
    calls: list[Expr] = []
    params: list[Var] = []
    for cls in OPERATORS.values():
        for example in cls.examples if issubclass(cls, OperatorDef) else ():
            args = tuple(Var("x", ty) for ty in example.types)
            params += args
            calls.append(Call(cls(**example.attributes), args))
    module = Module.of(Function(tuple(params), Tuple(tuple(calls))))
    again = there_and_back(module, tmp_path).main.body
    assert isinstance(again, Tuple)
    assert [c.op for c in again.fields if isinstance(c, Call)] == [
        c.op for c in calls if isinstance(c, Call)
    ]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "bfloat16", "float64"])
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3), (40, 50)])
def test_constants_are_mapped(dtype: str, shape: tuple[int, ...], tmp_path: Path):
    data = np.arange(int(np.prod(shape))).reshape(shape).astype(relay.const(0, dtype).data.dtype)
    module = Module.of(
        Tuple(
            (
                Constant(data),
                Constant(data),
                Constant(data[..., :1].copy()) if shape else Constant(data),
            )
        )
    )
    body = there_and_back(module, tmp_path).main.body
    assert isinstance(body, Tuple)
    for field in body.fields[:2]:
        assert isinstance(field, Constant)
        np.testing.assert_array_equal(field.data, data)
        assert field.data.dtype == data.dtype
        assert not field.data.flags.owndata
        assert not field.data.flags.writeable


def test_equal_constants_are_stored_once(tmp_path: Path):
    fields = tuple(Constant(np.ones(100_000, np.float32)) for _ in range(10))
    relay.save(Module.of(Tuple(fields)), tmp_path / "m.relay")
    assert (tmp_path / "m.relay").stat().st_size < 500_000


def test_sharing_is_kept_and_costs_nothing(tmp_path: Path):
    y: Expr = (x := Var("x", relay.TensorType((1,))))
    for _ in range(200):
        y = Call(OPERATORS["add"](), (y, y))
    again = there_and_back(Module.of(Function((x,), y)), tmp_path)
    assert len(post_order(again.main)) == 203
    assert (tmp_path / "module.relay").stat().st_size < 20_000


def test_a_chain_of_20000(tmp_path: Path):
    body: Expr = (x := Var("x", relay.TensorType((2,))))
    for i in range(10_000):
        var = Var("v", body.ty)
        body = Let(var, Call(OPERATORS["nn.relu"](), (body,)), var) if i % 2 else -body
    module = Module.of(Function((x,), body))
    assert structural_equal(there_and_back(module, tmp_path), module)


def test_the_library(tmp_path: Path):
    assert_same(library("nat.rly"), there_and_back(library("nat.rly"), tmp_path))


@value
class _Mark(Mark):
    """Of a pass."""


def test_what_a_pass_tells_of_a_function_is_left_out(tmp_path: Path):
    x = Var("x", relay.TensorType(()))
    module = Module.of(Function((x,), x, attrs={"mark": _Mark(), "kept": (1, 2)}))
    saved = there_and_back(module, tmp_path)
    assert saved.main.attrs == relay.parse(relay.astext(module)).main.attrs == {"kept": (1, 2)}


def test_a_program_without_types(tmp_path: Path):
    with pytest.raises(ArtefactError, match="A011"):
        relay.save(Module.of(Function((x := Var("x"),), x)), tmp_path / "m.relay")


def test_a_compiled_model_is_no_module(tmp_path: Path):
    artefact.write_container(tmp_path / "m.relay", Container("native", {}, ()))
    with pytest.raises(ArtefactError, match="A010"):
        relay.load(tmp_path / "m.relay")
    relay.save(Module.of(relay.const(1)), tmp_path / "m.relay")
    with pytest.raises(ArtefactError, match="A010"):
        relay.Executable.load(tmp_path / "m.relay")


def test_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "m.relay"
    relay.save(Module.of(relay.const(1)), path)
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ArtefactError, match="A009"):
        relay.save(Module.of(relay.const(2)), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@contextmanager
def refused(code: str) -> Generator[None]:
    """What is damaged may still make sense; otherwise it is this error, never another one."""
    try:
        yield
    except ArtefactError as error:
        if error.code != code:
            raise


# Files of enemies: the checksums are right, the contents are not.

SMALL = pack(relay.parse(EVERYTHING, "everything.rly"))


def changed(**body: Any) -> Container:
    return Container(KIND, {**SMALL.body, **body}, SMALL.sections)


@pytest.mark.parametrize(
    "container",
    [
        changed(values=None),
        changed(values=[["int", "3"]]),
        changed(values=[["tuple", 0]]),
        changed(values=[["DimVar"]]),
        changed(values=[["int", 0], ["int", 5], ["FloorDiv", 1, 0]]),
        changed(values=[["int", -5], ["tuple", 0], ["dtype", "int8"], ["TensorType", 1, 2]]),
        changed(values=[["operator", "os.system"]]),
        changed(values=[["operator", "nn.relu", 0]]),
        changed(values=[["Module"]]),
        changed(values=[["tuple"], *(["tuple", i, i] for i in range(60))]),
        changed(values=[["tuple"], *(["tuple", i] for i in range(100_000))]),
        changed(functions={"main": 0}),
        changed(functions={"main": 10**9}),
        changed(functions=[]),
        changed(attrs=10**9),
        changed(nodes=10**9),
        changed(spans=SMALL.body["nodes"]),
        changed(sources=[]),
        changed(types=[{"header": 0, "type_params": [], "constructors": [], "span": 0}]),
    ],
)
def test_a_header_that_makes_no_sense(container: Container):
    with pytest.raises(ArtefactError, match="A006"):
        unpack(container)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_words_that_have_been_changed(data: st.DataObject):
    index = SMALL.body["nodes"]
    words = SMALL.sections[index].view("<u4").copy()
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(words) - 1))
        words[at] = data.draw(st.integers(0, 40) | st.integers(0, 2**32 - 1))
    sections = [*SMALL.sections]
    sections[index] = words.view(np.uint8)
    with refused("A006"):
        unpack(Container(KIND, SMALL.body, tuple(sections)))


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_values_that_have_been_changed(data: st.DataObject):
    values = json.loads(json.dumps(SMALL.body["values"]))
    row = values[data.draw(st.integers(0, len(values) - 1))]
    at = data.draw(st.integers(0, len(row) - 1))
    row[at] = data.draw(st.integers(-2, 60) | st.none() | st.sampled_from(["int", "tuple", "x"]))
    with refused("A006"):
        unpack(changed(values=values))


def test_every_way_to_cut_a_file_off(tmp_path: Path):
    path = tmp_path / "m.relay"
    relay.save(relay.parse(EVERYTHING), path)
    content = path.read_bytes()
    for size in range(0, len(content) - 64, 97):
        path.write_bytes(content[:size])
        with pytest.raises(relay.RelayError, match=r"A00[24]"):
            relay.load(path)


# Parameters

PARAMS = {
    "weight": np.arange(6, dtype=np.float32).reshape(2, 3),
    "größe": np.array(7, np.int64),
    "mask": np.array([True, False]),
    "none": np.zeros((0, 4), np.float16),
}


def assert_same_arrays(found: Any, expected: Any) -> None:
    assert list(found) == list(expected)
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype


def test_parameters(tmp_path: Path):
    assert_same_arrays(relay.load_param_dict(relay.save_param_dict(PARAMS)), PARAMS)
    relay.save_params(PARAMS, tmp_path / "p.params")
    found = relay.load_params(tmp_path / "p.params")
    assert_same_arrays(found, PARAMS)
    assert not found["weight"].flags.owndata


@pytest.mark.parametrize("name", ["p.params", "p.relay", "p"])
def test_save_and_load_take_parameters_too(tmp_path: Path, name: str):
    relay.save(PARAMS, tmp_path / name)
    assert_same_arrays(relay.load(tmp_path / name), PARAMS)
    assert_same_arrays(relay.load_params(tmp_path / name), PARAMS)


def test_parameters_are_no_program(tmp_path: Path):
    relay.save(PARAMS, tmp_path / "p.params")
    with pytest.raises(RelayError, match=r"U003.*no program"):
        load_program(tmp_path / "p.params")


def test_the_classic_bytes_of_parameters():
    data = struct.pack("<QQQQ", 0xF7E58D4F05049CB7, 0, 1, 1) + b"w" + struct.pack("<Q", 1)
    data += struct.pack("<QQii", 0xDD5E40F096B4A13F, 0, 1, 0)
    data += struct.pack("<iBBH", 2, 2, 32, 1) + struct.pack("<qqq", 1, 2, 8)
    data += struct.pack("<ff", 1.5, -2)
    expected = {"w": np.array([[1.5, -2]], np.float32)}
    assert_same_arrays(relay.load_param_dict(data), expected)
    assert relay.save_param_dict(expected) == data


@given(st.data())
def test_damaged_parameters(data: st.DataObject):
    content = bytearray(relay.save_param_dict(PARAMS))
    if data.draw(st.booleans()):
        content = content[: data.draw(st.integers(0, len(content) - 1))]
    for _ in range(data.draw(st.integers(0, 3))):
        if content:
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with refused("A012"):
        relay.load_param_dict(bytes(content))
