"""Every test here needs h5py; Keras made the files and the answers (`tools/keras_models.py`)."""

import pytest

pytest.importorskip("h5py")
