"""Weights in files of other tools, without a program: safetensors and GGUF."""
