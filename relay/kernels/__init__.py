"""The operator compiler: tensor expressions, schedules, loops, LLVM.

It knows nothing of Relay programs.
"""
