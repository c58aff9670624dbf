"""The programs of the benchmarks compute what their references say in every engine."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.contenders.case import Case
from benchmarks.harness import relative_error
from benchmarks.programs import catalogue, forest, sizes
from benchmarks.programs.beam_search import case as beam_search
from benchmarks.programs.char_rnn import case as char_rnn
from benchmarks.programs.engines import relay as ours
from benchmarks.programs.newton import case as newton
from benchmarks.programs.recurrent import case as recurrent
from benchmarks.programs.selective_scan import case as selective_scan
from benchmarks.programs.tree_lstm import case as tree_lstm
from benchmarks.programs.workload import Workload

HEADS = ((2, 0, 2, 3), (0,), (3, 3, 0, 3, 4, 4, 3))


def _workloads() -> list[Workload]:
    cells = [
        Workload(f"{cell}_{layers}", "recurrent", recurrent.Sizes(cell, 5, 7, layers, length=4))
        for cell, layers in (("rnn", 1), ("gru", 1), ("lstm", 1), ("gru", 2), ("lstm", 2))
    ]
    return [
        *cells,
        Workload("sentences", "recurrent", recurrent.Sizes("lstm", 5, 7, 2), dynamic=True),
        Workload("char_rnn", "char_rnn", char_rnn.Sizes(9)),
        Workload("tree_lstm", "tree_lstm", tree_lstm.Sizes(5, 7, words=11), dynamic=True),
        Workload("scan", "selective_scan", selective_scan.Sizes(9, 8, 4, 3)),
        Workload("beam_search", "beam_search", beam_search.Sizes(3, 11, 5, 8, 6)),
        Workload("newton_scalar", "newton", newton.Sizes()),
        Workload("newton_vector", "newton", newton.Sizes(3)),
    ]


WORKLOADS = {workload.name: workload for workload in _workloads()}


@pytest.fixture(autouse=True)
def few_sentences(monkeypatch: pytest.MonkeyPatch):
    for module in (recurrent, tree_lstm):
        monkeypatch.setattr(module, "sentences", lambda _: list(HEADS))
    monkeypatch.setattr(catalogue, "WORKLOADS", WORKLOADS)


def error(engine: Any, workload: Workload) -> float:
    feeds = workload.case.inputs(workload.sizes)
    call = engine.load(Case(None, Path(), network=workload.name))(feeds)
    return relative_error([np.asarray(y) for y in call()], workload.expected())


@pytest.mark.parametrize("name", WORKLOADS)
def test_relay(name: str):
    assert error(ours, WORKLOADS[name]) < 2e-6


@pytest.mark.torch
@pytest.mark.parametrize("name", WORKLOADS)
def test_pytorch(name: str):
    pytest.importorskip("torch")
    from benchmarks.programs.engines import torch

    assert error(torch, WORKLOADS[name]) < 2e-6


@pytest.mark.onnx
@pytest.mark.parametrize("name", [name for name in WORKLOADS if name != "tree_lstm"])
def test_onnx_runtime(name: str):
    pytest.importorskip("onnxruntime")
    from benchmarks.programs.engines import ort

    assert error(ort, WORKLOADS[name]) < 2e-6


@pytest.mark.slow
@pytest.mark.parametrize("name", WORKLOADS)
def test_jax(name: str):
    pytest.importorskip("jax")
    from benchmarks.programs.engines import jax

    assert error(jax, WORKLOADS[name]) < 2e-6


@pytest.mark.parametrize("case", sizes.CASES, ids=lambda case: case[0])
def test_open_sizes(case: sizes.Case):
    _, model, shape_of = case
    shapes = [shape_of(size, other) for size, other in ((1, 16), (3, 2))]
    assert sizes.largest_error(model, ours.compile_program(model, threads=1), shapes) < 2e-6


def test_a_forest_is_its_trees():
    for name, way in forest.programs(WORKLOADS["tree_lstm"]).items():
        assert relative_error(way(), WORKLOADS["tree_lstm"].expected()) < 2e-6, name


def test_units_are_counted():
    tree, sentences = WORKLOADS["tree_lstm"], WORKLOADS["sentences"]
    assert tree.case.units(tree.sizes) == 12
    assert sentences.case.units(sentences.sizes) == 12
    one = replace(sentences.sizes, length=9)
    assert sentences.case.units(one) == 1


def test_another_length_has_a_name():
    assert catalogue.workload("lstm_2@9").sizes.length == 9
    assert catalogue.workload("lstm_2").sizes.length == 4


def test_an_omission_is_told():
    workload = replace(WORKLOADS["tree_lstm"], omissions={"onnx": "no trees"})
    with pytest.raises(LookupError, match="no trees"):
        workload.build("onnx")
