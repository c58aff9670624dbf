"""Passes over the loop IR: each takes a kernel (or a part of one) and returns an equivalent one."""
