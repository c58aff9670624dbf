"""ONNX Runtime: the CPU provider with all graph optimisations, the reference for values."""

from typing import cast

import onnxruntime

from benchmarks.contenders.case import Binding, Case, Feeds, Outputs

COMPILES = True


def version() -> str:
    """Return the name and version of the engine."""
    return f"ONNX Runtime {onnxruntime.__version__}"


def load(case: Case) -> Binding:
    """Create a session for `case`."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = case.threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        str(case.model), options, providers=["CPUExecutionProvider"]
    )

    def bind(feeds: Feeds) -> "Run":
        return Run(session, feeds)

    return bind


class Run:
    """One session with its inputs."""

    def __init__(self, session: onnxruntime.InferenceSession, feeds: Feeds) -> None:
        """Store the session and its inputs."""
        self._run, self._feeds = session.run, feeds

    def __call__(self) -> Outputs:
        """Run the session on the bound inputs."""
        return cast(Outputs, self._run(None, self._feeds))
