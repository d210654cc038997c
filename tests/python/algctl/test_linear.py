"""AlgLinear and the operators under it, against the product's definition in double precision."""

import algctl
import pytest
import torch
from algctl import reference
from torch.autograd import forward_ad
from torch.nn.utils import prune

from checks import error_of, limit

LAYERS = [
    ("Q(4)", 64, 96, "cyclic"),
    ("Q(2)^2", 64, 128, "interval(3)"),
    ("Q(8)", 128, 64, "interval(16)"),
    ("T(4)", 64, 64, "cyclic"),
    ("Q(1)", 64, 64, "cyclic"),
]


def make(place, algebra, features, out, row_types, *, bias=False, weights=None, **options):
    device, dtype = place
    return algctl.AlgLinear(features, out, algebra, row_types=row_types, bias=bias, device=device, dtype=weights or dtype,
                            **options)


def check(layer, x, positions=None, types=None, scale=1.0):
    """Forward and all gradients of the layer beside those of the reference."""
    bundle = algctl.Bundle.named(layer.bundle_name(x))
    x = x.detach().requires_grad_()
    y = layer(x, positions, types=types)
    gradient = torch.randn_like(y)
    layer.zero_grad()
    y.backward(gradient)
    wide_x = x.detach().double().requires_grad_()
    # What is computed on are the weights as they are rounded.
    wide_weight = layer.weight.detach().to(x.dtype).double().requires_grad_()
    wide_bias = None if layer.bias is None else layer.bias.detach().to(x.dtype).double().requires_grad_()
    expected = reference.linear(bundle, wide_x, wide_weight, wide_bias, positions, types)
    expected.backward(gradient.double())
    tolerance = scale * limit(x.dtype)
    assert y.shape == expected.shape and y.dtype == x.dtype
    assert error_of(y, expected) < tolerance
    assert error_of(x.grad, wide_x.grad) < tolerance
    assert layer.weight.grad.dtype == layer.weight.dtype
    # Sums of products of what is rounded already are exact to the weight's own type, which may be float32 beside bfloat16.
    tolerance = max(scale, 5) * limit(layer.weight.dtype)
    assert error_of(layer.weight.grad, wide_weight.grad) < tolerance
    if layer.bias is not None:
        assert error_of(layer.bias.grad, wide_bias.grad) < tolerance


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: f"{layer[0]}-{layer[3]}")
def test_forward_and_gradients(place, layer):
    made = make(place, *layer)
    x = torch.randn(2, 37, layer[1], device=place[0], dtype=place[1])
    check(made, x)


def test_results_of_many_megabytes(place):
    # Of 4 MiB and more, in memory that begins and ends between two pages of 2 MiB.
    check(make(place, "Q(4)", 512, 1280, "cyclic"), torch.randn(2500, 512, device=place[0], dtype=place[1]))


def test_a_bias_has_its_gradient(place):
    check(make(place, "Q(4)", 64, 96, "cyclic", bias=True), torch.randn(3, 20, 64, device=place[0], dtype=place[1]))


@pytest.mark.parametrize("shape", [(1, 64), (130, 64), (4, 12, 64), (3, 5, 64), (2, 3, 4, 64), (64,)], ids=str)
def test_shapes(place, shape):
    check(make(place, "Q(4)", 64, 96, "interval(3)"), torch.randn(shape, device=place[0], dtype=place[1]))


def test_a_batch_without_rows(place):
    layer = make(place, "Q(4)", 64, 96, "cyclic")
    x = torch.zeros(0, 64, device=place[0], dtype=place[1], requires_grad=True)
    layer(x).sum().backward()
    assert x.grad.shape == (0, 64)
    assert layer.weight.grad.abs().max() == 0


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_positions_of_every_row(place, dtype):
    layer = make(place, "Q(4)", 64, 96, "interval(5)")
    x = torch.randn(3, 21, 64, device=place[0], dtype=place[1])
    positions = torch.randint(0, 1000, (3, 21), device=place[0], dtype=dtype)
    check(layer, x, positions)
    # One number for each place in a sequence.
    check(layer, x, torch.arange(7, 28, device=place[0], dtype=dtype))


