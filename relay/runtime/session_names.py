"""Members of ONNX Runtime's sessions: an executable says what it has instead."""

from functools import partial

from relay.support.missing_member import MissingMember

_member = partial(MissingMember, owner="ONNX Runtime")


class SessionNames:
    """Members of `InferenceSession`, absent here."""

    end_profiling = _member("call fast.profile(x), which returns the time of each kernel")
    get_inputs = _member("read fast.signature.inputs: each has a name, a shape and a dtype")
    get_modelmeta = _member("read the metadata of the file: onnx.load(path).metadata_props")
    get_outputs = _member("read fast.signature.outputs: each has a name, a shape and a dtype")
    get_providers = _member("pass the target to relay.compile: target='native' is this processor")
    get_session_options = _member("pass options to relay.compile, such as threads=4")
    io_binding = _member("call fast(x): arrays of the right type are not copied")
    run_with_iobinding = _member("call fast(x): arrays of the right type are not copied")
