"""The engines that are compared, one module each; a worker process imports exactly one of them.

Every module has `load(case) -> Binding`, `version() -> str`, and `COMPILES`, which tells whether
the time of `load` is a compilation time that users would wait for.
"""
