"""SwiGLU as one program, and layer by layer, against the definition in double precision."""

import algctl
import pytest
import torch
from algctl import reference
from torch.nn import functional
from torch.nn.utils import prune
from torch.utils._python_dispatch import TorchDispatchMode

from checks import ROOT, error_of, limit

ACTIVATIONS = {"silu": functional.silu, "gelu": functional.gelu, "relu2": lambda x: functional.relu(x).square()}


def expected(network, x, positions=None, activation=functional.silu, dtype=None):
    """The network in double precision with leaves for its weights, as they are rounded to the type of x."""
    leaves = {name: value.detach().to(dtype or x.dtype).double().requires_grad_() for name, value in network.named_parameters()}

    def product(part, rows):
        layer = getattr(network, part)
        bundle = algctl.Bundle.named(layer.bundle_name(x.detach().to(dtype or x.dtype)))
        return reference.linear(bundle, rows, leaves[f"{part}.weight"], leaves.get(f"{part}.bias"), positions)

    wide = x.detach().double().requires_grad_()
    y = product("down", activation(product("gate", wide)) * product("up", wide))
    return wide, leaves, y


@pytest.mark.parametrize("bias", [False, True], ids=["plain", "bias"])
@pytest.mark.parametrize("activation", list(ACTIVATIONS))
def test_forward_and_gradients(place, activation, bias):
    device, dtype = place
    network = algctl.SwiGLU(64, 128, "Q(4)", bias=bias, activation=activation, device=device, dtype=dtype)
    x = torch.randn(2, 24, 64, device=device, dtype=dtype, requires_grad=True)
    y = network(x)
    gradient = torch.randn_like(y)
    y.backward(gradient)
    wide, leaves, result = expected(network, x, activation=ACTIVATIONS[activation])
    result.backward(gradient.double())
    assert error_of(y, result) < limit(dtype, 3)
    assert error_of(x.grad, wide.grad) < limit(dtype, 4)
    for name, parameter in network.named_parameters():
        assert error_of(parameter.grad, leaves[name].grad) < limit(dtype, 4), name


def test_positions(place):
    device, dtype = place
    network = algctl.SwiGLU(64, 128, "Q(2)^2", row_types="interval(3)", device=device, dtype=dtype)
    x = torch.randn(2, 7, 64, device=device, dtype=dtype)
    positions = torch.randint(0, 100, (2, 7), device=device)
    for where in (None, 5, positions):
        with torch.no_grad():
            y = network(x, where)
        assert error_of(y, expected(network, x, where)[2]) < limit(dtype, 3)
    # One row, as in decoding.
    with torch.no_grad():
        assert error_of(network(x[:1, :1], positions[:1, :1]), expected(network, x[:1, :1], positions[:1, :1])[2]) < limit(dtype, 3)


def test_float32_weights_get_float32_gradients(place):
    device, _ = place
    network = algctl.SwiGLU(64, 128, "Q(4)", device=device, dtype=torch.float32)
    x = torch.randn(2, 24, 64, device=device)
    with torch.autocast(device.type, torch.bfloat16):
        y = network(x)
        with torch.no_grad():
            inferred = network(x)
    assert y.dtype == torch.bfloat16
    gradient = torch.randn_like(y)
    y.backward(gradient)
    _, leaves, result = expected(network, x, dtype=torch.bfloat16)
    result.backward(gradient.double())
    assert error_of(inferred, result) < limit(torch.bfloat16, 3)
    for name, parameter in network.named_parameters():
        assert parameter.grad.dtype == torch.float32
        assert error_of(parameter.grad, leaves[name].grad) < limit(torch.bfloat16, 4), name


def test_second_gradients_of_float32_weights_beside_bfloat16_products():
    network = algctl.SwiGLU(64, 128, "Q(4)")
    x = torch.randn(2, 24, 64).bfloat16().requires_grad_()
    gradient, = torch.autograd.grad(network(x).float().pow(2).sum(), x, create_graph=True)
    gradient.float().pow(2).sum().backward()
    wide, leaves, y = expected(network, x)
    torch.autograd.grad(y.pow(2).sum(), wide, create_graph=True)[0].pow(2).sum().backward()
    assert error_of(x.grad, wide.grad) < limit(torch.bfloat16, 10)
    for name, parameter in network.named_parameters():
        assert error_of(parameter.grad, leaves[name].grad) < limit(torch.bfloat16, 10), name


