"""Interfaces of TVM's Relay without a counterpart elsewhere: mutable modules, visitors."""
