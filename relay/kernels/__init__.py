"""The operator compiler: tensor expressions, schedules, loops, LLVM.

It does not depend on Relay programs.
"""
