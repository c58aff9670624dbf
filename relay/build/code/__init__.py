"""Lowering of programs with control flow to program code, and of program code to LLVM text."""
