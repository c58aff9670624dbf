"""Compare networks that `tools/mxnet_models.py` wrote with the results of MXNet stored with them.

python tools/compare_mxnet.py FOLDER

Prints a line for each network: the largest difference, divided by the largest element.
"""

import sys
from pathlib import Path
from time import perf_counter

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
import relay

ENDING = "-symbol.json"


def compare(path: Path) -> str:
    """Return the output line for one network with one input."""
    name = path.name.removesuffix(ENDING)
    saved = np.load(path.with_name(f"{name}.npz"))
    data, wanted = saved["input_0"], saved["output_0"]
    begin = perf_counter()
    module = relay.load(path, shapes={"data": data.shape})
    seconds = perf_counter() - begin
    found = np.asarray(relay.compile(module)(data))
    error = np.abs(found - wanted).max() / np.abs(wanted).max()
    return f"{name:<20}{error:10.1e}{seconds:8.2f} s to load"


if __name__ == "__main__":
    for each in sorted(Path(sys.argv[1]).glob(f"*{ENDING}")):
        print(compare(each), flush=True)
