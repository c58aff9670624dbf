"""Relay inside PyTorch: compiled graphs, training, modules, tensors in shared memory."""

import copy

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import relay  # noqa: E402
from relay.frontend.torch.dtypes import shared_array  # noqa: E402
from relay.interop.torch import TorchModule, as_tensor, relay_backend  # noqa: E402

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]


def net():
    nn = torch.nn
    return nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4))


def test_a_compiled_module_trains_as_pytorch_does():
    model, x = net(), torch.randn(3, 8)
    compiled = torch.compile(model, backend=relay_backend)
    loss = compiled(x).square().mean()
    loss.backward()
    found = [each.grad.clone() for each in model.parameters()]
    model.zero_grad()
    expected = model(x).square().mean()
    expected.backward()
    torch.testing.assert_close(loss, expected)
    for one, parameter in zip(found, model.parameters(), strict=True):
        torch.testing.assert_close(one, parameter.grad, rtol=1e-4, atol=1e-6)


def test_a_compiled_convolutional_net_trains_as_pytorch_does():
    nn = torch.nn
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1),
        nn.Conv2d(8, 8, 3, groups=2, bias=False), nn.BatchNorm2d(8), nn.AvgPool2d(2), nn.Flatten(),
        nn.Linear(8, 4),
    ).train()  # fmt: skip
    other, x = copy.deepcopy(model), torch.randn(4, 3, 16, 16)
    for each in (torch.compile(model, backend=relay_backend, dynamic=False), other):
        each(x).square().mean().backward()
    for one, parameter in zip(model.parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(one.grad, parameter.grad, rtol=1e-3, atol=1e-5)
    for one, buffer in zip(model.buffers(), other.buffers(), strict=True):
        torch.testing.assert_close(one, buffer, rtol=1e-4, atol=1e-5)


def test_a_compiled_module_runs_at_open_sizes():
    model = net()
    compiled = torch.compile(model, backend=relay_backend, dynamic=True)
    with torch.no_grad():
        for size in (3, 5):
            x = torch.randn(size, 8)
            torch.testing.assert_close(compiled(x), model(x), rtol=1e-4, atol=1e-5)


def test_maxima_in_images_of_any_size_have_gradients():
    pool = torch.nn.MaxPool2d((3, 2), (2, 1), (1, 0), (1, 2))
    compiled = torch.compile(pool, backend=relay_backend, dynamic=True)
    for shape in ((2, 2, 5, 6), (3, 2, 8, 7)):
        x = torch.randn(shape, requires_grad=True)
        slopes = [torch.autograd.grad(f(x).square().sum(), x)[0] for f in (compiled, pool)]
        torch.testing.assert_close(*slopes)


def test_adaptive_maxima_have_gradients():
    pool = torch.nn.AdaptiveMaxPool2d((2, 3))
    compiled = torch.compile(pool, backend=relay_backend, dynamic=False)
    x = torch.randn(2, 3, 5, 7, requires_grad=True)
    slopes = [torch.autograd.grad(f(x).square().sum(), x)[0] for f in (compiled, pool)]
    torch.testing.assert_close(*slopes)


def test_a_result_that_no_translation_gives_is_an_error():
    pool = torch.compile(torch.nn.AdaptiveMaxPool2d(3), backend=relay_backend, dynamic=True)
    with pytest.raises(Exception, match=r"F030.*that Relay does not compute"):
        pool(torch.randn(2, 2, 7, 8, requires_grad=True))


def test_attention_trains_as_in_pytorch():
    def attention(q, k, v):
        mask = torch.linspace(-1, 1, 36).reshape(6, 6)
        attend = torch.nn.functional.scaled_dot_product_attention
        masked = attend(q, k, v, attn_mask=mask, scale=0.4)
        return attend(q, k, v) + 2 * masked + 3 * attend(q, k, v, is_causal=True)

    given = [torch.randn(2, 3, 6, 8, requires_grad=True) for _ in range(3)]
    compiled = torch.compile(attention, backend=relay_backend, dynamic=False)
    slope = torch.randn(2, 3, 6, 8)
    found, expected = (torch.autograd.grad(f(*given), given, slope) for f in (compiled, attention))
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_attention_with_shared_heads_trains_as_in_pytorch():
    def attention(q, k, v):
        attend = torch.nn.functional.scaled_dot_product_attention
        return attend(q, k, v, is_causal=True, enable_gqa=True)

    given = [torch.randn(2, heads, 5, 8, requires_grad=True) for heads in (6, 2, 2)]
    compiled = torch.compile(attention, backend=relay_backend, dynamic=False)
    slope = torch.randn(2, 6, 5, 8)
    found, expected = (torch.autograd.grad(f(*given), given, slope) for f in (compiled, attention))
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_a_compiled_function_may_own_tensors():
    def scaled(x):
        return torch.where(x > 0, x * torch.tensor([2.0, 3.0]), torch.tensor(-1.0))

    x = torch.randn(4, 2)
    torch.testing.assert_close(torch.compile(scaled, backend=relay_backend)(x), scaled(x))


def test_integers_of_calls_may_change():
    def repeated(x, k):
        return (x * k if k > 2 else x - k), x.new_zeros(k)

    compiled, x = torch.compile(repeated, backend=relay_backend), torch.randn(3)
    for k in (1, 3, 5, 8):
        for one, other in zip(compiled(x, k), repeated(x, k), strict=True):
            torch.testing.assert_close(one, other)


def test_backward_operators():
    """Each gradient is that of PyTorch; the operators are those of PyTorch's backward graphs."""
    nn, linalg = torch.nn.functional, torch.linalg
    norm = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(6, 2)).requires_grad_(False)

    def several(x, a, grid):
        image = x.view(1, 2, 5, 6)
        return (
            nn.logsigmoid(x).square().sum(),
            linalg.det(a) * 2 + linalg.slogdet(a.mT)[1] + linalg.cholesky(a @ a.mT + 1).sum(),
            nn.adaptive_avg_pool2d(image, (2, 4)).square().sum(),
            nn.grid_sample(image, grid, align_corners=False).square().sum(),
            nn.pad(image, (1, 2, 0, 1), mode="replicate").square().sum(),
            nn.interpolate(image, (3, 4), mode="bilinear", antialias=True).square().sum(),
            torch.cdist(x[:3], x[2:7]).sum() + nn.pdist(x).sum(),
            norm(x).square().sum(),
        )

    given = [torch.randn(10, 6), torch.randn(3, 3), torch.rand(1, 3, 4, 2) - 0.5]
    for each in given:
        each.requires_grad_()
    compiled = torch.compile(several, backend=relay_backend)
    found, expected = (torch.autograd.grad(sum(f(*given)), given) for f in (compiled, several))
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)


