"""Import TensorFlow Lite models; the entry point is `relay.frontend.tensorflow_lite`."""

from relay.frontend.lazy_importers import LateFunction

from_tflite = LateFunction("relay.frontend.tensorflow_lite", "from_tflite")
