"""Relay: a differentiable language for machine-learning models, and its compiler.

>>> import relay
>>> model = relay.load("resnet50.onnx")  # doctest: +SKIP
>>> fast = relay.compile(model)          # doctest: +SKIP
>>> y = fast(x)                          # doctest: +SKIP

Everything is loaded on first use, so that `import relay` costs next to nothing.
"""

from typing import TYPE_CHECKING

from relay.support.import_hook import importable
from relay.support.import_lazily import import_lazily
from relay.support.tracebacks import hide_frames

if TYPE_CHECKING:
    __version__: str
    from relay import container as param_dict
    from relay import frontend, layers, numpy, testing, transform
    from relay.build import tvm_executor_and_runtime as backend
    from relay.build import vm
    from relay.build.executor_factory import build
    from relay.build.executors import create_executor
    from relay.build.python_source import to_python
    from relay.classic import (
        adt,
        build_module,
        dataflow_pattern,
        debug_executor,
        expr,
        expr_functor,
        loops,
        ty,
        type_functor,
    )
    from relay.classic.binding import bind
    from relay.classic.build_module import optimize
    from relay.classic.expr_functor import ExprFunctor, ExprMutator, ExprVisitor
    from relay.classic.ir_module import IRModule
    from relay.classic.json_text import load_json, save_json
    from relay.classic.prelude import Prelude
    from relay.classic.structural_equal import assert_structural_equal
    from relay.classic.text_functions import fromtext, pretty_print
    from relay.classic.tuple_wrapper import TupleWrapper
    from relay.classic.type_functor import TypeFunctor, TypeMutator, TypeVisitor
    from relay.classic.type_kind import TypeKind
    from relay.container import (
        load_param_dict,
        load_params,
        save,
        save_param_dict,
        save_params,
    )
    from relay.frontend.custom_derivatives import custom_jvp, custom_vjp
    from relay.frontend.derivatives import (
        grad,
        hessian,
        hvp,
        jacobian,
        jvp,
        value_and_grad,
        vjp,
    )
    from relay.frontend.load import load
    from relay.frontend.python import (
        Tensor,
        bfloat16,
        complex64,
        complex128,
        data,
        float16,
        float32,
        float64,
        function,
        int8,
        int16,
        int32,
        int64,
        uint8,
    )
    from relay.frontend.python.captures.frozen_arrays import frozen
    from relay.frontend.text import astext, parse, parse_expr
    from relay.frontend.vmap import vmap
    from relay.interop.compile import compile  # noqa: A004 - the public name
    from relay.interop.jit import jit
    from relay.ir.dims import ANY, DimVar
    from relay.ir.equality import structural_equal, structural_hash
    from relay.ir.module import Module
    from relay.ir.temporary_expr import TempExpr
    from relay.ir.types import (
        FuncType,
        GlobalTypeVar,
        IncompleteType,
        RefType,
        TensorType,
        TupleType,
        Type,
        TypeCall,
        TypeRelation,
        TypeVar,
        scalar_type,
    )
    from relay.ir.types import TypeRelation as TypeConstraint
    from relay.ops.functions import (
        Any,
        Call,
        Clause,
        Constant,
        Constructor,
        Expr,
        Function,
        GlobalVar,
        If,
        Let,
        Match,
        Pattern,
        PatternConstructor,
        PatternTuple,
        PatternVar,
        PatternWildcard,
        RefCreate,
        RefRead,
        RefWrite,
        ScopeBuilder,
        ShapeVar,
        Tuple,
        TupleGetItem,
        TypeData,
        Var,
        annotation,
        const,
        image,
        nn,
        op,
        qnn,
        random,
        var,
        vision,
    )
    from relay.ops.functions import scope_builder as scope_builder
    from relay.ops.functions.core import *  # noqa: F403 - its stub lists the functions
    from relay.runtime import graph_executor
    from relay.runtime.device import cpu
    from relay.runtime.executable import Executable
    from relay.semantics import analysis
    from relay.support.errors import RelayError
    from relay.support.span import Source as SourceName
    from relay.support.span import Span
    from relay.transform.pass_context import PassContext as build_config  # noqa: N813 - the public name

