"""Import TensorFlow Lite models; the entry is `relay.frontend.tensorflow_lite`."""
