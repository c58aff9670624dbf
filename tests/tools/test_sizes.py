from pathlib import Path

import pytest

from tools.sizes import Size, functions, main, summary, too_long


def test_docstring_and_decorators_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "one.py"
    path.write_text('@cache\ndef f(x):\n    """Two\n    lines.\n    """\n    y = x\n    return y\n')
    ((lines, where),) = functions(path)
    assert where.endswith("one.py:2 f")
    assert lines == 3  # the signature and two statements


def test_the_summary_shows_the_distribution() -> None:
    line = summary("files", [Size(lines, f"f{lines}") for lines in range(1, 11)])
    assert " ".join(line.split()) == "files 10 55 lines p50 6 p90 10 max 10 f10"
    assert "max    0" in summary("files", [])


def test_only_what_is_above_the_limit_is_too_long() -> None:
    assert too_long([Size(80, "a"), Size(81, "b")], 80) == ["b: 81 lines, limit 80"]


@pytest.mark.parametrize(("lines", "status"), [(80, 0), (81, 1)])
def test_the_program_fails_above_the_limit(
    tmp_path: Path, lines: int, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "    pass\n" * (lines - 1)
    (tmp_path / "long.py").write_text(f"def f():\n{body}")
    assert main([str(tmp_path)]) == status
    assert ("limit 80" in capsys.readouterr().out) == bool(status)