_HOMES = {
    "ANY": "relay.ir.dims",
    "Any": "relay.ops.functions",
    "Call": "relay.ops.functions",
    "Clause": "relay.ops.functions",
    "Constant": "relay.ops.functions",
    "Constructor": "relay.ops.functions",
    "DimVar": "relay.ir.dims",
    "Executable": "relay.runtime.executable",
    "Expr": "relay.ops.functions",
    "ExprFunctor": "relay.classic.expr_functor",
    "ExprMutator": "relay.classic.expr_functor",
    "ExprVisitor": "relay.classic.expr_functor",
    "FuncType": "relay.ir.types",
    "Function": "relay.ops.functions",
    "GlobalTypeVar": "relay.ir.types",
    "GlobalVar": "relay.ops.functions",
    "IRModule": "relay.classic.ir_module",
    "If": "relay.ops.functions",
    "IncompleteType": "relay.ir.types",
    "Let": "relay.ops.functions",
    "Match": "relay.ops.functions",
    "Module": "relay.ir.module",
    "Pattern": "relay.ops.functions",
    "PatternConstructor": "relay.ops.functions",
    "PatternTuple": "relay.ops.functions",
    "PatternVar": "relay.ops.functions",
    "PatternWildcard": "relay.ops.functions",
    "Prelude": "relay.classic.prelude",
    "RefCreate": "relay.ops.functions",
    "RefRead": "relay.ops.functions",
    "RefType": "relay.ir.types",
    "RefWrite": "relay.ops.functions",
    "RelayError": "relay.support.errors",
    "ScopeBuilder": "relay.ops.functions",
    "ShapeVar": "relay.ops.functions",
    "SourceName": "relay.support.span:Source",
    "Span": "relay.support.span",
    "Tensor": "relay.frontend.python",
    "TempExpr": "relay.ir.temporary_expr",
    "TensorType": "relay.ir.types",
    "Tuple": "relay.ops.functions",
    "TupleGetItem": "relay.ops.functions",
    "TupleType": "relay.ir.types",
    "TupleWrapper": "relay.classic.tuple_wrapper",
    "Type": "relay.ir.types",
    "TypeCall": "relay.ir.types",
    "TypeConstraint": "relay.ir.types:TypeRelation",
    "TypeData": "relay.ops.functions",
    "TypeFunctor": "relay.classic.type_functor",
    "TypeKind": "relay.classic.type_kind",
    "TypeMutator": "relay.classic.type_functor",
    "TypeRelation": "relay.ir.types",
    "TypeVar": "relay.ir.types",
    "TypeVisitor": "relay.classic.type_functor",
    "Var": "relay.ops.functions",
    "assert_structural_equal": "relay.classic.structural_equal",
    "astext": "relay.frontend.text",
    **dict.fromkeys(
        (
            *("bfloat16", "complex64", "complex128", "float16", "float32", "float64"),
            *("int8", "int16", "int32", "int64", "uint8"),
        ),
        "relay.frontend.python",
    ),
    "bind": "relay.classic.binding",
    "build_config": "relay.transform.pass_context:PassContext",
    "compile": "relay.interop.compile",
    "const": "relay.ops.functions",
    "cpu": "relay.runtime.device",
    "create_executor": "relay.build.executors",
    "custom_jvp": "relay.frontend.custom_derivatives",
    "custom_vjp": "relay.frontend.custom_derivatives",
    "data": "relay.frontend.python",
    "fromtext": "relay.classic.text_functions",
    "function": "relay.frontend.python",
    "frozen": "relay.frontend.python.captures.frozen_arrays",
    "grad": "relay.frontend.derivatives",
    "hessian": "relay.frontend.derivatives",
    "hvp": "relay.frontend.derivatives",
    "jacobian": "relay.frontend.derivatives",
    "jit": "relay.interop.jit",
    "jvp": "relay.frontend.derivatives",
    "load": "relay.frontend.load",
    "optimize": "relay.classic.build_module",
    "load_json": "relay.classic.json_text",
    "load_param_dict": "relay.container",
    "load_params": "relay.container",
    "parse": "relay.frontend.text",
    "parse_expr": "relay.frontend.text",
    "pretty_print": "relay.classic.text_functions",
    "save": "relay.container",
    "save_json": "relay.classic.json_text",
    "save_param_dict": "relay.container",
    "save_params": "relay.container",
    "scalar_type": "relay.ir.types",
    "structural_equal": "relay.ir.equality",
    "structural_hash": "relay.ir.equality",
    "to_python": "relay.build.python_source",
    "value_and_grad": "relay.frontend.derivatives",
    "vjp": "relay.frontend.derivatives",
    "vmap": "relay.frontend.vmap",
    "var": "relay.ops.functions",
}

