"""Keras models, read from their configuration and weights: Keras itself is not imported."""
