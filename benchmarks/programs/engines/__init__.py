"""The engines that run programs, one module each, as those of `benchmarks.contenders`.

A case names a workload; `load` builds it as the engine takes it, and binding inputs makes every
call once, so that what compiles on first use has compiled.
"""
