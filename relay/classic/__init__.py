"""Classic interfaces without a counterpart elsewhere: mutable modules, visitors."""
