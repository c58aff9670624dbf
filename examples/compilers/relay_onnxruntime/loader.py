"""The loader part: a session that reads and writes the program's own memory."""

from collections.abc import Sequence

import onnxruntime

from relay.runtime.arguments import Array


class Region:
    """A loaded region."""

    def __init__(self, code: bytes, threads: int) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            code, options, providers=["CPUExecutionProvider"]
        )
        self._inputs = [each.name for each in self._session.get_inputs()]
        self._outputs = [each.name for each in self._session.get_outputs()]

    def __call__(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        """Compute the outputs from the inputs, without copies."""
        binding = self._session.io_binding()
        for name, array in zip(self._inputs, inputs, strict=True):
            binding.bind_input(name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)
        for name, array in zip(self._outputs, outputs, strict=True):
            binding.bind_output(name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)
        self._session.run_with_iobinding(binding)


load = Region
