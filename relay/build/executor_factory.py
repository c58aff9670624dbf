"""TVM's `relay.build`: compiles a module and returns a factory of executors."""

from collections.abc import Callable, Iterator, Mapping
from os import PathLike
from typing import Any

from relay.build.compile_for_machine import compile_graph, compile_native
from relay.build.graph_json import graph_json
from relay.build.tvm_executor_and_runtime import Executor, Runtime
from relay.build.tvm_target import Targets, one_target
from relay.ir.expr import Function
from relay.ir.module import HasModule, Module, module_of
from relay.runtime.arguments import Array
from relay.runtime.device import CPU, Device
from relay.runtime.dlpack import array_of
from relay.runtime.executable import Executable
from relay.runtime.graph_executor import GraphModule, by_name
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError, missing
from relay.support.missing_member import MissingMember
from relay.support.misspelt_options import suggests_options
from relay.transform.bind_parameters import bind_parameters


class ExecutorFactory:
    """The result of `relay.build`; `lib["default"](dev)` returns an executor of the program.

    Parameters are constants of the program, so `get_params` is empty. Iteration yields the graph,
    the library and the parameters, for `relay.graph_executor.create`.
    """

    function_metadata = MissingMember("call lib.executable.explain(), which lists the kernels")
    get_source = MissingMember("call lib.executable.explain(), which lists the kernels")
    module = MissingMember("use lib.lib, which is the library, or lib.ir_mod, the program")

    def __init__(
        self,
        module: Module,
        executable: Executable,
        name: str,
        bound: Mapping[str, Array],
        target: Targets,
        executor: Executor,
    ) -> None:
        self.ir_mod = module
        self.target = target
        self.executor = executor
        self.libmod_name = name
        self.executable = executable
        self.bound = bound

    def __getitem__(self, name: str) -> Callable[..., GraphModule]:
        """Return the function that creates an executor. Raise `U061` for an unknown name."""
        if name == "debug_create":
            return by_name(self.__getitem__)
        if name != self.libmod_name:
            raise UsageError(
                ErrorCode.U061,
                f"the library has no function named '{name}'",
                help=f"use the name '{self.libmod_name}'",
            )
        return self._create

    def __iter__(self) -> Iterator[Any]:
        return iter((self.get_graph_json(), self.get_lib(), self.get_params()))

    def get_graph_json(self) -> str:
        """Return the graph as JSON in TVM's schema: one operator for the whole program."""
        return graph_json(self.executable.entry_signature, self.libmod_name)

    def get_lib(self) -> "ExecutorFactory":
        """Return the compiled program, for `relay.graph_executor.create` and `export_library`."""
        return self

    @property
    def lib(self) -> "ExecutorFactory":
        """Return the compiled program, as `get_lib` does."""
        return self

    get_executor_config = get_graph_json

    @property
    def graph_json_str(self) -> str:
        """Return the graph as JSON, as `get_graph_json` does."""
        return self.get_graph_json()

    @property
    def params(self) -> dict[str, Any]:
        """Return the parameters that remain to be set: none."""
        return self.get_params()

    def get_params(self) -> dict[str, Any]:
        """Return the parameters that remain to be set: none."""
        return {}

    def get_devices(self) -> list[Device]:
        """Return the devices that the program runs on."""
        return [CPU]

    def export_library(
        self, path: str | PathLike[str], fcompile: None = None, addons: None = None
    ) -> None:
        """Write the program to a file that `relay.runtime.load_module` opens.

        The suffix determines the format, as `relay.Executable.export_library` explains. The linker
        is found automatically: `fcompile` and `addons` raise `U072`.
        """
        if fcompile is not None or addons is not None:
            raise missing(
                "the options fcompile and addons", "omit them: the linker is found automatically"
            )
        self.executable.export_library(path)

    def _create(self, device: Device = CPU) -> GraphModule:
        del device  # there is only one kind of device
        return GraphModule(self)


@suggests_options
def build(
    ir_mod: HasModule | Function,
    target: Targets = "llvm",
    target_host: Targets = None,
    executor: str | Executor = "graph",
    runtime: str | Runtime = "cpp",
    workspace_memory_pools: None = None,
    constant_memory_pools: None = None,
    params: Mapping[str, object] | None = None,
    mod_name: str = "default",
) -> ExecutorFactory:
    """Compile a module, or a function, and return a factory of executors.

    The `graph` executor takes programs without control flow (`U064`); `aot` takes all. `params` by
    name become constants; `target_host` is accepted for compatibility and ignored. The passes that
    run are those of the `PassContext` around the call. Raises `U063` for another executor or
    runtime, `U069` for several targets, and `U072` for memory pools.
    """
    del target_host
    if workspace_memory_pools is not None or constant_memory_pools is not None:
        raise missing("memory pools", "omit them: memory is planned at compile time")
    chosen = executor if isinstance(executor, Executor) else Executor(executor)
    if not isinstance(runtime, Runtime):
        Runtime(runtime)
    given = Module.of(ir_mod) if isinstance(ir_mod, Function) else module_of(ir_mod)
    module = infer(bind_parameters(infer(given), params or {}))
    compiled = (compile_native if chosen.name == "aot" else compile_graph)(
        module, one_target(target)
    )
    names = {param.name for param in given.main.params}
    bound = {name: array_of(each) for name, each in (params or {}).items() if name in names}
    return ExecutorFactory(given, compiled, mod_name, bound, target, chosen)
