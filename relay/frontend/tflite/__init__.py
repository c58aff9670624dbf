"""Import TensorFlow Lite models; the entry is `relay.frontend.tensorflow_lite`."""

from relay.frontend.extras import LateFunction

from_tflite = LateFunction("relay.frontend.tensorflow_lite", "from_tflite")