def test_sequences_may_begin_later(place):
    layer = make(place, "Q(2)^2", 64, 128, "interval(2)")
    x = torch.randn(2, 16, 64, device=place[0], dtype=place[1])
    check(layer, x, 5)
    whole = layer(torch.cat([x, x], 1))
    parts = torch.cat([layer(x), layer(x, 16)], 1)
    assert torch.equal(whole, parts)


def test_explicit_types(place):
    layer = make(place, "Q(4)", 64, 96, "explicit")
    x = torch.randn(50, 64, device=place[0], dtype=place[1])
    check(layer, x, types=torch.randint(0, 4, (50,), device=place[0], dtype=torch.int32))


def test_groups_of_unequal_width():
    layer = algctl.AlgLinear(64, 96, "Q(3)", in_groups=(32, 16, 16), out_groups=(16, 48, 32))
    check(layer, torch.randn(2, 10, 64))


def test_rows_at_a_distance_and_transposed(place):
    layer = make(place, "Q(4)", 64, 96, "cyclic")
    wide = torch.randn(24, 128, device=place[0], dtype=place[1])
    check(layer, wide[:, :64])
    check(layer, torch.randn(64, 24, device=place[0], dtype=place[1]).t())
    check(layer, torch.randn(5, 4, 64, device=place[0], dtype=place[1]).transpose(0, 1))
    check(layer, wide[::2, :64])
    gradient = torch.randn(1, 96, device=place[0], dtype=place[1]).expand(24, 96)
    x = wide[:, :64].contiguous().requires_grad_()
    layer(x).backward(gradient)
    expected = x.grad.clone()
    x.grad = None
    layer(x).backward(gradient.contiguous())
    assert torch.equal(x.grad, expected)


def test_float32_weights_beside_bfloat16_products():
    layer = algctl.AlgLinear(64, 96, "Q(4)", bias=True)
    check(layer, torch.randn(2, 40, 64, dtype=torch.bfloat16))


def test_autocast(place):
    device, _ = place
    layer = algctl.AlgLinear(64, 96, "Q(4)", device=device, dtype=torch.float32)
    x = torch.randn(2, 40, 64, device=device)
    with torch.autocast(device.type, torch.bfloat16):
        y = layer(x)
    assert y.dtype == torch.bfloat16
    y.float().square().sum().backward()
    assert layer.weight.grad.dtype == torch.float32
    assert torch.equal(y, layer(x.bfloat16()))


def test_gradients_accumulate(place):
    layer = make(place, "Q(4)", 64, 96, "cyclic")
    x = torch.randn(40, 64, device=place[0], dtype=place[1])
    layer(x).sum().backward()
    once = layer.weight.grad.clone()
    layer(x).sum().backward()
    assert error_of(layer.weight.grad, 2 * once) < limit(place[1])


def test_only_what_needs_gradients_is_computed(place):
    layer = make(place, "Q(4)", 64, 96, "cyclic").requires_grad_(False)
    x = torch.randn(40, 64, device=place[0], dtype=place[1], requires_grad=True)
    layer(x).sum().backward()
    assert x.grad is not None and layer.weight.grad is None
    layer.requires_grad_(True)
    layer(x.detach()).sum().backward()
    assert layer.weight.grad is not None


@pytest.mark.parametrize("algebra, positions, bias", [("Q(4)", None, True), ("T(4)", 5, False), ("Q(2)^2", "each", True)])
def test_second_gradients(algebra, positions, bias):
    """Of a loss of the gradients of y, as a penalty on them is."""
    layer = algctl.AlgLinear(32, 48, algebra, bias=bias)
    x = torch.randn(3, 7, 32, requires_grad=True)
    positions = torch.randint(0, 50, (3, 7)) if positions == "each" else positions
    bundle = algctl.Bundle.named(layer.bundle_name(x))
    wide = [leaf.detach().double().requires_grad_() for leaf in (x, *layer.parameters())]
    of_parts = []
    for leaves, y in (([x, *layer.parameters()], layer(x, positions)),
                      (wide, reference.linear(bundle, wide[0], *wide[1:], positions=positions))):
        gradients = torch.autograd.grad(y.pow(3).sum(), leaves, create_graph=True)
        of_parts.append(torch.autograd.grad(sum(gradient.pow(2).sum() for gradient in gradients), leaves))
    for computed, expected in zip(*of_parts):
        assert error_of(computed, expected) < limit(torch.float32, 5)


