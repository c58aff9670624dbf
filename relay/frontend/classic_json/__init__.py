"""Read modules that TVM saved as JSON."""
