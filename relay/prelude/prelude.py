"""`Prelude`: a module together with the library, by the names that the library always had."""

from relay.ir.dims import Shape
from relay.ir.expr import Constructor, GlobalVar
from relay.ir.module import Module, ModuleLike
from relay.ir.types import GlobalTypeVar
from relay.prelude.library import import_from_std, merge
from relay.prelude.static_tensor_array import static_tensor_array, suffix
from relay.prelude.tensor_array import tensor_array
from relay.support.dtype import DType
from relay.support.dtype import dtype as to_dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError


class Prelude:
    """A module with lists, options and trees in it, and what programs are built from.

    Functions of the library are attributes (`p.map`, `p.foldl`), and so are the constructors, in
    small letters (`p.cons`, `p.nil`, `p.some`, `p.none`, `p.rose`), and the types (`p.list` or
    `p.l`, `p.optional`, `p.tree`). `mod` is the module with all that has been asked for; set it to
    add functions of your own. An `IRModule` that is given is changed itself.

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

    def __getattr__(self, name: str) -> GlobalVar:
        if name.startswith("_") or name == "mod" or name not in self.mod.module.functions:
            raise AttributeError(f"the prelude has no function '{name}'")
        return GlobalVar(name, ty=self.mod.module.functions[name].ty)

    def get_name(self, canonical: str, dtype: "DType | str") -> str:
        """Return what the tensor-array function or type of an element type is called.

        >>> Prelude().get_name("tensor_array_read", "int32")
        'tensor_array_read_int32'
        >>> Prelude().get_name("tensor_t", "int32")
        'tensor_int32_t'
        """
        element = to_dtype(dtype)
        return f"tensor_{element}_t" if canonical == "tensor_t" else f"{canonical}_{element}"

    def get_global_var(self, canonical: str, dtype: "DType | str | None" = None) -> GlobalVar:
        """Return a function: of the prelude, or with `dtype` of the tensor arrays of that type."""
        if dtype is None:
            return self._function(canonical)
        self._register(dtype)
        return self._function(self.get_name(canonical, dtype))

    def get_type(self, canonical: str, dtype: "DType | str") -> GlobalTypeVar:
        """Return a data type of the tensor arrays of an element type: `tensor_t`."""
        self._register(dtype)
        return GlobalTypeVar(self.get_name(canonical, dtype))

    def get_ctor(self, ty_name: str, canonical: str, dtype: "DType | str") -> Constructor:
        """Return a constructor of a data type of the tensor arrays: `tensor_nil`, say."""
        self._register(dtype)
        name, home = self.get_name(canonical, dtype), self.get_name(ty_name, dtype)
        found = self.mod.module.constructors().get(name)
        if found is None or found.belongs_to.name != home:
            raise UsageError(ErrorCode.U051, f"the type {home} has no constructor {name}")
        return found

    def get_tensor_ctor(self, canonical: str, dtype: "DType | str") -> Constructor:
        """Return a constructor of `tensor_t`."""
        return self.get_ctor("tensor_t", canonical, dtype)

    def get_name_static(self, canonical: str, dtype: "DType | str", shape: Shape) -> str:
        """Return what a function or type is called that knows the shape of its tensors.

        >>> Prelude().get_name_static("tensor_array_read", "int32", (2, 3))
        'tensor_array_read_int32_2_3'
        """
        ending = suffix(str(to_dtype(dtype)), tuple(shape))
        is_type = canonical == "tensor_t"
        return f"static_tensor_{ending}_t" if is_type else f"{canonical}_{ending}"

    def get_global_var_static(
        self, canonical: str, dtype: "DType | str", shape: Shape
    ) -> GlobalVar:
        """Return a function of the arrays of tensors of one shape."""
        self._register_static(dtype, shape)
        return self._function(self.get_name_static(canonical, dtype, shape))

    def get_type_static(self, canonical: str, dtype: "DType | str", shape: Shape) -> GlobalTypeVar:
        """Return the data type of the tensors of one shape: `tensor_t`."""
        self._register_static(dtype, shape)
        return GlobalTypeVar(self.get_name_static(canonical, dtype, shape))

    def get_tensor_ctor_static(
        self, canonical: str, dtype: "DType | str", shape: Shape
    ) -> Constructor:
        """Return a constructor of the tensors of one shape: `tensor_constructor`, `tensor_nil`."""
        self._register_static(dtype, shape)
        name = self.get_name_static(canonical, dtype, shape)
        if name not in self.mod.module.constructors():
            raise UsageError(ErrorCode.U051, f"the prelude has no constructor {name}")
        return self.mod.module.constructors()[name]

    def _register_static(self, dtype: "DType | str", shape: Shape) -> None:
        self.mod = self.mod.updated(
            merge(self.mod.module, static_tensor_array(str(to_dtype(dtype)), tuple(shape)))
        )

    def _function(self, name: str) -> GlobalVar:
        if name not in self.mod.module.functions:
            raise UsageError(ErrorCode.U051, f"the prelude has no function @{name}")
        return GlobalVar(name, ty=self.mod.module.functions[name].ty)

    def _register(self, dtype: "DType | str") -> None:
        self.mod = self.mod.updated(merge(self.mod.module, tensor_array(str(to_dtype(dtype)))))