def test_a_program_has_no_second_gradients():
    network = algctl.SwiGLU(64, 128, "Q(4)")
    x = torch.randn(2, 24, 64, requires_grad=True)
    gradient, = torch.autograd.grad(network(x).pow(2).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="programs have no second derivatives"):
        gradient.pow(2).sum().backward()


def test_derivatives_in_forward_mode():
    network = algctl.SwiGLU(64, 128, "Q(4)")
    x, tangent = torch.randn(2, 24, 64), torch.randn(2, 24, 64)
    _, derivative = torch.func.jvp(network, (x,), (tangent,))
    step = 1e-4
    ahead, behind = (expected(network, (x.double() + sign * step * tangent.double()), dtype=torch.float32)[2] for sign in (1, -1))
    assert error_of(derivative, (ahead - behind) / (2 * step)) < limit(torch.float32, 10)


def test_packed_layers_refuse_forward_mode():
    layer = algctl.AlgLinear(64, 128, "Q(4)").eval()
    algctl.pack_(layer)
    x = torch.randn(24, 64)
    with torch.no_grad(), pytest.raises(algctl.PackedError):
        torch.func.jvp(layer, (x,), (torch.randn_like(x),))


def test_parts_of_several_types():
    network = algctl.SwiGLU(64, 128, "Q(4)", dtype=torch.bfloat16)
    network.up.float()
    x = torch.randn(2, 24, 64).bfloat16()
    network(x).float().sum().backward()
    assert [parameter.grad.dtype for parameter in network.parameters()] == [torch.bfloat16, torch.float32, torch.bfloat16]
    assert not torch.equal(network.up.weight.grad, network.up.weight.grad.bfloat16())  # it is not rounded on the way


class Twice(torch.nn.Module):
    def forward(self, weight):
        return 2 * weight


@pytest.mark.parametrize("part", ["gate", "up", "down"])
def test_weights_that_others_compute(part):
    network = algctl.SwiGLU(64, 128, "Q(4)", bias=True)
    x = torch.randn(2, 24, 64)
    torch.nn.utils.parametrize.register_parametrization(getattr(network, part), "weight", Twice())
    computed = network(x)
    torch.nn.utils.parametrize.remove_parametrizations(getattr(network, part), "weight")
    assert error_of(computed, expected(network, x)[2]) < limit(torch.float32, 3)


@pytest.mark.parametrize("part", ["gate", "up", "down"])
def test_pruned_weights_follow_their_parameter(part):
    network = algctl.SwiGLU(64, 128, "Q(4)")
    layer = getattr(network, part)
    prune.l1_unstructured(layer, "weight", 0.5)
    x = torch.randn(2, 24, 64)
    optimizer = torch.optim.SGD(network.parameters(), 0.1)
    for _ in range(2):
        optimizer.zero_grad()
        network(x).sum().backward()
        optimizer.step()
    computed = network.eval()(x)
    prune.remove(layer, "weight")
    assert error_of(computed, expected(network, x)[2]) < limit(torch.float32, 3)


@pytest.mark.parametrize("part", ["gate", "up", "down"])
def test_hooks_of_parts_are_called(part):
    network = algctl.SwiGLU(64, 128, "Q(4)")
    calls = []
    layer = getattr(network, part)
    layer.register_forward_hook(lambda *_: calls.append("forward"))
    layer.register_forward_pre_hook(lambda *_: calls.append("before"))
    layer.register_full_backward_hook(lambda *_: calls.append("backward"))
    network(torch.randn(2, 24, 64, requires_grad=True)).sum().backward()
    assert calls == ["before", "forward", "backward"]


