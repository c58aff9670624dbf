"""Engines that can be restricted to AVX2 on a processor with AVX-512, one module each."""

import os

os.environ.update(
    ONEDNN_MAX_CPU_ISA="AVX2", ATEN_CPU_CAPABILITY="avx2", MKL_ENABLE_INSTRUCTIONS="AVX2"
)  # before any engine is imported