_MODULES = {
    "adt": "relay.classic.adt",
    "analysis": "relay.semantics.analysis",
    "backend": "relay.build.tvm_executor_and_runtime",
    "build": "relay.build",
    "build_module": "relay.classic.build_module",
    "dataflow_pattern": "relay.classic.dataflow_pattern",
    "debug_executor": "relay.classic.debug_executor",
    "expr": "relay.classic.expr",
    "expr_functor": "relay.classic.expr_functor",
    "graph_executor": "relay.runtime.graph_executor",
    "ir": "relay.ir",
    "frontend": "relay.frontend",
    "layers": "relay.layers",
    "loops": "relay.classic.loops",
    "numpy": "relay.numpy",
    "param_dict": "relay.container",
    "prelude": "relay.prelude",
    "runtime": "relay.runtime",
    "scope_builder": "relay.ops.functions.scope_builder",
    "testing": "relay.testing",
    "transform": "relay.transform",
    "ty": "relay.classic.ty",
    "type_functor": "relay.classic.type_functor",
    "vm": "relay.build.vm",
    **{
        name: f"relay.ops.functions.{name}"
        for name in ("annotation", "image", "nn", "op", "qnn", "random", "vision")
    },
}
_FUNCTIONS = "relay.ops.functions.core"

__all__ = [
    "ANY",
    "Any",
    "Call",
    "Clause",
    "Constant",
    "Constructor",
    "DimVar",
    "Executable",
    "Expr",
    "ExprFunctor",
    "ExprMutator",
    "ExprVisitor",
    "FuncType",
    "Function",
    "GlobalTypeVar",
    "GlobalVar",
    "IRModule",
    "If",
    "IncompleteType",
    "Let",
    "Match",
    "Module",
    "Pattern",
    "PatternConstructor",
    "PatternTuple",
    "PatternVar",
    "PatternWildcard",
    "Prelude",
    "RefCreate",
    "RefRead",
    "RefType",
    "RefWrite",
    "RelayError",
    "ScopeBuilder",
    "ShapeVar",
    "SourceName",
    "Span",
    "TempExpr",
    "Tensor",
    "TensorType",
    "Tuple",
    "TupleGetItem",
    "TupleType",
    "TupleWrapper",
    "Type",
    "TypeCall",
    "TypeConstraint",
    "TypeData",
    "TypeFunctor",
    "TypeKind",
    "TypeMutator",
    "TypeRelation",
    "TypeVar",
    "TypeVisitor",
    "Var",
    "adt",
    "analysis",
    "annotation",
    "assert_structural_equal",
    "astext",
    "backend",
    "bfloat16",
    "bind",
    "build",
    "build_config",
    "build_module",
    "compile",
    "complex64",
    "complex128",
    "const",
    "cpu",
    "create_executor",
    "custom_jvp",
    "custom_vjp",
    "data",
    "dataflow_pattern",
    "debug_executor",
    "expr",
    "expr_functor",
    "float16",
    "float32",
    "float64",
    "fromtext",
    "frontend",
    "frozen",
    "function",
    "grad",
    "graph_executor",
    "hessian",
    "hvp",
    "image",
    "int8",
    "int16",
    "int32",
    "int64",
    "jacobian",
    "jit",
    "jvp",
    "layers",
    "load",
    "load_json",
    "load_param_dict",
    "load_params",
    "loops",
    "nn",
    "numpy",
    "op",
    "optimize",
    "param_dict",
    "parse",
    "parse_expr",
    "pretty_print",
    "qnn",
    "random",
    "save",
    "save_json",
    "save_param_dict",
    "save_params",
    "scalar_type",
    "scope_builder",
    "structural_equal",
    "structural_hash",
    "testing",
    "to_python",
    "transform",
    "ty",
    "type_functor",
    "uint8",
    "value_and_grad",
    "var",
    "vision",
    "vjp",
    "vm",
    "vmap",
]

hide_frames()
importable(
    "relay", "relay.analysis", "relay.annotation", "relay.backend", "relay.frontend", "relay.ir",
    "relay.op", "relay.op.annotation", "relay.qnn", "relay.runtime", "relay.testing",
    "relay.transform",
)  # fmt: skip


def __getattr__(name: str) -> object:
    """Import the object with a public name on first use."""
    if name == "__version__":  # reading it takes a third of the time of the import
        return import_lazily("relay.support.version").version()
    if name.startswith("_"):
        raise AttributeError(f"module 'relay' has no attribute '{name}'")
    found = globals()[name] = _find(name)
    return found


def _find(name: str) -> object:
    if name in _MODULES:
        return import_lazily(_MODULES[name])
    home, _, original = _HOMES.get(name, _FUNCTIONS).partition(":")
    found: object = getattr(import_lazily(home), original or name, None)
    if found is None:
        import_lazily("relay.classic.unsupported_names").say_what_instead(name)
        raise AttributeError(f"module 'relay' has no attribute '{name}'")
    return found


def __dir__() -> list[str]:
    return sorted({*__all__, *dir(import_lazily(_FUNCTIONS))})
