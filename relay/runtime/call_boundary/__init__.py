"""The call boundary between Python and native programs, in native code, for fast calls.

It has an equivalent in Python (`relay.runtime.arguments`, `relay.runtime.code.native_values`,
`relay.runtime.code.reading`), which is the reference and the fallback for arguments that do not
fit.
"""
