"""Running compiled programs: arrays, threads, loading, artefacts; knows nothing of the compiler.

>>> from relay.runtime import Executable
>>> fast = Executable.load("resnet50.relay")  # doctest: +SKIP
>>> y = fast(x)                               # doctest: +SKIP
"""

from relay.runtime.code.border import Data
from relay.runtime.data_executable import DataExecutable
from relay.runtime.device import CPU, Device
from relay.runtime.executable import Executable
from relay.runtime.machine import Machine
from relay.runtime.many_executable import ManyExecutable
from relay.runtime.native import NativeExecutable, save_program
from relay.runtime.placed_executable import PlacedExecutable
from relay.runtime.placed_program import PlacedProgram
from relay.runtime.profile import Profile, StepTime
from relay.runtime.program import (
    Constant,
    Constants,
    Location,
    ObjectCode,
    Program,
    Region,
    Signature,
    Step,
    TensorSpec,
    pack_constants,
)
from relay.runtime.specialising import Specialising
from relay.runtime.virtual import VirtualDataExecutable, VirtualExecutable

__all__ = [
    "CPU",
    "Constant",
    "Constants",
    "Data",
    "DataExecutable",
    "Device",
    "Executable",
    "Location",
    "Machine",
    "ManyExecutable",
    "NativeExecutable",
    "ObjectCode",
    "PlacedExecutable",
    "PlacedProgram",
    "Profile",
    "Program",
    "Region",
    "Signature",
    "Specialising",
    "Step",
    "StepTime",
    "TensorSpec",
    "VirtualDataExecutable",
    "VirtualExecutable",
    "pack_constants",
    "save_program",
]
