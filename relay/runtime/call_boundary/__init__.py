"""The border between Python and a native program, in native code: a plain call costs little.

Everything here has its like in Python (`relay.runtime.arguments`,
`relay.runtime.code.native_values`, `relay.runtime.code.reading`), which says what is right, and is
taken where something does not fit.
"""
