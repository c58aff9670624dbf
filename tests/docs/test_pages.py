"""The documentation points at things that exist."""

import re
import tomllib
from pathlib import Path

import pytest

import relay
from relay.runtime.host_compilation import runtime_texts

ROOT = Path(__file__).parents[2]
LAYERS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
    "importlinter"
]
ROOMS = {f"relay.{name}" for name in re.findall(r"\w+", str(LAYERS["contracts"][0]["layers"]))}
FRONT_DOOR = {f"relay.{name}" for name in dir(relay)}
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
CODE = re.compile(r"(?ms)^```.*?^```|`[^`\n]+`")
MODULE = re.compile(r"`(relay(?:\.[a-z_0-9]+)+)`")


def identify(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=identify)
def test_links_lead_somewhere(page: Path) -> None:
    targets = LINK.findall(CODE.sub("", page.read_text(encoding="utf-8")))
    assert [link for link in targets if not (page.parent / link).exists()] == []


_NAMES = ("classic-names.md", "derivatives.md")
"""Pages of names that need not be those of modules; tests of their own read them."""

NAMING = [page for page in PAGES if page.name not in _NAMES]


@pytest.mark.parametrize("page", NAMING, ids=identify)
def test_modules_exist(page: Path) -> None:
    named = MODULE.findall(page.read_text(encoding="utf-8"))
    assert [name for name in named if not _exists(name)] == []


def _exists(name: str) -> bool:
    """Whether a dotted name is a room, a module, something it defines, or what `relay` answers."""
    path = ROOT.joinpath(*name.split("."))
    homes = (path.parent.with_suffix(".py"), path.parent / "__init__.py")
    defines = any(
        home.is_file() and path.name in home.read_text(encoding="utf-8") for home in homes
    )
    is_module = path.is_dir() or path.with_suffix(".py").is_file()
    return name in ROOMS | FRONT_DOOR or is_module or defines or _is_answered(name)


def _is_answered(name: str) -> bool:
    found: object = relay
    for part in name.split(".")[1:]:
        found = getattr(found, part, None)
    return found is not None


def test_the_map_shows_every_room() -> None:
    named = set(MODULE.findall((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")))
    assert {f"relay.{path.parent.name}" for path in ROOT.glob("relay/*/__init__.py")} <= named


def test_the_platforms_are_those_of_the_runtime() -> None:
    page = (ROOT / "docs" / "support.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:aarch64|riscv64|wasm32|x86_64)[\w-]*)`", page)
    assert sorted(named) == sorted(runtime_texts("layout"))
