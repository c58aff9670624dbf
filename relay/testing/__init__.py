"""What tests and benchmarks share: real models, model zoo, random programs."""
