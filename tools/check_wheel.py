"""Build the wheel and the source distribution, install the wheel in clean environments, and use it.

    python tools/check_wheel.py                      for the Python that runs this
    python tools/check_wheel.py --python python3.13  for another one

The wheel is built from the source distribution, so that this proves both. Two environments are
made: one with NumPy and llvmlite only, where `relay.runtime` runs a file that was compiled before,
and a complete one, where a model is imported, compiled, saved, and run by the command. Prints the
size of the wheel and the time of `import relay`; exits with 1 if something fails. It needs the
extra `dev`.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
LARGEST = 3_500_000
"""The largest allowed size of a wheel, in bytes; docs/decisions/0017 says why."""

IMPORT = 0.1
"""The largest allowed processor time of `import relay`, in seconds."""

RUNTIME = ("numpy", "llvmlite")
"""The packages that a compiled model needs."""

ARTEFACT = """
import sys, numpy as np, relay
text = '#[version = "0.0.5"] def @main(%x: Tensor[(2, 3), float32]) { nn.relu(%x) + 1f }'
relay.compile(relay.parse(text)).save(sys.argv[1])
"""

RUN = """
import sys, numpy as np
from relay.runtime import Executable
found = Executable.load(sys.argv[1])(np.array([[-1, 0, 1], [2, -3, 4]], np.float32))
assert found.tolist() == [[1, 1, 2], [3, 1, 5]], found
assert not {"ml_dtypes", "onnx", "rich"} & sys.modules.keys()
"""

SMOKE = """
import sys, pathlib, subprocess, numpy as np, onnx, relay
from onnx import TensorProto, helper
ports = [[helper.make_tensor_value_info(n, TensorProto.FLOAT, ["n", 3])] for n in "xy"]
graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", *ports)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), "m.onnx")
x = np.array([[-1, 0, 1]], np.float32)
assert relay.compile(relay.load("m.onnx"))(x).tolist() == [[0, 0, 1]]
slope = relay.grad(relay.parse('#[version = "0.0.5"] def @main(%x: float32) { %x * %x }'))
assert relay.compile(slope)(3.0) == 6.0
p = relay.Prelude()
assert p.mod["map"] is not None
command = pathlib.Path(sys.executable).with_name("relay")
for line in ("--version", "explain T012", "compile m.onnx -o m.relay", "run m.relay --random"):
    subprocess.run([command, *line.split()], check=True, stdout=subprocess.DEVNULL)
assert "site-packages" in relay.__file__
"""

TIME = "import time; s = time.process_time(); import relay; print(time.process_time() - s)"


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """Run a command without this checkout on its path, and return its output."""
    clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, env=clean, text=True, capture_output=True, check=False
    )
    if done.returncode:
        shown = " ".join(map(str, command))[:200]
        raise SystemExit(f"{shown} failed:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def environment(python: str, folder: Path) -> Path:
    """Make a virtual environment, and return its Python."""
    run(python, "-m", "venv", folder)
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def install(python: Path, *what: str | Path) -> None:
    """Install into an environment; only wheels, so that nothing is compiled."""
    options = ("--quiet", "--disable-pip-version-check", "--no-compile", "--only-binary", ":all:")
    run(python, "-m", "pip", "install", *options, *what)


def built(python: Path, folder: Path) -> Path:
    """Build the source distribution, and the wheel from it; return the wheel."""
    run(python, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    (wheel,) = folder.glob("*.whl")
    size = wheel.stat().st_size
    print(f"{wheel.name}: {size / 1e6:.2f} MB")
    if size > LARGEST:
        raise SystemExit(f"the wheel is larger than {LARGEST / 1e6:.1f} MB")
    return wheel


def check(python: str, folder: Path) -> None:
    """Build, install and use the distribution with one Python."""
    artefact = folder / "m.relay"
    subprocess.run(
        [sys.executable, "-c", ARTEFACT, artefact],
        check=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    wheel = built(Path(sys.executable), folder / "dist")
    clean = environment(python, folder / "clean")
    install(clean, "--no-deps", wheel)
    install(clean, *RUNTIME)
    run(clean, "-c", RUN, artefact, cwd=folder)
    print("relay.runtime runs a compiled model with", " and ".join(RUNTIME))
    install(clean, wheel)
    run(clean, "-c", SMOKE, cwd=folder)
    seconds = min(float(run(clean, "-c", TIME, cwd=folder)) for _ in range(3))
    print(f"smoke test passed; import relay takes {seconds * 1e3:.0f} ms")
    if seconds > IMPORT:
        raise SystemExit(f"import relay takes longer than {IMPORT * 1e3:.0f} ms")


def main() -> None:
    """Check the distribution with the Python of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable, help="whose environment is tested")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        check(options.python, Path(folder))


if __name__ == "__main__":
    main()
