"""ONNX Runtime: the CPU provider with all graph optimisations."""

from typing import cast

import onnxruntime

from benchmarks.contenders.case import Binding, Case, Feeds, Outputs
from benchmarks.programs.catalogue import workload_of

COMPILES = True


def version() -> str:
    """Return the name and version of the engine."""
    return f"ONNX Runtime {onnxruntime.__version__}"


def load(case: Case) -> Binding:
    """Create a session for the case's workload."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = case.threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    workload = workload_of(case)
    model = workload.build("onnx").SerializeToString()
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    names = [port.name for port in session.get_inputs()]

    def bind(feeds: Feeds) -> "Run":
        calls = workload.arguments("onnx", feeds)
        run = Run(session, [dict(zip(names, call, strict=True)) for call in calls])
        run()
        return run

    return bind


class Run:
    """A session and the inputs of its calls."""

    def __init__(self, session: onnxruntime.InferenceSession, calls: list[Feeds]) -> None:
        """Store the session and the inputs."""
        self._run, self._calls = session.run, calls

    def __call__(self) -> Outputs:
        """Make the calls."""
        return [y for feeds in self._calls for y in cast(Outputs, self._run(None, feeds))]
