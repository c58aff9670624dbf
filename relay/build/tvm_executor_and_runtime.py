"""TVM's objects that name an executor and a runtime, available as `relay.backend`.

>>> Executor("aot", {"link-params": True})
Executor(name='aot', options=(('link-params', True),))
"""

from collections.abc import Mapping
from typing import ClassVar

from relay.support.absent_names import absent_names
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.node import Value, set_field, value

_C = "call export_library('model.so'), which writes a library for C and its header"
_ALIGNED = "omit the option: Relay chooses the alignment for the target machine"
_ABSENT: Mapping[str, str] = {
    "contrib": (
        "declare the patterns of an external compiler in a package: "
        "docs/how-to/add-an-external-compiler.md"
    ),
    "executor_factory": "call relay.build; the class of its results is not needed",
    "graph_executor_codegen": "call relay.build, whose result has the method get_graph_json()",
    "interpreter": (
        'use relay.create_executor("debug", mod), which evaluates a program, and relay.runtime.Data'
    ),
    "te_compiler": "call relay.compile(model).explain(), which lists the kernels",
    "vm": "use the virtual machine, relay.vm",
}


@value
class Executor(Value):
    """An executor of `relay.build`: "graph", or "aot", which also runs control flow.

    Parameters are always part of the library, as the option `link-params` asks. Raises `U063` for
    another executor, and `U062` for another option.
    """

    name: str
    options: tuple[tuple[str, object], ...] = ()
    refused: ClassVar[Mapping[str, str]] = {
        "unpacked-api": _C,
        "interface-api": _C,
        "workspace-byte-alignment": _ALIGNED,
        "constant-byte-alignment": _ALIGNED,
    }

    def __post_init__(self) -> None:
        if self.name not in self.list_registered():
            known = ", ".join(map(repr, self.list_registered()))
            message = f"there is no executor named {self.name!r}"
            raise UsageError(ErrorCode.U063, message, help=f"choose one of {known}")
        given = _checked("executor", self.options, "link-params", self.refused)
        set_field(self, "options", given)

    @staticmethod
    def list_registered() -> list[str]:
        """Return the names of the executors that `relay.build` accepts."""
        return ["graph", "aot"]

    @staticmethod
    def list_registered_options(name: str) -> dict[str, str]:
        """Return the options of an executor, with the names of their types."""
        return {key: type(each).__name__ for key, each in Executor(name, _LINKED).options}


@value
class Runtime(Value):
    """The runtime of `relay.build`: "cpp". Raises `U063` for another one, `U062` for options."""

    name: str
    options: tuple[tuple[str, object], ...] = ()
    refused: ClassVar[Mapping[str, str]] = {
        "system-lib": "write an object file to link: export_library('model.o')"
    }

    def __post_init__(self) -> None:
        if self.name != "cpp":
            message = f"there is no runtime named {self.name!r}"
            help_ = (
                f"omit the runtime; for C code, {_C}"
                if self.name == "crt"
                else "pass the runtime 'cpp', or omit it"
            )
            raise UsageError(ErrorCode.U063, message, help=help_)
        set_field(self, "options", _checked("runtime", self.options, "", self.refused))


_LINKED = (("link-params", True),)


def _checked(
    of: str,
    options: "Mapping[str, object] | tuple[tuple[str, object], ...] | None",
    known: str,
    refused: Mapping[str, str],
) -> tuple[tuple[str, object], ...]:
    """Return options of an executor or a runtime as pairs; `of` is the word for it.

    Raises `U062` unless each is the option `known`, and a bool.
    """
    pairs = tuple(dict(options or {}).items())
    for name, given in pairs:
        if name != known:
            help_ = refused.get(
                name,
                f"pass the only option, {known!r}"
                if known
                else f"omit the option: the {of} has none",
            )
            raise UsageError(ErrorCode.U062, f"the {of} has no option {name!r}", help=help_)
        if not isinstance(given, bool):
            message = f"the option {name!r} must be True or False, but is {given!r}"
            raise UsageError(ErrorCode.U062, message, help=f"pass {name}=True or {name}=False")
    return pairs


__path__: list[str] = []  # a package, whose modules `relay.support.import_hook` resolves here
__getattr__ = absent_names("relay.backend", _ABSENT)
