"""Relay without the packages that a compiled model does not need."""

import subprocess
import sys

import pytest

from relay.support.import_lazily import import_lazily

WITHOUT = "import sys\nsys.modules[{!r}] = None\n"

NAMED = """
import relay
try:
    {}
except relay.RelayError as error:
    assert isinstance(error, ImportError)
    print(error)
"""


def ran(missing: str, program: str) -> subprocess.CompletedProcess[str]:
    """Run a Python program that cannot import the package `missing`."""
    command = [sys.executable, "-c", WITHOUT.format(missing) + program]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize(
    ("missing", "package", "line"),
    [
        ("ml_dtypes", "ml-dtypes", "relay.parse"),
        ("ml_dtypes", "ml-dtypes", "relay.load"),
        ("ml_dtypes", "ml-dtypes", "relay.nn.relu"),
        (
            "ml_dtypes",
            "ml-dtypes",
            "from relay.support.dtype import dtype; dtype('bfloat16').numpy",
        ),
        ("onnx", "onnx", "relay.load(b'')"),
    ],
)
def test_the_error_names_the_package(missing: str, package: str, line: str):
    done = ran(missing, NAMED.format(line))
    assert "error[U024]" in done.stdout, done.stderr
    assert f"pip install {package}" in done.stdout


@pytest.mark.parametrize("arguments", ["['run', 'x.relay', '--random']", "['check', 'x.onnx']"])
def test_commands_print_the_error_without_colours(arguments: str):
    done = ran("rich", f"from relay.cli.main import main\nsys.exit(main({arguments}))")
    assert done.returncode == 1
    assert done.stderr.startswith("error[U024]")
    assert "pip install rich" in done.stderr


def test_other_missing_modules_are_errors_of_python():
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        import_lazily("relay.no_such_module")