def test_random_choices_are_drawn_by_pytorch():
    def drawn(x):
        noisy = torch.nn.functional.gumbel_softmax(x, hard=True)
        dropped = torch.nn.functional.dropout1d(x[None], 0.5, training=True)
        return noisy, torch.multinomial(x.exp(), 2), x.clone().normal_(1, 2), dropped

    x, compiled = torch.randn(4, 5), torch.compile(drawn, backend=relay_backend)
    results = [(torch.manual_seed(3), f(x))[1] for f in (compiled, drawn)]
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other)


def test_complex_tensors_go_in_and_out():
    def spectrum(z, x):
        y = torch.fft.fft(x)
        return z.conj() * y, y.abs().square().mean() * 2, z.imag

    x = torch.randn(3, 6, requires_grad=True)
    z = torch.randn(6, 3, dtype=torch.complex64).t().conj()
    compiled = torch.compile(spectrum, backend=relay_backend)
    found, expected = compiled(z, x), spectrum(z, x)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)
    slopes = [torch.autograd.grad(y.abs().sum() + e, x)[0] for y, e, _ in (found, expected)]
    torch.testing.assert_close(*slopes, rtol=1e-4, atol=1e-5)


def test_axes_of_results_have_the_order_that_views_depend_on():
    def flat(x):
        y = x.t() * 2
        torch._dynamo.graph_break()
        return y.t().view(-1), y[0]

    x = torch.randn(3, 4)
    for one, other in zip(torch.compile(flat, backend=relay_backend)(x), flat(x), strict=True):
        torch.testing.assert_close(one, other)


def test_dropout_is_drawn_by_pytorch():
    compiled = torch.compile(torch.nn.Dropout(0.25), backend=relay_backend, dynamic=True)
    for count in (3, 5):
        x = torch.randn(count, 40, requires_grad=True)
        torch.manual_seed(count)
        found = compiled(x)
        torch.manual_seed(count)
        kept = torch.rand(count, 40) > 0.25
        torch.testing.assert_close(found, x * kept / 0.75)
        (slope,) = torch.autograd.grad(found.sum(), x)
        torch.testing.assert_close(slope, kept / 0.75)


def test_a_program_is_a_module():
    model, x = net().eval(), torch.randn(3, 8)
    module = TorchModule(relay.compile(model, (x,), threads=1))
    torch.testing.assert_close(module(x), model(x), rtol=1e-4, atol=1e-5)
    x.requires_grad_()
    with pytest.raises(relay.RelayError, match="input 'input' needs a gradient") as caught:
        module(x)
    assert caught.value.code == "U327"
    with torch.no_grad():
        assert not module(x).requires_grad
        assert torch.equal(module(input=x), module(x))
        with pytest.raises(relay.RelayError, match="must be a tensor, not ndarray"):
            module(x.numpy())


