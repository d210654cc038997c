"""SwiGLU as one program, and layer by layer, against the definition in double precision."""

import algctl
import pytest
import torch
from algctl import reference
from torch.nn import functional

from checks import error_of, limit

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


def test_what_it_is_made_of():
    network = algctl.SwiGLU(64, 128, "Q(4)")
    assert list(network.state_dict()) == ["gate.weight", "up.weight", "down.weight"]
    assert network.down.weight.shape == (128, 64)
    with pytest.raises(ValueError, match="explicit"):
        algctl.SwiGLU(64, 128, "Q(4)", row_types="explicit")
