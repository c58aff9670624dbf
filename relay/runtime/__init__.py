"""The runtime of compiled programs, independent of the compiler.

>>> from relay.runtime import Executable
>>> fast = Executable.load("resnet50.relay")  # doctest: +SKIP
>>> y = fast(x)                               # doctest: +SKIP
"""

from relay.runtime import executor as executor
from relay.runtime.adt_executable import DataExecutable
from relay.runtime.code.interface_types import Data
from relay.runtime.device import CPU, Device
from relay.runtime.executable import Executable
from relay.runtime.graph_executor import load_module
from relay.runtime.host_requirements import HostRequirements
from relay.runtime.many_inputs_executable import ManyExecutable
from relay.runtime.multi_device_executable import PlacedExecutable
from relay.runtime.multi_device_program import PlacedProgram
from relay.runtime.native_executable import NativeExecutable, save_program
from relay.runtime.profile import Profile, StepTime
from relay.runtime.program import (
    Constant,
    Constants,
    Location,
    MemoryRegion,
    ObjectCode,
    Program,
    Signature,
    Step,
    TensorSpec,
    pack_constants,
)
from relay.runtime.specializing_executable import Specialising
from relay.runtime.virtual_machine_executable import VirtualDataExecutable, VirtualExecutable
from relay.support.absent_names import absent_names
from relay.support.ndarray import NDArray

__all__ = [
    "CPU",
    "Constant",
    "Constants",
    "Data",
    "DataExecutable",
    "Device",
    "Executable",
    "HostRequirements",
    "Location",
    "ManyExecutable",
    "MemoryRegion",
    "NDArray",
    "NativeExecutable",
    "ObjectCode",
    "PlacedExecutable",
    "PlacedProgram",
    "Profile",
    "Program",
    "Signature",
    "Specialising",
    "Step",
    "StepTime",
    "TensorSpec",
    "VirtualDataExecutable",
    "VirtualExecutable",
    "load_module",
    "pack_constants",
    "save_program",
]

_ABSENT = {
    "Module": "use the results of relay.build and relay.runtime.load_module",
    "container": "use relay.runtime.Data for values of data types, and Python tuples",
    "enabled": "omit the check: programs for this machine can always be compiled and run",
    "profiler_vm": "use relay.vm.VirtualMachineProfiler",
    "profiling": "use relay.runtime.Profile, which the methods named profile return",
    "vm": "use relay.vm",
}
"""Names of TVM's `tvm.runtime`, which are elsewhere or not here."""
__getattr__ = absent_names("relay.runtime", _ABSENT)
