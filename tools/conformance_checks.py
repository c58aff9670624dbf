"""The checks of `make conformance`: names, commands, and the packages that they need."""

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
COUNT = int(os.environ.get("CASES", "200"))
"""The number of cases that each generator draws here; `benchmarks/results` records longer runs."""

EVERY = os.environ.get("EVERY", "")
"""With a number n, only every n-th test of a check runs, for machines that have no time for all."""

TABLES = {
    "chains": "chains",
    "compositions": "derivatives",
    "gradients": "derivatives",
    "passes": "passes",
}
"""The tables of generators in benchmarks/results."""

NOT_YET = "not run yet"
ELSEWHERE = "long runs are in"
"""The beginning of the result of a check whose long runs are in another table."""


@dataclass(frozen=True)
class Check:
    """A command, and the packages that it needs."""

    name: str
    command: tuple[str, ...]
    needs: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    otherwise: str = "no such Python here"
    """The reason why there is no command."""
    table: str = ""
    """The table of benchmarks/results in which long runs of the same tool are recorded."""

    @property
    def not_run(self) -> str:
        """Return the line of a check that was not run."""
        if not self.table:
            return f"| {self.name} | {NOT_YET} | – | – | – | – |"
        path = f"benchmarks/results/{self.table}.md"
        said = f"{ELSEWHERE} [{self.table}.md](../{path})"
        day, commit = (git("log", "-1", "--format=%as %h", "--", path) or "– –").split()
        return f"| {self.name} | {said} | – | {day} | {commit} | – |"


def checks() -> Iterator[Check]:
    """Yield all checks, cheap ones first."""
    for python in PYTHONS:
        yield Check(f"wheel on Python {python}", wheel_command(python), ("build",))
    yield Check("slow tests", pytest("-m", "slow"), ("torch", "scikit-learn"))
    optimised = (("OPTIMISED_VALUES", "1"),)
    yield Check(
        "values of optimised programs", pytest("-m", "values and not slow"), ("torch",), optimised
    )
    yield Check("functions of JAX", pytest("-m", "jax"), ("jax",))
    yield Check("modules of PyTorch", pytest("-m", "torch"), ("torch",))
    yield Check(
        "networks of Keras",
        tool("keras_models.py", "compare"),
        ("keras", "jax", "h5py"),
        (("KERAS_BACKEND", "jax"),),
    )
    yield Check(
        "networks of TensorFlow",
        tool("tensorflow_networks.py", "compare"),
        ("keras", "tensorflow-cpu"),
    )
    yield Check(
        "networks of MXNet's zoo",
        mxnet_command(),
        otherwise="MXNET_NETWORKS is to name a folder of networks",
        table="mxnet_networks",
    )
    yield Check(
        "networks of torchvision and transformers",
        tool("torch_models.py"),
        ("torch", "torchvision", "transformers"),
        table="torch_models",
    )
    yield Check(
        "models of TensorFlow Lite against LiteRT",
        lite_command(),
        ("tflite", "ai-edge-litert"),
        otherwise="LITE_MODELS is to name a folder of models",
    )
    yield Check(
        "a language model against transformers",
        language_command(),
        ("torch", "transformers", "gguf", "accelerate"),
        otherwise="LANGUAGE_MODEL is to name a .gguf file",
        table="language_model",
    )
    exported = tool("language_models.py")
    yield Check("exported language models against PyTorch", exported, ("torch", "onnxscript"))
    yield Check("the C runtime under sanitizers", ("make", "sanitize"))
    sanitized = functools.partial(tool, "sanitize_programs.py")
    programs = sanitized("programs", "--count", str(COUNT))
    yield Check("random programs under sanitizers", programs, table="robustness")
    for case in ("callers", "interrupts", "fork", "faults", "tests"):
        yield Check(f"{case} under sanitizers", sanitized(case))
    for what in ("artefacts", "models"):
        flips = tool("flip_bits.py", what, "--count", str(COUNT))
        yield Check(f"bits flipped in {what}", flips, ("onnxruntime",), table="robustness")
    yield Check("suite of the ONNX standard", tool("onnx_suite.py"), ("onnx",))
    yield Check(
        "samples of PyTorch's operators",
        tool("torch_operators.py"),
        ("torch", "expecttest"),
        table="torch_operators",
    )
    yield Check(
        "pipelines of scikit-learn", tool("sklearn_models.py"), ("scikit-learn", "skl2onnx")
    )
    for fuzzer in sorted((ROOT / "tools").glob("fuzz_*.py")):
        name = fuzzer.stem.removeprefix("fuzz_")
        command = tool(fuzzer.name, "--count", str(COUNT))
        yield Check(f"random {name}", command, table=TABLES.get(name, ""))


def tool(name: str, *arguments: str) -> tuple[str, ...]:
    """Return the command that runs a tool."""
    return (sys.executable, str(ROOT / "tools" / name), *arguments)


def pytest(*arguments: str) -> tuple[str, ...]:
    """Return the command that runs tests."""
    sample = ("--every", EVERY) if EVERY else ()
    return (sys.executable, "-m", "pytest", "-q", "-rs", "-n", "auto", *sample, *arguments)


def wheel_command(version: str) -> tuple[str, ...]:
    """Return the command that checks the wheel with a version of Python, or nothing without it."""
    found = python_of(version)
    return () if found is None else tool("check_wheel.py", "--python", found)


def python_of(version: str) -> str | None:
    """Return a Python interpreter of a version from the path or from pyenv.

    None if there is none.
    """
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    own = sorted(versions.glob(f"{version}.*/bin/python"))
    on_path = shutil.which(f"python{version}")
    found = (
        [sys.executable] if version == f"{sys.version_info.major}.{sys.version_info.minor}" else []
    )
    return next(iter([*found, *map(str, own), *([on_path] if on_path else [])]), None)


def lite_command() -> tuple[str, ...]:
    """Return the command that compares the models in the folder `LITE_MODELS`, if it is named."""
    folder = os.environ.get("LITE_MODELS")
    paths = sorted(Path(folder).glob("*.tflite")) if folder else []
    return tool("tflite_compare.py", *map(str, paths)) if paths else ()


def mxnet_command() -> tuple[str, ...]:
    """Return the command that compares the networks in `MXNET_NETWORKS`, if it is named."""
    folder = os.environ.get("MXNET_NETWORKS")
    return tool("compare_mxnet.py", folder) if folder else ()


def language_command() -> tuple[str, ...]:
    """Return the command that compares the model in the file `LANGUAGE_MODEL`, if it is named."""
    path = os.environ.get("LANGUAGE_MODEL")
    return tool("compare_language_model.py", path, "--rounds", "1") if path else ()


def git(*arguments: str) -> str:
    """Return what git prints about this checkout, or "" if it is none."""
    if shutil.which("git") is None:
        return ""
    command = ("git", "-C", str(ROOT), *arguments)
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
