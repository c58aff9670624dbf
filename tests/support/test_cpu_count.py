"""How many CPUs: affinity and quotas, in both versions of control groups."""

import os

import pytest

from relay.support.cpu_count import available_cpus


@pytest.fixture
def host(tmp_path, monkeypatch):
    """Return a function that pretends files of the system, and counts CPUs there."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)

    def count(membership: str, **files: str) -> int:
        (tmp_path / "membership").write_text(membership)
        for name, text in files.items():
            path = tmp_path / "cgroup" / name.replace("__", "/").replace("_dot_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return available_cpus(tmp_path / "cgroup", tmp_path / "membership")

    return count


def test_affinity_bounds(host):
    assert host("") == 8


def test_version_2(host):
    assert host("0::/job\n", job__cpu_dot_max="250000 100000\n") == 3
    assert host("0::/job\n", job__cpu_dot_max="max 100000\n") == 8
    assert host("0::/job\n", job__cpu_dot_max="1000 100000\n") == 1


def test_a_parent_may_be_tighter(host):
    assert host("0::/a/b\n", a__cpu_dot_max="200000 100000", a__b__cpu_dot_max="max 100000") == 2


def test_version_1(host):
    folder = "cpu,cpuacct__job__cpu_dot_cfs_"
    files = {f"{folder}quota_us": "400000", f"{folder}period_us": "100000"}
    assert host("3:cpu,cpuacct:/job\n2:memory:/other\n", **files) == 4
    files[f"{folder}quota_us"] = "-1"
    assert host("3:cpu,cpuacct:/job\n", **files) == 8


@pytest.mark.parametrize("nonsense", ["x", "::", "0::", "a\nb:c", "0::/../../etc\n"])
def test_nonsense_is_ignored(host, nonsense):
    assert host(nonsense) == 8
