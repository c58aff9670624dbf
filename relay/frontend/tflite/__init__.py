"""TensorFlow Lite models as programs; the door is `relay.frontend.tensorflow_lite`."""