def test_third_gradients():
    layer = algctl.AlgLinear(32, 48, "Q(4)")
    x = torch.randn(5, 32, requires_grad=True)
    wide_x, wide_weight = x.detach().double().requires_grad_(), layer.weight.detach().double().requires_grad_()
    bundle = algctl.Bundle.named(layer.bundle_name(x))
    results = []
    for leaves, y in (((x, layer.weight), layer(x)), ((wide_x, wide_weight), reference.linear(bundle, wide_x, wide_weight))):
        loss = y.pow(3).sum()
        for _ in range(2):
            loss = sum(gradient.pow(2).sum() for gradient in torch.autograd.grad(loss, leaves, create_graph=True))
        results.append(torch.autograd.grad(loss, leaves))
    for computed, expected in zip(*results):
        assert error_of(computed, expected) < limit(torch.float32, 20)


@pytest.mark.parametrize("varied", [("x",), ("weight",), ("x", "bias"), ("x", "weight", "bias")], ids="-".join)
@pytest.mark.parametrize("algebra, positions, bias", [("Q(4)", None, True), ("T(4)", 5, True), ("Q(2)^2", None, False)])
def test_derivatives_in_forward_mode(algebra, positions, bias, varied):
    layer = algctl.AlgLinear(32, 48, algebra, bias=bias)
    x = torch.randn(3, 7, 32)
    inputs = {"x": x, **dict(layer.named_parameters())}
    tangents = {name: torch.randn_like(inputs[name]) for name in varied if name in inputs}

    def computed(given):
        return torch.func.functional_call(layer, {name: value for name, value in given.items() if name != "x"},
                                          (given.get("x", x), positions))

    def expected(given):
        return reference.linear(bundle, given.get("x", x.double()), given.get("weight", wide["weight"]),
                                given.get("bias", wide.get("bias")), positions=positions)

    y, derivative = torch.func.jvp(computed, ({name: inputs[name].detach() for name in tangents},), (tangents,))
    bundle = algctl.Bundle.named(layer.bundle_name(x))
    wide = {name: value.detach().double() for name, value in inputs.items()}
    wide_y, wide_derivative = torch.func.jvp(expected, ({name: wide[name] for name in tangents},),
                                             ({name: value.double() for name, value in tangents.items()},))
    assert error_of(y, wide_y) < limit(torch.float32, 1)
    assert error_of(derivative, wide_derivative) < limit(torch.float32, 2)


def test_forward_mode_over_reverse_mode_is_an_error():
    layer = algctl.AlgLinear(32, 48, "Q(4)")
    x = torch.randn(3, 32, requires_grad=True)
    with forward_ad.dual_level(), pytest.raises(NotImplementedError):
        y = layer(forward_ad.make_dual(x, torch.randn_like(x)))
        torch.autograd.grad(y.pow(3).sum(), x, create_graph=True)


def test_second_gradients_of_float32_weights_beside_bfloat16_products():
    layer = algctl.AlgLinear(64, 96, "Q(4)", bias=True)
    x = torch.randn(2, 40, 64).bfloat16().requires_grad_()
    gradient, = torch.autograd.grad(layer(x).float().pow(2).sum(), x, create_graph=True)
    gradient.float().pow(2).sum().backward()
    wide_x = x.detach().double().requires_grad_()
    wide_weight, wide_bias = (value.detach().bfloat16().double().requires_grad_() for value in layer.parameters())
    y = reference.linear(algctl.Bundle.named(layer.bundle_name(x)), wide_x, wide_weight, wide_bias)
    torch.autograd.grad(y.pow(2).sum(), wide_x, create_graph=True)[0].pow(2).sum().backward()
    assert layer.weight.grad.dtype == torch.float32
    for computed, expected in ((x, wide_x), (layer.weight, wide_weight), (layer.bias, wide_bias)):
        assert error_of(computed.grad, expected.grad) < limit(torch.bfloat16, 4)


