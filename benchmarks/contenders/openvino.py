"""OpenVINO on the CPU, tuned for latency, at full precision (f32) as the others compute."""

# Where OpenVINO is not installed, the checker takes this file for it.
# pyright: reportAttributeAccessIssue=false

import openvino

from benchmarks.contenders.case import Binding, Case, Feeds, Outputs

COMPILES = True


def version() -> str:
    """Return the name and version of the engine."""
    return f"OpenVINO {openvino.__version__.split('-')[0]}"


def load(case: Case) -> Binding:
    """Compile the model of `case`."""
    settings = {
        "INFERENCE_NUM_THREADS": str(case.threads),
        "NUM_STREAMS": "1",
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_PRECISION_HINT": "f32",  # bf16 would be another computation
    }
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(str(case.model)), "CPU", settings)

    def bind(feeds: Feeds) -> "Run":
        return Run(compiled, feeds)

    return bind


class Run:
    """One inference request with its inputs."""

    def __init__(self, compiled: openvino.CompiledModel, feeds: Feeds) -> None:
        """Create the request and share the input arrays with it, so they must stay alive."""
        self._feeds = feeds
        self._request = compiled.create_infer_request()
        self._outputs = compiled.outputs
        for name, array in feeds.items():
            self._request.set_tensor(name, openvino.Tensor(array, shared_memory=True))

    def __call__(self) -> Outputs:
        """Run the request on the bound inputs."""
        self._request.infer()
        return [self._request.get_tensor(port).data for port in self._outputs]
