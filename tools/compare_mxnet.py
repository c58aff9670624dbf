"""Compare networks that `tools/mxnet_models.py` wrote with the results of MXNet stored with them.

python tools/compare_mxnet.py FOLDER [--write]

Prints a row for each network: the largest difference, divided by the largest element, and the
processor seconds of its import. `--write` writes the page `benchmarks/results/mxnet_networks.md`.
"""

import subprocess
import sys
from pathlib import Path
from time import process_time

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
import relay

ENDING = "-symbol.json"
PAGE = Path(__file__).parents[1] / "benchmarks/results/mxnet_networks.md"
HEAD = """\
# Networks of MXNet's zoo

`python tools/mxnet_models.py FOLDER zoo` with MXNet 1.9.1 on Python 3.8, which writes networks of
`gluon.model_zoo` with random weights and MXNet's results; then
`python tools/compare_mxnet.py FOLDER --write`, at {revision}.

| network | difference, relative to the largest element | processor seconds of the import |
|---|---|---|
"""


def compare(path: Path) -> str:
    """Return the row of one network with one input."""
    name = path.name.removesuffix(ENDING)
    saved = np.load(path.with_name(f"{name}.npz"))
    data, wanted = saved["input_0"], saved["output_0"]
    begin = process_time()
    module = relay.load(path, shapes={"data": data.shape})
    seconds = process_time() - begin
    if np.isnan(wanted).all():
        return f"| {name} | MXNet's own results are NaN | {seconds:.2f} |"
    found = np.asarray(relay.compile(module)(data))
    error = np.abs(found - wanted).max() / np.abs(wanted).max()
    return f"| {name} | {error:.1e} | {seconds:.2f} |"


def main(folder: Path, *, write: bool) -> None:
    """Print the rows of the networks in a folder, and write the page if asked to."""
    rows: list[str] = []
    for each in sorted(folder.glob(f"*{ENDING}")):
        rows.append(compare(each))
        print(rows[-1], flush=True)
    if write:
        command = ["git", "rev-parse", "--short=8", "HEAD"]
        revision = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        PAGE.write_text(HEAD.format(revision=revision.strip()) + "\n".join(rows) + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), write="--write" in sys.argv)
