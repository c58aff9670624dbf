"""Both ways across the border: natively, and in Python."""

import functools
from collections.abc import Callable
from typing import Any

import pytest

import relay
from relay.runtime.call_boundary.native_boundary import native_cross

HEAD = '#[version = "0.0.5"]\n'
Compile = Callable[[str], Any]


@pytest.fixture(params=["native", "python"])
def way(request: pytest.FixtureRequest) -> str:
    """Return the way in which calls cross the border; `compiled` has them do so."""
    return request.param


@pytest.fixture
def compiled(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Compile:
    """Return what compiles a program's text; where a test has no `way`, it is the native one."""
    both = "way" in request.fixturenames
    in_python = both and request.getfixturevalue("way") == "python"
    if not in_python and native_cross() is None:
        pytest.skip("this interpreter has no native border")

    def compile_(text: str) -> Any:
        made = compiled_once(text)
        if in_python:
            monkeypatch.setattr(made, "_cross", None)
        return made

    return compile_


@functools.cache
def compiled_once(text: str) -> Any:
    return relay.compile(relay.parse(HEAD + text), threads=1)


@pytest.fixture
def natively(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], Any]:
    """Return what makes an executable fail where it would go the way through Python."""

    def only(executable: Any) -> Any:
        def refuse(*_: Any) -> Any:
            raise AssertionError("the call went through Python")

        monkeypatch.setattr(executable, "_called", refuse)
        return executable

    return only
