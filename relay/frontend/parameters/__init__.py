"""Read weights from files of other tools, without a program: safetensors and GGUF."""
