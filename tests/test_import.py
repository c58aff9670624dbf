"""`import relay` costs next to nothing: it loads no library that only some users need."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEAVY = {"onnx", "torch", "rich", "llvmlite", "google.protobuf"}


def test_importing_relay_loads_nothing_heavy() -> None:
    program = "import json, sys, relay; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True
    )
    assert set(json.loads(done.stdout)) & HEAVY == set()
