"""The class `Prelude`: a module with the standard library, under the names of TVM's Relay."""

from relay.ir.dims import Shape
from relay.ir.expr import Constructor, GlobalVar
from relay.ir.module import Module, ModuleLike
from relay.ir.types import GlobalTypeVar
from relay.prelude.standard_library import import_from_std, merge
from relay.prelude.static_tensor_array import static_tensor_array, suffix
from relay.prelude.tensor_array import tensor_array
from relay.support.dtype import DType
from relay.support.dtype import dtype as to_dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError


class Prelude:
    """A module with the standard library, and access to its functions and types.

    Functions of the library are attributes (`p.map`, `p.foldl`), and so are its constructors in
    lower case (`p.cons`, `p.nil`, `p.some`, `p.none`, `p.rose`), and its types (`p.list` or `p.l`,
    `p.optional`, `p.tree`). `mod` is the module, to which tensor arrays are added when they are
    first used; assign to it to add your own functions. An `IRModule` that is passed is modified in
    place.

    >>> p = Prelude()
    >>> p.map
    GlobalVar(name='map')
    >>> p.cons.belongs_to is p.list
    True
    """

    def __init__(self, mod: ModuleLike | None = None) -> None:
        given = Module({}) if mod is None else mod
        self.mod = given.updated(import_from_std(given.module, "prelude.rly"))
        self.list = self.l = GlobalTypeVar("List")
        self.optional = GlobalTypeVar("Option")
        self.tree = GlobalTypeVar("Tree")
        constructors = self.mod.module.constructors()
        self.cons, self.nil = constructors["Cons"], constructors["Nil"]
        self.some, self.none = constructors["Some"], constructors["None"]
        self.rose = constructors["Rose"]

    @property
    def module(self) -> Module:
        """Return the current content as an immutable module."""
        return self.mod.module

    def __getattr__(self, name: str) -> GlobalVar:
        if name.startswith("_") or name == "mod" or name not in self.mod.module.functions:
            raise AttributeError(f"the prelude has no function '{name}'")
        return GlobalVar(name, ty=self.mod.module.functions[name].ty)

    def get_name(self, canonical: str, dtype: "DType | str") -> str:
        """Return the name of a tensor-array function or type for an element type.

        >>> Prelude().get_name("tensor_array_read", "int32")
        'tensor_array_read_int32'
        >>> Prelude().get_name("tensor_t", "int32")
        'tensor_int32_t'
        """
        element = to_dtype(dtype)
        return f"tensor_{element}_t" if canonical == "tensor_t" else f"{canonical}_{element}"

    def get_global_var(self, canonical: str, dtype: "DType | str | None" = None) -> GlobalVar:
        """Return a function of the library, or with `dtype` a tensor-array function."""
        if dtype is None:
            return self._function(canonical)
        self._register(dtype)
        return self._function(self.get_name(canonical, dtype))

    def get_type(self, canonical: str, dtype: "DType | str") -> GlobalTypeVar:
        """Return a data type of tensor arrays, such as `tensor_t`, for an element type."""
        self._register(dtype)
        return GlobalTypeVar(self.get_name(canonical, dtype))

    def get_ctor(self, ty_name: str, canonical: str, dtype: "DType | str") -> Constructor:
        """Return a constructor of a tensor-array data type for an element type: `tensor_nil`."""
        self._register(dtype)
        name, home = self.get_name(canonical, dtype), self.get_name(ty_name, dtype)
        constructors = self.mod.module.constructors()
        found = constructors.get(name)
        if found is None or found.belongs_to.name != home:
            known = [each for each, of in constructors.items() if of.belongs_to.name == home]
            help_ = f"use one of its constructors: {', '.join(known)}" if known else None
            message = f"the type {home} has no constructor named {name}"
            raise UsageError(ErrorCode.U051, message, help=help_)
        return found

    def get_tensor_ctor(self, canonical: str, dtype: "DType | str") -> Constructor:
        """Return a constructor of the tensor-array data type `tensor_t` for an element type."""
        return self.get_ctor("tensor_t", canonical, dtype)

    def get_name_static(self, canonical: str, dtype: "DType | str", shape: Shape) -> str:
        """Return the name of a tensor-array function or type for tensors of one static shape.

        >>> Prelude().get_name_static("tensor_array_read", "int32", (2, 3))
        'tensor_array_read_int32_2_3'
        """
        ending = suffix(str(to_dtype(dtype)), tuple(shape))
        is_type = canonical == "tensor_t"
        return f"static_tensor_{ending}_t" if is_type else f"{canonical}_{ending}"

    def get_global_var_static(
        self, canonical: str, dtype: "DType | str", shape: Shape
    ) -> GlobalVar:
        """Return a tensor-array function for tensors of one element type and static shape."""
        self._register_static(dtype, shape)
        return self._function(self.get_name_static(canonical, dtype, shape))

    def get_type_static(self, canonical: str, dtype: "DType | str", shape: Shape) -> GlobalTypeVar:
        """Return a tensor-array data type for one element type and static shape: `tensor_t`."""
        self._register_static(dtype, shape)
        return GlobalTypeVar(self.get_name_static(canonical, dtype, shape))

    def get_tensor_ctor_static(
        self, canonical: str, dtype: "DType | str", shape: Shape
    ) -> Constructor:
        """Return a constructor of tensors of one element type and static shape: `tensor_nil`."""
        self._register_static(dtype, shape)
        name = self.get_name_static(canonical, dtype, shape)
        if name not in self.mod.module.constructors():
            help_ = "use tensor_nil or tensor_constructor"
            message = f"the prelude has no constructor named {name}"
            raise UsageError(ErrorCode.U051, message, help=help_)
        return self.mod.module.constructors()[name]

    def _register_static(self, dtype: "DType | str", shape: Shape) -> None:
        self.mod = self.mod.updated(
            merge(self.mod.module, static_tensor_array(str(to_dtype(dtype)), tuple(shape)))
        )

    def _function(self, name: str) -> GlobalVar:
        if name not in self.mod.module.functions:
            help_ = "look up the names of its functions with print(prelude.mod)"
            raise UsageError(ErrorCode.U051, f"the prelude has no function @{name}", help=help_)
        return GlobalVar(name, ty=self.mod.module.functions[name].ty)

    def _register(self, dtype: "DType | str") -> None:
        self.mod = self.mod.updated(merge(self.mod.module, tensor_array(str(to_dtype(dtype)))))
