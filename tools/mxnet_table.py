"""Write docs/mxnet-operators.md: all operators of MXNet 1.9.1, and Relay's support.

`python tools/mxnet_table.py` writes the page; `--check` only compares. `mxnet_operators.txt` has
the names of the operators, as MXNet registers them and writes them to files. `REASONS` must match
each operator without a translation, and no other.
"""

import sys
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay and tools are those of this checkout
from relay.frontend.mxnet.load import translated_mxnet_operators
from tools.pages import write_or_check

PAGE = Path("docs/mxnet-operators.md")
NAMES = Path(__file__).with_suffix("").with_name("mxnet_operators.txt")

INTRODUCTION = """\
<!-- Written by tools/mxnet_table.py. -->

# Operators of MXNet

MXNet 1.9.1 has {count} operators besides gradients. Relay translates {translated} of them; for each
of the others, the table gives the reason. Files name an operator as the table does, whatever
function of Python made it: `mx.sym.concat` is `Concat`, and `mx.np.mean` is `_npi_mean`. If Relay
does not support an attribute of an operator that it translates, an error names it (`F062`).

Relay also knows {older} names of older versions: {names}.

| operator | translation, or the reason why there is none |
|---|---|
{rows}
"""

TRAINING = "no: it is a step of an optimiser, which models do not contain"
RANDOM = "no: random numbers are not drawn in the program: make them an input of the model"
INTERNAL = "no: MXNet uses it only inside of itself"
QUANTISED = "no: only models that MXNet quantised for MKL-DNN contain it"
GRAPHS = "no: it samples graphs, which are sparse matrices"
FILES = "no: it reads or resizes image files with OpenCV: prepare images before the model"
ARRAYS = "no: it changes arrays in place, outside of networks"
RARE = "no: rare; a function in `custom_convert_map` can translate it"

REASONS: Mapping[str, str] = {
    "*_update*": TRAINING,
    "multi_lars": TRAINING,
    **{f"_random_{name}*": RANDOM for name in (
        "exponential", "gamma", "generalized", "negative", "normal", "poisson", "randint",
        "uniform",
    )},
    "_sample_*": RANDOM,
    "_image_random_*": RANDOM,
    "_shuffle": RANDOM,
    **{f"_npi_{name}": RANDOM for name in (
        "bernoulli", "choice", "exponential", "gamma", "gumbel", "logistic", "multinomial",
        "normal", "normal_n", "pareto", "powerd", "rayleigh", "uniform", "uniform_n", "weibull",
    )},
    **dict.fromkeys((
        "_CachedOp*", "_CustomFunction", "_NoGradient", "_set_value", "reset_arrays",
    ), INTERNAL),
    "Custom": "no: its meaning is a Python class of the user: pass it in `custom_convert_map`",
    "_NDArray": "no: its meaning is a Python class of the user: pass it in `custom_convert_map`",
    "_Native": "no: its meaning is a Python class of the user: pass it in `custom_convert_map`",
    "_sg_mkldnn_*": QUANTISED,
    "_contrib_quantize*": QUANTISED,
    "_contrib_dequantize": QUANTISED,
    "_contrib_requantize": QUANTISED,
    "_contrib_calibrate_entropy": QUANTISED,
    "_contrib_dgl_*": GRAPHS,
    "_contrib_edge_id": GRAPHS,
    "_contrib_getnnz": "no: it counts the stored elements of a sparse matrix",
    "_sparse_retain": "no: it selects rows of a sparse matrix",
    "_cv*": FILES,
    "_imdecode": FILES,
    "_image_resize": FILES,
    "_image_adjust_lighting": "no: it augments images in training",
    "_contrib_MultiBoxTarget": "no: it makes targets for training",
    "_contrib_box_encode": "no: it makes targets for training",
    "_contrib_bipartite_matching": "no: it makes targets for training",
    "_contrib_hawkesll": "no: it is a loss for training",
    "_onehot_encode": ARRAYS,
    "fill_element_0index": ARRAYS,
    **dict.fromkeys((
        "_contrib_DeformablePSROIPooling", "_contrib_RROIAlign", "_contrib_count_sketch",
    ), RARE),
    **dict.fromkeys(("_contrib_fft", "_contrib_ifft"), "no: MXNet computes it on GPUs only"),
    "_npi_eig": "no: its results are complex",
    "_npi_eigvals": "no: its results are complex",
}  # fmt: skip
"""Why operators have no translation, by patterns of names."""


def rows() -> Mapping[str, str]:
    """Map each operator of MXNet to the module of its translation, or to the reason."""
    translated = translated_mxnet_operators()
    found: dict[str, str] = {}
    for name in NAMES.read_text("utf-8").split():
        reasons = {text for pattern, text in REASONS.items() if fnmatchcase(name, pattern)}
        assert len(reasons) == (name not in translated), f"{name}: {reasons or 'no reason'}"
        home = translated[name].rpartition(".")[0] if name in translated else ""
        found[name] = f"`{home}`" if home else reasons.pop()
    return found


def page() -> str:
    """Return the text of the page."""
    found = rows()
    lines = [f"| `{name}` | {text} |" for name, text in found.items()]
    older = sorted(translated_mxnet_operators().keys() - found.keys())
    return INTRODUCTION.format(
        count=len(found),
        translated=sum(text.startswith("`") for text in found.values()),
        older=len(older),
        names=", ".join(f"`{name}`" for name in older),
        rows="\n".join(lines),
    )


def main(args: Sequence[str]) -> int:
    """Write the page, or return 1 if `--check` finds another one."""
    return write_or_check(PAGE, page, args)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
