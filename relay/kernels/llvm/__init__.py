"""From loops to machine code: LLVM text is written here, and LLVM makes objects of it."""