class Calls(TorchDispatchMode):
    """The operators of algctl that compute, as they are called; bundles may have to be opened between them."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        name = function.name().removeprefix("algctl::")
        if function.namespace == "algctl" and name.startswith(("projection", "run_")):
            self.names.append(name)
        return function(*arguments, **(keywords or {}))


@pytest.mark.parametrize("trained", [(), ("down",), ("gate", "up")], ids=lambda parts: "-".join(parts) or "none")
def test_frozen_weights_have_no_gradients_that_nobody_wants(trained):
    network = algctl.SwiGLU(64, 128, "Q(4)", bias=True)
    for name, parameter in network.named_parameters():
        parameter.requires_grad_(name.split(".")[0] in trained)
    x = torch.randn(2, 24, 64, requires_grad=True)
    with Calls() as calls:
        y = network(x)
        y.sum().backward()
    assert calls.names.count("projection_dw") == len(trained)
    assert calls.names.count("projection_dx") == 3
    assert "run_program" not in calls.names
    wide, leaves, result = expected(network, x)
    result.sum().backward()
    assert error_of(x.grad, wide.grad) < limit(torch.float32, 4)
    for name, parameter in network.named_parameters():
        if parameter.requires_grad:
            assert error_of(parameter.grad, leaves[name].grad) < limit(torch.float32, 4), name
        else:
            assert parameter.grad is None
    # Without gradients, and where all of them are wanted, it is one program.
    with Calls() as calls:
        network.requires_grad_(False)(x.detach())
        network.requires_grad_()(x)
    assert calls.names == ["run_program", "run_program"]


ALGEBRAS = ["graph(chain.dot)", "chain.dot", "{folder}/chain.dot", "graph({folder}/chain.dot)", 'graph("chain.dot")', "layer.toml",
            'quiver("a:1->2, b:2->3", relations="a*b")', "quaternions.json", "table(quaternions.json)", "slots.toml"]


@pytest.mark.parametrize("algebra", ALGEBRAS)
def test_algebras_of_layers_are_those_of_networks(tmp_path, monkeypatch, algebra):
    (tmp_path / "chain.dot").write_text("digraph { a; b; c; a -> b; b -> c; }\n")
    (tmp_path / "layer.toml").write_text("# A comment.\n[algebra]\ngraph = 'chain.dot'\n\n[layer]\nin = 9\nout = 9\n")
    (tmp_path / "slots.toml").write_text('[algebra]\nproduct = "graph(chain.dot)"\n[layer]\nlift = "slots"\nin = 5\nout = 5\n')
    (tmp_path / "quaternions.json").write_text((ROOT / "examples" / "quaternions.json").read_text())
    monkeypatch.chdir(tmp_path)
    network = algctl.SwiGLU(120, 60, algebra.format(folder=tmp_path), bias=None)
    monkeypatch.chdir(ROOT)
    for dtype in (torch.float32, torch.bfloat16):
        x = torch.randn(2, 12, 120).to(dtype)
        with torch.no_grad():
            assert error_of(network(x), expected(network, x)[2]) < limit(dtype, 3)


@pytest.mark.parametrize("text", ['[algebra]\ngraph = "chain.dot"\n', '[algebra]\nproduct = "Q(1) * graph(chain.dot)"\n',
                                  "algebra = { graph = 'chain.dot' }\n", '[algebra]\nproduct = "graph(\\"chain.dot\\")"\n'])
def test_files_of_specifications_lie_anywhere(tmp_path, monkeypatch, text):
    folder = tmp_path / "other's (1), data"
    folder.mkdir()
    (folder / "chain.dot").write_text("digraph { a; b; c; a -> b; b -> c; }\n")
    (folder / "layer.toml").write_text(text + "[layer]\nin = 9\nout = 9\n")
    monkeypatch.chdir(folder)
    network = algctl.SwiGLU(12, 6, "layer.toml")
    x = torch.randn(7, 12)
    with torch.no_grad():
        assert error_of(network(x), expected(network, x)[2]) < limit(torch.float32, 3)


def test_what_no_network_computes_is_said_at_once(tmp_path):
    (tmp_path / "table.json").write_text('{"name": "loose", "field": "Q", "dimension": 2, "constants": [[0, 0, 1, "1"], [1, 0, 0, "1"]]}')
    specification = tmp_path / "loose.toml"
    specification.write_text('[algebra]\ntable = "table.json"\nallow_nonassociative = true\n[layer]\nin = 8\nout = 8\n')
    algctl.AlgLinear(8, 8, specification)
    with pytest.raises(algctl.CompilerError, match="is not associative"):
        algctl.SwiGLU(8, 8, specification)


def test_what_it_is_made_of():
    network = algctl.SwiGLU(64, 128, "Q(4)")
    assert list(network.state_dict()) == ["gate.weight", "up.weight", "down.weight"]
    assert network.down.weight.shape == (128, 64)
    with pytest.raises(ValueError, match="explicit"):
        algctl.SwiGLU(64, 128, "Q(4)", row_types="explicit")
