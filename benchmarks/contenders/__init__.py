"""The engines that are compared, one module each; a worker process imports exactly one of them.

Every module has `load(case) -> Binding`, `version() -> str`, and `COMPILES`, which says whether
the time of `load` is the time of a compilation that users would wait for.
"""
