from pathlib import Path

import pytest

from tools import errors

SECTION = "## T{:03}: a title\n\nText.\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one code, explained and tested."""
    for folder in ("relay/support", "relay/cli", "docs/errors.d", "tests"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "relay" / "one.py").write_text("raise RelayTypeError(ErrorCode.T001, 'no')\n")
    declare(tmp_path, 1)
    (tmp_path / "docs" / "errors.d" / "T.md").write_text(SECTION.format(1))
    (tmp_path / "tests" / "test_one.py").write_text('assert error.code == "T001"\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def declare(project: Path, *codes: int) -> None:
    members = [f'    T{code:03} = "T{code:03}"\n' for code in codes]
    path = project / "relay" / "support" / "error_codes.py"
    path.write_text("".join(["class ErrorCode(StrEnum):\n", *members]))


def test_a_code_that_nothing_raises(project: Path) -> None:
    declare(project, 1, 3)
    assert errors.complaints() == ["T003: declared, but nothing raises it"]


def test_nothing_to_say(project: Path) -> None:
    assert errors.complaints() == []
    assert errors.main([]) == 0
    assert errors.main(["--check"]) == 0


def test_a_code_without_section_or_test(project: Path) -> None:
    (project / "relay" / "two.py").write_text("raise RelayTypeError(ErrorCode.T002, 'no')\n")
    declare(project, 1, 2)
    (complaint,) = errors.complaints()
    assert complaint.startswith("T002: raised, but has no section")
    assert "no test names it" in complaint


def test_a_section_that_nothing_raises(project: Path) -> None:
    (project / "docs" / "errors.d" / "T.md").write_text(SECTION.format(1) + SECTION.format(9))
    assert errors.complaints() == ["T009: has a section, but nothing raises it"]


def test_two_sections_of_one_code(project: Path) -> None:
    (project / "docs" / "errors.d" / "T.md").write_text(SECTION.format(1) * 2)
    assert errors.complaints() == ["T001: has several sections"]


def test_the_page_is_in_the_order_of_phases_and_codes(project: Path) -> None:
    (project / "docs" / "errors.d" / "P.md").write_text("## P001: a title\n\nText.\n")
    (project / "docs" / "errors.d" / "T.md").write_text(SECTION.format(10) + SECTION.format(2))
    assert errors.CODE.findall(errors.page().split("-->")[1])[1:] == ["P001", "T002", "T010"]


def test_a_stale_page_fails_the_check(project: Path) -> None:
    assert errors.main(["--check"]) == 1
