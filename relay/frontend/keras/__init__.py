"""Import Keras models from their configuration and weights, without importing Keras."""
