"""Every test here needs the schema of TensorFlow Lite."""

import pytest

pytest.importorskip("tflite")