def test_the_reference_has_right_gradients():
    bundle = algctl.compile("Q(2)^2", in_features=8, out_features=16, dtype="f32", row_types="interval(2)")
    x = torch.randn(2, 9, 8, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(8, 16, dtype=torch.float64, requires_grad=True)
    bias = torch.randn(16, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda *arguments: reference.linear(bundle, *arguments), (x, weight, bias))


def test_the_reference_is_the_tensor_square_of_the_paper():
    """B(alpha, delta) = {beta: every bit of beta is that of alpha or of delta}, written out here."""
    bundle = algctl.compile("Q(2)^2", in_features=4, out_features=4, dtype="f32", row_types="cyclic")
    weight = torch.randn(4, 4, dtype=torch.float64)
    x = torch.randn(4, 4, dtype=torch.float64)
    y = reference.linear(bundle, x, weight)
    for row in range(4):
        for column in range(4):
            read = [k for k in range(4) if all((k >> bit) & 1 in ((row >> bit) & 1, (column >> bit) & 1) for bit in (0, 1))]
            assert torch.isclose(y[row, column], sum(x[row, k] * weight[k, column] for k in read))


def test_a_dense_layer_there_and_back():
    dense = torch.nn.Linear(64, 96)
    layer = algctl.AlgLinear.from_linear(dense, "Q(4)")
    assert layer.weight.shape == (64, 96)
    assert torch.equal(layer.weight, dense.weight.t())
    back = layer.to_linear()
    assert torch.equal(back.weight, dense.weight) and torch.equal(back.bias, dense.bias)
    # Over Q(1) both compute the same.
    same = algctl.AlgLinear.from_linear(dense, "Q(1)")
    x = torch.randn(5, 64)
    assert error_of(same(x), dense(x)) < limit(torch.float32)


class Twice(torch.nn.Module):
    def forward(self, weight):
        return 2 * weight


def test_weights_that_others_compute():
    """Parametrizations leave a layer without a parameter `weight`, and so does pruning; it is not packed for that."""
    x = torch.randn(5, 64)
    layer = algctl.AlgLinear(64, 96, "Q(4)")
    expected = 2 * layer(x)
    torch.nn.utils.parametrize.register_parametrization(layer, "weight", Twice())
    assert error_of(layer(x), expected) < limit(torch.float32)
    layer(x).sum().backward()
    with torch.no_grad():
        assert error_of(layer.eval()(x), expected) < limit(torch.float32)
    with pytest.raises(algctl.PackedError, match="computes its weights from others"):
        algctl.pack_(layer)
    layer.zero_grad()
    torch.nn.utils.parametrize.remove_parametrizations(layer, "weight")
    with torch.no_grad():
        assert algctl.pack_(layer) > 0 and error_of(layer(x), expected) < limit(torch.float32)


@pytest.mark.parametrize("change", [torch.nn.utils.parametrizations.weight_norm, torch.nn.utils.parametrizations.spectral_norm,
                                    lambda layer: prune.l1_unstructured(layer, "weight", 0.5)],
                         ids=["weight_norm", "spectral_norm", "pruning"])
def test_weights_that_torch_computes_are_trained(change):
    layer = algctl.AlgLinear(64, 96, "Q(4)")
    change(layer)
    optimizer = torch.optim.SGD(layer.parameters(), 0.1)
    x = torch.randn(5, 64)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = layer(x).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[0] > losses[1] > losses[2]


def test_shapes_without_data():
    layer = algctl.AlgLinear(64, 96, "Q(4)", device="meta")
    assert layer(torch.empty(2, 5, 64, device="meta")).shape == (2, 5, 96)
    network = algctl.SwiGLU(64, 128, "Q(4)", device="meta")
    assert network(torch.empty(2, 5, 64, device="meta")).shape == (2, 5, 64)


def test_state_dict():
    first, second = (algctl.AlgLinear(64, 96, "Q(4)", bias=True) for _ in range(2))
    assert list(first.state_dict()) == ["weight", "bias"]
    second.load_state_dict(first.state_dict())
    x = torch.randn(5, 64)
    assert torch.equal(first(x), second(x))


def test_what_a_layer_says_of_itself():
    layer = algctl.AlgLinear(768, 1536, "Q(2)^2", row_types="interval(192)")
    assert layer.fraction == 9 / 16 and layer.types == 4 and layer.period == 768
    assert "Q(2)^2" in repr(layer) and "0.5625" in repr(layer)
