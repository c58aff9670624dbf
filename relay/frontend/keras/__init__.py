"""Import Keras models from their configuration and weights, without importing Keras."""

from relay.frontend.lazy_importers import LateFunction

from_keras = LateFunction("relay.frontend.keras.load", "from_keras")
