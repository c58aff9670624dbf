"""A TreeLSTM, whose recursion follows its input, a binary tree (Tai et al., 2015)."""

from relay.ir.expr import (
    Call,
    Constructor,
    Expr,
    Function,
    Let,
    Tuple,
    Var,
)
from relay.ir.match_patterns import (
    Clause,
    Match,
    PatternConstructor,
    PatternVar,
)
from relay.ir.module import Module, TypeData
from relay.ir.types import FuncType, GlobalTypeVar, TensorType, TupleType, TypeCall
from relay.ops.functions import core, nn
from relay.testing.zoo.network import Network, Weights, with_weights

HEAD = GlobalTypeVar("Tree")
TREE = TypeCall(HEAD, ())


def constructors(inputs: int) -> tuple[Constructor, Constructor]:
    """Return the constructors `Leaf`, of a vector `(1, inputs)`, and `Node`, of two trees."""
    leaf = Constructor("Leaf", (TensorType((1, inputs)),), HEAD, (), 0)
    return leaf, Constructor("Node", (TREE, TREE), HEAD, (), 1)


def network(inputs: int = 16, hidden: int = 16) -> Network:
    """Return a network that maps a tree to the hidden state of its root, `(1, hidden)`."""
    weights, tree = Weights(), Var("tree", TREE)
    cell = _Cell(weights, inputs, hidden)
    visit = Var("visit", FuncType((TREE,), TupleType((TensorType((1, hidden)),) * 2)))
    body = Let(visit, _visitor(visit, cell, inputs), Call(visit, (tree,))[0])
    made = weights.network([tree], body)
    types = {HEAD.name: TypeData(HEAD, (), constructors(inputs))}
    return Network(Module(made.module.functions, types), made.weights)


def _visitor(visit: Var, cell: "_Cell", inputs: int) -> Function:
    """Return the recursive function for `visit`, which visits both children of a node first."""
    leaf, node = constructors(inputs)
    subtree, vector = Var("subtree", TREE), Var("vector", leaf.inputs[0])
    left, right = Var("left", TREE), Var("right", TREE)
    below = [Call(visit, (part,)) for part in (left, right)]
    clauses = (
        Clause(PatternConstructor(leaf, (PatternVar(vector),)), cell.leaf(vector)),
        Clause(PatternConstructor(node, (PatternVar(left), PatternVar(right))), cell.join(*below)),
    )
    assert isinstance(visit.type, FuncType), "it was made so"
    return Function((subtree,), Match(subtree, clauses), visit.type.result)


class _Cell:
    """The weights of a TreeLSTM, and its equations for leaves and nodes."""

    def __init__(self, weights: Weights, inputs: int, hidden: int) -> None:
        self._of_leaf = weights.matrix("leaf", (3 * hidden, inputs))
        self._leaf_bias = weights.around("bias", 3 * hidden, 0.0)
        self._of_left = weights.matrix("left", (5 * hidden, hidden))
        self._of_right = weights.matrix("right", (5 * hidden, hidden))
        self._bias = weights.around("bias", 5 * hidden, 0.0)

    def leaf(self, vector: Expr) -> Expr:
        """Return the hidden state and the cell state of a leaf."""
        sums = nn.bias_add(nn.dense(vector, self._of_leaf), self._leaf_bias)
        entry, exit_, content = core.split(sums, 3, axis=1)
        return _state(exit_, core.sigmoid(entry) * core.tanh(content))

    def join(self, left: Expr, right: Expr) -> Expr:
        """Return the hidden state and the cell state of a node, with a forget gate per child."""
        sums = nn.dense(left[0], self._of_left) + nn.dense(right[0], self._of_right)
        gates = core.split(nn.bias_add(sums, self._bias), 5, axis=1)
        entry, exit_, content, forget_left, forget_right = gates
        kept = core.sigmoid(forget_left) * left[1] + core.sigmoid(forget_right) * right[1]
        return _state(exit_, kept + core.sigmoid(entry) * core.tanh(content))


def _state(exit_: Expr, content: Expr) -> Expr:
    return Tuple((core.sigmoid(exit_) * core.tanh(content), content))


workload = with_weights(network)
