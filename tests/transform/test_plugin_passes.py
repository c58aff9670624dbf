"""Passes of other packages have names, and run in compilations that require them."""

from importlib.metadata import EntryPoint, EntryPoints
from typing import Any

import numpy as np
import pytest

import relay as typed
from relay.build.pipeline import optimize
from relay.cli.main import main
from relay.ir.dataflow import Found, operators, wildcard
from relay.ir.expr import Call, Expr
from relay.ops.elementwise import Abs, Negative
from relay.support.errors import RelayError
from relay.support.node import value
from relay.targets.registry import target_for
from relay.transform import plugin_passes
from relay.transform.compilers import external_compiler
from relay.transform.parse_passes import pass_names, passes_of
from relay.transform.pass_context import PassContext
from relay.transform.rewriting import RewritePass, Rule

relay: Any = typed
TEXT = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(2), float32]) { abs(negative(%x)) }'
X = wildcard()
OF_NEGATIVE = operators(Abs)(operators(Negative)(X))


@value
class AcmeSigns(RewritePass):
    """Drop signs under absolute values."""

    limit: int = 3

    def rules(self) -> tuple[Rule, ...]:
        return (Rule(OF_NEGATIVE, _inside),)


def _inside(found: Found) -> Expr:
    return Call(Abs(), (found[X],))


@value
class Unready(RewritePass):
    """A pass whose option has no default."""

    factor: int

    def rules(self) -> tuple[Rule, ...]:
        return ()


def provide(monkeypatch, value: str) -> None:
    entry = EntryPoint("acme", f"{__name__}:{value}", plugin_passes.GROUP)
    monkeypatch.setattr(plugin_passes, "entry_points", lambda **_: EntryPoints([entry]))


def operators_of(executable: Any) -> list[str]:
    return [step.label for step in executable.profile(np.ones(2, np.float32), repeats=1).steps]


def test_a_pass_of_a_package_has_a_name(monkeypatch):
    provide(monkeypatch, "AcmeSigns")
    assert pass_names()["acme-signs"] == ["acme"]
    assert "acme" not in pass_names()
    (found,) = passes_of("acme-signs{limit=5}")
    assert [found] == passes_of("acme{limit=5}") == [AcmeSigns(5)]


def test_a_compilation_runs_it_if_required(monkeypatch):
    provide(monkeypatch, "AcmeSigns")
    module = typed.parse(TEXT)
    assert operators_of(relay.compile(module)) == ["negative+abs"]
    for level in (1, 3):
        with PassContext(level, required_pass=["AcmeSigns"]):
            assert operators_of(relay.compile(module)) == ["abs"]


def test_a_pass_that_is_required_and_disabled_does_not_run(monkeypatch):
    provide(monkeypatch, "AcmeSigns")
    with PassContext(required_pass=["AcmeSigns"], disabled_pass=["AcmeSigns"]):
        assert operators_of(relay.compile(typed.parse(TEXT))) == ["negative+abs"]
    with PassContext(required_pass=["acme", "AcmeSigns"]) as by_entry:
        assert [*map(type, optimize(target_for(None), by_entry))].count(AcmeSigns) == 1
    with PassContext(required_pass=["AcmeSigns"], disabled_pass=["acme"]):
        assert operators_of(relay.compile(typed.parse(TEXT))) == ["negative+abs"]
    both = PassContext(required_pass=["FoldConstant"], disabled_pass=["FoldConstant"])
    assert not both.wants("FoldConstant", 2)


@pytest.mark.parametrize("value", ["TEXT", "provide", "NotThere"])
def test_an_unusable_pass_is_named_if_it_is_used(value: str, monkeypatch, capsys):
    provide(monkeypatch, value)
    assert passes_of("ToGraphForm")
    assert main(["opt", "--list"]) == 0
    assert f"warning: an installed package provides the pass 'acme' as {__name__}:{value}" in (
        capsys.readouterr().err
    )
    for name in ("acme", value):
        with pytest.raises(RelayError) as found, PassContext(required_pass=[name]):
            relay.compile(typed.parse(TEXT))
        assert found.value.code == "U323"


def test_an_external_compiler_that_cannot_be_imported_is_named(monkeypatch):
    entry = EntryPoint("gone", "acme_nomod:x", external_compiler.GROUP)
    monkeypatch.setattr(external_compiler, "entry_points", lambda **_: EntryPoints([entry]))
    with pytest.raises(RelayError, match=r"(?s)U323.*'gone'.*No module named 'acme_nomod'"):
        relay.compile(typed.parse(TEXT), compilers=["gone"])


def test_a_required_pass_without_its_options_is_an_error(monkeypatch):
    provide(monkeypatch, "Unready")
    with (
        pytest.raises(RelayError, match=r"(?s)U321.*factor"),
        PassContext(required_pass=["Unready"]),
    ):
        relay.compile(typed.parse(TEXT))
