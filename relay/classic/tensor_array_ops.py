"""TVM's `TensorArrayOps`: the functions and types of tensor arrays of one element type."""

from relay.classic.prelude import Prelude
from relay.ir.dims import Shape
from relay.ir.expr import Constructor, GlobalVar
from relay.ir.types import GlobalTypeVar
from relay.support.errors import missing


class TensorArrayOps:
    """Tensor arrays of an element type; `register` adds their definitions to a prelude.

    >>> ops = TensorArrayOps(Prelude(), "int32")
    >>> ops.register()
    >>> ops.get_name("tensor_array_read"), ops.get_ctor("tensor_nil").name
    ('tensor_array_read_int32', 'tensor_nil_int32')
    """

    def __init__(self, prelude: Prelude, dtype: str) -> None:
        self.prelude = prelude
        self.dtype = dtype

    def get_name(self, canonical: str) -> str:
        """Return the name of a function or type for the element type."""
        return self.prelude.get_name(canonical, self.dtype)

    def get_global_var(self, canonical: str) -> GlobalVar:
        """Return a function, such as `tensor_array_read`; raises `U051` for an unknown one."""
        return self.prelude.get_global_var(canonical, self.dtype)

    def get_type(self, canonical: str) -> GlobalTypeVar:
        """Return a data type: `tensor_t`."""
        return self.prelude.get_type(canonical, self.dtype)

    def get_ctor(self, canonical: str) -> Constructor:
        """Return a constructor, such as `tensor_nil`; raises `U051` for an unknown one."""
        return self.prelude.get_tensor_ctor(canonical, self.dtype)

    def register(self) -> None:
        """Add the types and functions to the module of the prelude."""
        self.get_type("tensor_t")


class StaticTensorArrayOps:
    """Tensor arrays of an element type and a shape, with the methods of `TensorArrayOps`.

    The parameter `batch_dim` of TVM raises `U072`.
    """

    def __init__(
        self, prelude: Prelude, dtype: str, shape: Shape, batch_dim: int | None = None
    ) -> None:
        if batch_dim is not None:
            raise missing(
                "the option batch_dim", "omit it: the first size of joined arrays is dynamic"
            )
        self.prelude = prelude
        self.dtype = dtype
        self.shape = tuple(shape)

    def get_name(self, canonical: str) -> str:
        """Return the name of a function or type for the element type and the shape."""
        return self.prelude.get_name_static(canonical, self.dtype, self.shape)

    def get_global_var(self, canonical: str) -> GlobalVar:
        """Return a function, such as `tensor_array_read`; raises `U051` for an unknown one."""
        return self.prelude.get_global_var_static(canonical, self.dtype, self.shape)

    def get_type(self, canonical: str) -> GlobalTypeVar:
        """Return a data type: `tensor_t`."""
        return self.prelude.get_type_static(canonical, self.dtype, self.shape)

    def get_ctor(self, canonical: str) -> Constructor:
        """Return a constructor, such as `tensor_nil`; raises `U051` for an unknown one."""
        return self.prelude.get_tensor_ctor_static(canonical, self.dtype, self.shape)

    def register(self) -> None:
        """Add the types and functions to the module of the prelude."""
        self.get_type("tensor_t")
