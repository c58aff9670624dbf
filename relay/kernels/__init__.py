"""The kernel compiler: from tensor expressions over schedules and loops to LLVM.

It does not depend on Relay programs.
"""
