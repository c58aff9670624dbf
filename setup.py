"""What pyproject.toml cannot say: the wheel holds the errors that `relay explain` prints."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithErrors(build_py):
    """Copy `docs/errors.md` into the package; an editable install reads it where it is."""

    def run(self) -> None:
        """Build the package."""
        super().run()
        if not self.editable_mode:
            page = Path("docs/errors.md").read_text(encoding="utf-8")
            target = Path(self.build_lib, "relay", "cli", "errors.md")
            target.write_text(page, encoding="utf-8")


setup(cmdclass={"build_py": BuildWithErrors})
