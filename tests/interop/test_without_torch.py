"""Without PyTorch, its modules say which package they need."""

import subprocess
import sys


def test_without_pytorch_its_modules_say_what_to_install():
    program = "import sys; sys.modules['torch'] = None; from relay.interop.torch import TorchModule"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    last = "ModuleNotFoundError: relay.interop.torch needs PyTorch: pip install "
    assert done.stderr.splitlines()[-1] == f"{last}relay-compiler[torch]"
