"""Loops of scripts with an unknown number of steps that collect tensors in lists."""

import numpy as np
import pytest
import torch
from frontend.torch_models import same
from torch import Tensor, nn
from torch.utils import _pytree as pytree

import relay
from relay.ir.dims import DimVar

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.values]

STEPS, ROWS = DimVar("steps"), DimVar("rows")


class Layer(nn.Module):
    """A recurrent layer over a list of steps, with a pair of states, as users write it."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.LSTMCell(4, 3)

    def forward(self, x: Tensor, state: tuple[Tensor, Tensor]):
        steps = x.unbind(0)
        outputs: list[Tensor] = []
        for i in range(len(steps)):
            state = self.cell(steps[i], state)
            outputs += [state[0]]
        return torch.stack(outputs), state


def rows(x: Tensor):
    total, found = torch.zeros(4), [x[0]]
    for row in x:
        total = total + row
        found.append(total)
    found.append(total * 2)
    return torch.stack(found, 1), found[-2], found[0], len(found)


def backwards(x: Tensor):
    total, parts = torch.zeros(4), [x[:2]]
    for i in range(x.size(0) - 1, -1, -2):
        total = total * 0.5 + x[i]
        parts.append(total.unsqueeze(0).expand(2, 4))
    return torch.cat(parts), torch.cat(parts, -1)


def nested(x: Tensor):
    lines: list[Tensor] = []
    for i in range(x.size(0)):
        line: list[Tensor] = []
        for j in range(1, 4):
            line.append(x[i, j] - x[i, j - 1])  # noqa: PERF401 - as users write it
        lines.append(torch.stack(line))
    return torch.stack(lines)


def doubled(x: Tensor):
    found: list[Tensor] = []
    while bool(x.abs().sum() < 100):
        x = x * 2
        found.append(x)
    return torch.cat(found)


@pytest.mark.parametrize("function", [rows, backwards, nested, doubled])
def test_a_list_grows_in_a_loop(function):
    script = torch.jit.script(function)
    module, _ = relay.frontend.from_pytorch(script, [("x", (STEPS, 4))])
    agrees(relay.compile(module, threads=1), script, [(torch.rand(n, 4) + 0.1,) for n in (2, 21)])


def test_a_layer_over_a_list_of_steps():
    script = torch.jit.script(Layer().eval())
    infos = [("x", (STEPS, ROWS, 4)), ("state", [(ROWS, 3), (ROWS, 3)])]
    module, _ = relay.frontend.from_pytorch(script, infos)
    assert [each.name for each in module.main.params] == ["x", "state_0", "state_1"]
    inputs = [
        (torch.randn(n, m, 4), (torch.randn(m, 3), torch.randn(m, 3))) for n, m in ((3, 2), (19, 1))
    ]
    agrees(relay.compile(module, threads=1), script, inputs)
    agrees(relay.compile(script, inputs[0], threads=1), script, inputs[:1])


def agrees(compiled, script, inputs):
    for given in inputs:
        found = pytree.tree_leaves(compiled(*pytree.tree_leaves(given)))
        for one, other in zip(found, pytree.tree_leaves(script(*given)), strict=True):
            same(np.asarray(one), other)


def reads_what_grows(x: Tensor):
    found = [x[0]]
    for i in range(x.size(0)):
        found.append(found[-1] + x[i])
    return torch.stack(found)


def grows_in_a_branch(x: Tensor):
    found = [x[0]]
    for i in range(x.size(0)):
        if bool(x[i].sum() > 0):
            found.append(x[i])  # noqa: PERF401
    return torch.stack(found)


def is_cut(x: Tensor):
    found = [x[0]]
    for i in range(x.size(0)):
        found.append(x[i])  # noqa: PERF401
    return torch.stack(found[1:])


def grows_under_two_names(x: Tensor):
    found = [x[0]]
    table = {"found": found}
    for i in range(x.size(0)):
        found.append(x[i])  # noqa: PERF401
    return table["found"][-1]


@pytest.mark.parametrize(
    "function", [reads_what_grows, grows_in_a_branch, is_cut, grows_under_two_names]
)
def test_what_is_not_supported_of_such_lists_is_an_error(function):
    with pytest.raises(relay.RelayError, match="F056") as found:
        relay.frontend.from_pytorch(torch.jit.script(function), [("x", (STEPS, 4))])
    assert found.value.help


def test_a_list_that_grows_in_a_branch_is_an_error():
    @torch.jit.script
    def grown(x: Tensor):
        found = [x]
        if bool(x.sum() > 0):
            found += [x * 2]
        return found[-1]

    with pytest.raises(relay.RelayError, match="F056"):
        relay.compile(grown, (torch.ones(2),))


def test_functions_of_lists_dictionaries_and_texts():
    @torch.jit.script
    def function(x: Tensor, mode: str = "Mean"):
        numbers = [3, 1, 2]
        numbers.sort()
        numbers.reverse()
        numbers.remove(2)
        numbers += [7]
        table = {"a": x}
        table.update({"b": x + 1})
        z = table.get("c", x * 5) + table.setdefault("d", x - 1)
        del table["a"]
        for name, each in table.items():
            z = z + each if name != "b" else z * each
        if mode.lower().startswith("me") and mode.upper().endswith("N"):
            z = z + numbers.index(7) + numbers.count(1) + sorted(numbers)[1]
        return z, len(table), numbers[0] + len(list(range(4)))

    x = torch.rand(3)
    agrees(relay.compile(function, (x,), threads=1), function, [(x,)])


def returns_early(x: Tensor):
    for _ in range(20):
        x = x * 1.5
        if bool(x.sum() > 50):
            return x
    return x - 1


def ends_early(x: Tensor):
    steps = 0
    for i in range(9):
        if bool(x.sum() > 50):
            break
        if i == 1:
            continue
        x, steps = x * 3, steps + i
    return x, steps


def depends_on_sizes(x: Tensor):
    first = x[: max(1, min(x.size(0) - 1, 3))]
    if x.size(0) > 4 and x.size(0) != 6:
        return x.sum(0), first
    return x.mean(0) * 2, first * 2


class Sum:
    """An object of a script."""

    def __init__(self, first: Tensor) -> None:
        self.total = first
        self.count = 1

    def add(self, x: Tensor) -> None:
        self.total = self.total + x
        self.count += 1


def uses_an_object(x: Tensor):
    total = Sum(x)
    with torch.no_grad():
        total.add(x * 2)
    return total.total * total.count


@pytest.mark.parametrize("function", [returns_early, ends_early, depends_on_sizes, uses_an_object])
def test_control_flow(function):
    script = torch.jit.script(function)
    module, _ = relay.frontend.from_pytorch(script, [("x", (STEPS, 4))])
    inputs = [(torch.rand(n, 4) * scale,) for n, scale in ((3, 1), (6, 0), (8, 40))]
    agrees(relay.compile(module, threads=1), script, inputs)


class Greedy(nn.Module):
    """A decoder whose first condition is known: it ends after a certain token, or ten steps."""

    def __init__(self) -> None:
        super().__init__()
        self.head, self.rows = nn.Linear(4, 6), nn.Embedding(6, 4)

    def forward(self, h: Tensor):
        token = torch.zeros(1, dtype=torch.long)
        tokens: list[Tensor] = []
        for _ in range(10):
            h = torch.tanh(h + self.rows(token))
            token = self.head(h).argmax(-1)
            tokens.append(token)
            if int(token) == 1:
                break
        return torch.cat(tokens)


def test_a_loop_over_a_list_that_data_end_after_its_first_step():
    torch.manual_seed(2)
    net = Greedy().eval()
    compiled = relay.compile(torch.jit.script(net), (torch.ones(1, 4),), threads=1)
    lengths = set[int]()
    for _ in range(8):
        h = torch.randn(1, 4) * 3
        same(np.asarray(compiled(h)), net(h))
        lengths.add(len(net(h)))
    assert len(lengths) > 1
