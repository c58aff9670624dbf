"""Import TensorFlow Lite models; the entry point is `relay.frontend.tensorflow_lite`."""

from relay.frontend.extras import LateFunction

from_tflite = LateFunction("relay.frontend.tensorflow_lite", "from_tflite")
