"""The engines that run programs, one module each, with the interface of `benchmarks.contenders`.

A case names a workload; `load` builds it for the engine, and binding inputs makes every call once,
so that anything compiled on first use is compiled before the measurement.
"""