def test_a_program_in_a_module_is_transformed_by_pytorch():
    class Net(torch.nn.Module):
        def forward(self, x, rows):
            return x.sin()[rows].square(), rows + 1

    x, rows = torch.randn(5, 3, dtype=torch.float64), torch.tensor([2, 0])
    module = TorchModule(relay.load(Net(), example_inputs=(x[0], rows)), threads=1)

    def transformed(model):
        def total(x):
            return model(x, rows)[0].sum()

        curvature = torch.func.vmap(torch.func.hessian(total), in_dims=1)(x.T)
        return torch.func.vmap(model, in_dims=(0, None))(x, rows), curvature

    torch.testing.assert_close(transformed(module), transformed(Net()))
    with torch.no_grad(), pytest.raises(relay.RelayError, match="is transformed by torch"):
        torch.func.vmap(TorchModule(module.executable), in_dims=(0, None))(x, rows)


def test_a_program_in_a_module_has_gradients():
    model, x, ids = net().eval(), torch.randn(3, 8, requires_grad=True), torch.tensor([2, 0])

    class Rows(torch.nn.Module):
        def forward(self, x, ids):
            y = model(x)
            return y[ids].square(), y.argmax(1)

    exported = torch.export.export(Rows(), (x, ids))
    module = TorchModule(relay.frontend.from_pytorch(exported)[0], threads=1)
    found, places = module(x, ids)
    expected, others = Rows()(x, ids)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    assert torch.equal(places, others)
    slope = torch.randn(2, 4)
    (ours,) = torch.autograd.grad(found, x, slope)
    (theirs,) = torch.autograd.grad(expected, x, slope)
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
    with torch.no_grad():
        assert not module(x, ids)[0].requires_grad


def test_a_program_in_a_compiled_module_has_gradients():
    x = relay.var("x", shape=(3,), dtype="float32")
    square = TorchModule(relay.IRModule.from_expr(relay.Function((x,), x * x)))
    net = torch.nn.Sequential(torch.nn.Tanh(), square, torch.nn.Sigmoid())
    given = torch.linspace(-1, 1, 3, requires_grad=True)
    compiled = torch.compile(net, backend="eager")
    found, expected = (torch.autograd.grad(f(given).sum(), given)[0] for f in (compiled, net))
    torch.testing.assert_close(found, expected)


def test_unknown_options_of_the_backend_are_named():
    compiled = torch.compile(torch.nn.ReLU(), backend="relay", mode="max-autotune")
    with pytest.raises(Exception, match=r"unexpected keyword argument 'mode'\. Its options: batch"):
        compiled(torch.ones(2))


def test_gradients_of_a_program_in_a_module_can_be_differentiated():
    critic = torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.Tanh()).eval()
    x = torch.randn(3, 6, requires_grad=True)
    exported = torch.export.export(critic, (x,))
    module = TorchModule(relay.frontend.from_pytorch(exported)[0], threads=1)

    def penalty(function):
        (slope,) = torch.autograd.grad(function(x).square().sum(), x, create_graph=True)
        return torch.autograd.grad((slope.norm(2, 1) - 1).square().mean(), x)[0]

    torch.testing.assert_close(penalty(module), penalty(critic), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool])
def test_tensors_share_the_memory_of_arrays(dtype):
    tensor = torch.ones(3, dtype=dtype)
    again = as_tensor(shared_array(tensor))
    assert (again.dtype, again.data_ptr()) == (dtype, tensor.data_ptr())
    assert as_tensor(np.zeros((2, 0), np.float32)).shape == (2, 0)


def test_quantised_tensors_have_the_scales_of_buffers():
    class Quantised(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("scale", torch.tensor(0.05))
            self.register_buffer("zero", torch.tensor(3))

        def forward(self, x):
            q = torch.quantize_per_tensor(x, self.scale, self.zero, torch.quint8)
            p = torch.nn.functional.relu(q)
            return p.reshape(-1), torch.sigmoid(p).dequantize() + q.dequantize()

    model, x = Quantised(), torch.randn(3, 4)
    compiled = torch.compile(model, backend=relay_backend)
    for scale in (0.05, 0.1):
        model.scale.fill_(scale)
        (q, real), (wanted, wanted_real) = compiled(x), model(x)
        assert (q.dtype, q.q_scale(), q.q_zero_point()) == (torch.quint8, wanted.q_scale(), 3)
        assert torch.equal(q.int_repr(), wanted.int_repr())
        torch.testing.assert_close(real, wanted_real)
