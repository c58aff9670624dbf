"""The pass that moves the parts of a program that run on devices into functions."""

from collections.abc import Mapping
from typing import cast

from relay.ir.expr import Call, Expr, Function
from relay.ir.module import Module
from relay.ir.walk import fold, outside_kernels, post_order, with_children
from relay.ops.device_annotations import DeviceCopy
from relay.support.node import value
from relay.transform.compilers.merge_compiler_regions import MergeCompilerRegions
from relay.transform.compilers.outline_supported_calls import region_of_call
from relay.transform.compilers.partition_graph import PartitionGraph
from relay.transform.compilers.region_attributes import COMPILER
from relay.transform.device_inference import HOST, Devices, is_operation
from relay.transform.pipeline import Pass, is_optimizable


@value
class OutlineDevices(Pass):
    """Move the expressions between device copies into functions, as `PartitionGraph` does.

    A function has the attribute `Compiler`, with the device's name. Calls on one device are merged
    into one function unless a path between them leads through a node on another device.
    """

    def transform(self, module: Module) -> Module:
        """Return the module with functions for the parts that run on devices."""
        outlined = {n: str(f.attrs[COMPILER]) for n, f in device_functions(module).items()}
        marked = {
            name: _marked(function, outlined) if is_optimizable(function) else function
            for name, function in module.functions.items()
        }
        if all(marked[name] is each for name, each in module.functions.items()):
            return module
        return PartitionGraph().transform(
            MergeCompilerRegions().transform(module.with_functions(marked))
        )


def device_functions(module: Module) -> dict[str, Function]:
    """Return the functions of a module that run on devices, by name."""
    return {name: f for name, f in module.functions.items() if f.attrs.get(COMPILER)}


def _marked(function: Function, outlined: Mapping[str, str]) -> Function:
    order = post_order(function, edges=outside_kernels)
    if not any(isinstance(e, Call) and isinstance(e.op, DeviceCopy) for e in order):
        return function
    found = Devices(function, outlined)

    def visit(expr: Expr, new: list[Expr]) -> Expr:
        made = with_children(expr, new) if new else expr
        match expr:
            case Call(DeviceCopy()):
                return made
            case Call(op) if is_operation(op) and found[expr] != HOST:
                return region_of_call(found[expr], cast("Call", made))
            case _:
                return made

    return cast("Function", fold(function, visit, edges=outside_kernels))
