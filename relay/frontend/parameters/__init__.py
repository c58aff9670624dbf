"""Read weight files without a program: safetensors and GGUF."""
