"""The state of a mapped loop: the parameters of the function that runs its steps.

See `relay.frontend.vmap_divergent_loops`.
"""

from collections.abc import Collection, Sequence

from relay.autodiff.let_emitter import Emitter
from relay.autodiff.tangent_types import holds_data
from relay.frontend.vmap_adt_types import MappedData
from relay.frontend.vmap_bodies import MappedBody
from relay.frontend.vmap_branches import Substitution, zeros
from relay.frontend.vmap_errors import mixed_data, unknown_size
from relay.frontend.vmap_find_loops import TailLoop
from relay.ir.dims import ANY
from relay.ir.expr import Call, Expr, GlobalVar, Var
from relay.ir.types import FuncType, TensorType, dimensions
from relay.ops.creation import Ones
from relay.transform.vmap import Mapped


class LoopState:
    """The parameters of a mapped loop that is entered through the function `entry`.

    `mapped` are the parameters of the original functions that have the new axis; `name` is the name
    of the function that runs the steps. Raises `C120` if data would have to be mapped.
    """

    def __init__(
        self,
        loop: TailLoop,
        entry: str,
        mapped: Collection[Var],
        data: MappedData,
        name: str,
    ) -> None:
        self.loop, self._entry, self._mapped = loop, entry, mapped
        self.data = data
        self._params = loop.functions[entry].params
        self._invariants = loop.invariants(entry)
        self._mask_type = TensorType((data.size,), "bool")
        self.places: dict[Var | str, int] = {}
        self.state = self._new_state()
        self.fixed = {i: self._new(self._params[i]) for i in sorted({*self._invariants.values()})}
        types = tuple(var.type for var in (*self.fixed.values(), *self.state))
        self.callee = GlobalVar(name, ty=FuncType(types, self.state[-1].type))

    def _new_state(self) -> list[Var]:
        state: list[Var] = []
        for name, function in self.loop.functions.items():
            self.places[name] = len(state)
            state.append(Var("active", self._mask_type, ty=self._mask_type))
            for param in function.params:
                if param not in self._invariants:
                    self.places[param] = len(state)
                    state.append(self._new(param))
        body = self.loop.functions[self._entry].body
        if holds_data(body.type):
            raise mixed_data(body)
        result = self.data.batched(body.type)
        return [*state, Var("result", result, ty=result)]

    def _new(self, param: Var) -> Var:
        """Return the parameter of the mapped loop for one of the original loop."""
        if param not in self._mapped:
            return param
        if holds_data(param.type):
            raise mixed_data(param)
        if ANY in dimensions(param.type):
            raise unknown_size(param)
        ty = self.data.batched(param.type)
        return Var(param.name, ty, span=param.span, ty=ty)

    def new_form(self, param: Var) -> Mapped:
        """Return the parameter of the mapped loop for a parameter of one of its functions."""
        index = self._invariants.get(param)
        if index is None:
            return Mapped(self.state[self.places[param]], param in self._mapped)
        return Mapped(self.fixed[index], self._params[index] in self._mapped)

    def start(self, args: Sequence[Mapped], body: MappedBody, mask: Expr | None) -> Expr:
        """Return the results of the loop for these arguments of `entry`.

        If there is a mask, the loop runs for the elements in it.
        """
        own = dict(zip(self._params, args, strict=True))
        keys = {place: key for key, place in self.places.items()}
        everything = Call(Ones(self._mask_type.shape, "bool"), ())
        values: list[Expr] = []
        for place, var in enumerate(self.state):
            key = keys.get(place)
            if key == self._entry:
                values.append(everything if mask is None else mask)
            elif isinstance(key, Var) and key in own:
                values.append(body.spread(own[key]) if key in self._mapped else own[key].expr)
            else:
                values.append(zeros(var.type, self.loop.functions[self._entry].body))
        found = Call(self.callee, (*(args[index].expr for index in self.fixed), *values))
        if mask is None:
            return found
        emitter = Emitter()
        result = emitter.let(found, "result")
        return emitter.around(Substitution(mask, self.data.size, emitter).of(result))
