"""The fast call boundary between Python and compiled programs, in native code.

Its equivalent in Python (`relay.runtime.arguments`, `relay.runtime.code.native_values`,
`relay.runtime.code.read_values`) is the reference, and the fallback for unusual arguments.
"""
