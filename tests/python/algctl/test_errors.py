"""Wrong input is an exception that names the argument."""

import algctl
import pytest
import torch

layer_arguments = (64, 96, "Q(4)")


@pytest.fixture
def layer():
    return algctl.AlgLinear(*layer_arguments)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.int64, torch.complex64])
def test_types_of_x(layer, dtype):
    with pytest.raises(TypeError, match="x is of torch"):
        layer(torch.zeros(2, 64, dtype=dtype))


@pytest.mark.parametrize("x, name", [([[0.0] * 64], "list"), (None, "NoneType"), (7, "int")], ids=["list", "None", "int"])
@pytest.mark.parametrize("positions", [None, 3], ids=["plain", "positions"])
def test_x_that_is_no_tensor(layer, x, name, positions):
    for module in (layer, algctl.SwiGLU(64, 128, "Q(4)")):
        with pytest.raises(TypeError, match=f"x has to be a tensor, not {name}"):
            module(x, positions)


def test_features_of_x(layer):
    with pytest.raises(RuntimeError, match="x has 63 features, the bundle's layer has 64"):
        layer(torch.zeros(2, 63))


def test_x_without_dimensions(layer):
    with pytest.raises(RuntimeError, match="x has no dimension"):
        layer(torch.zeros(()))


def test_types_of_positions(layer):
    with pytest.raises(TypeError, match="positions are of torch.float32"):
        layer(torch.zeros(2, 64), torch.zeros(2))
    with pytest.raises(TypeError, match="positions are an int or a tensor, not str"):
        layer(torch.zeros(2, 64), "0")
    with pytest.raises(TypeError, match="positions are an int or a tensor, not bool"):
        layer(torch.zeros(2, 64), True)


def test_shapes_of_positions(layer):
    with pytest.raises(ValueError, match=r"positions have the shape \[3\], the rows of x have \[2\]"):
        layer(torch.zeros(2, 64), torch.zeros(3, dtype=torch.int64))


def test_positions_below_0(layer):
    with pytest.raises(RuntimeError, match="positions begin at 0"):
        layer(torch.zeros(2, 64), -1)
    with pytest.raises(RuntimeError, match="positions: element 1 is -4"):
        layer(torch.zeros(2, 64), torch.tensor([0, -4]))


def test_types_where_none_are_wanted(layer):
    with pytest.raises(RuntimeError, match="types"):
        layer(torch.zeros(2, 64), types=torch.zeros(2, dtype=torch.int32))


def test_explicit_types_have_to_be_given():
    layer = algctl.AlgLinear(*layer_arguments, row_types="explicit")
    with pytest.raises(RuntimeError, match="types"):
        layer(torch.zeros(2, 64))
    with pytest.raises(RuntimeError, match="types has 3 numbers for 2 rows"):
        layer(torch.zeros(2, 64), types=torch.zeros(3, dtype=torch.int32))
    with pytest.raises(RuntimeError, match="4"):
        layer(torch.zeros(2, 64), types=torch.tensor([0, 4], dtype=torch.int32))


def test_layers_that_cannot_be():
    with pytest.raises(algctl.CompilerError, match="4 does not divide 65"):
        algctl.AlgLinear(65, 96, "Q(4)")
    with pytest.raises(algctl.CompilerError):
        algctl.AlgLinear(64, 96, "Q(")
    with pytest.raises(ValueError, match="in_groups .* have 63 features together, the layer has 64"):
        algctl.AlgLinear(64, 96, "Q(2)", in_groups=(32, 31))
    with pytest.raises(TypeError, match="dtype is torch.float16"):
        algctl.AlgLinear(*layer_arguments, dtype=torch.float16)
    with pytest.raises(ValueError, match="activation"):
        algctl.SwiGLU(64, 128, activation="tanhh")


def test_an_operator_names_its_argument(layer):
    operator = torch.ops.algctl.projection
    x, name = torch.zeros(2, 64), layer.bundle_name(torch.zeros(1, 64))
    with pytest.raises(RuntimeError, match="x is of bfloat16, the bundle computes on float32"):
        operator(x.bfloat16(), layer.weight, None, None, None, 0, name)
    with pytest.raises(RuntimeError, match="weight is of bfloat16"):
        operator(x, layer.weight.bfloat16(), None, None, None, 0, name)
    with pytest.raises(RuntimeError, match="w"):
        operator(x, layer.weight[:, :95], None, None, None, 0, name)
    with pytest.raises(RuntimeError, match="bias"):
        operator(x, layer.weight, torch.zeros(96), None, None, 0, name)
    with pytest.raises(RuntimeError, match="is neither open nor in"):
        operator(x, layer.weight, None, None, None, 0, "0" * 64)


def test_nan_goes_through(layer):
    x = torch.zeros(8, 64)
    x[0, 0] = float("nan")
    y = layer(x)
    assert y[0].isnan().any()
    # A row of another type does not read the first one.
    assert not y[1:].isnan().any()
    layer.weight.data[0, 0] = float("nan")
    assert layer(torch.ones(8, 64))[0].isnan().any()


def test_bundles_that_are_none(tmp_path):
    with pytest.raises(RuntimeError, match="nothing.alg: cannot open"):
        algctl.Bundle(tmp_path / "nothing.alg")
    with pytest.raises(RuntimeError, match="is not a bundle"):
        algctl.Bundle(b"no bundle at all")
    with pytest.raises(ValueError, match="no bytes"):
        algctl.Bundle(b"")
    with pytest.raises(TypeError, match="a path or bytes, not int"):
        algctl.Bundle(7)
    with pytest.raises(RuntimeError, match="is neither open nor in"):
        algctl.Bundle.named("1" * 64)


def test_a_bundle_for_another_machine(tmp_path):
    """One with kernels for GPUs alone says so on a CPU."""
    bundle = algctl.compile("Q(4)", in_features=64, out_features=64, dtype="bf16", targets=("sm_90a",), rows=(64,))
    x, weight = torch.zeros(4, 64, dtype=torch.bfloat16), torch.zeros(64, 64, dtype=torch.bfloat16)
    with pytest.raises(RuntimeError, match="ALGRT_UNSUPPORTED"):
        torch.ops.algctl.projection(x, weight, None, None, None, 0, bundle.name)


def test_without_a_compiler(monkeypatch, tmp_path):
    monkeypatch.setenv("ALGCTL", str(tmp_path / "algctl"))
    with pytest.raises(algctl.CompilerError, match="which is no program"):
        algctl.compile("Q(5)", in_features=5, out_features=5, dtype="f32")


def test_a_bundle_of_programs_is_no_projection(tmp_path):
    path = tmp_path / "network.toml"
    path.write_text('[algebra]\nproduct = "Q(2)"\n[program]\nkind = "swiglu"\nin = 8\nhidden = 16\ndtype = "f32"\n')
    bundle = algctl.compile(path)
    with pytest.raises(ValueError, match="holds programs"):
        bundle.in_features
    with pytest.raises(RuntimeError, match="has no program nothing"):
        torch.ops.algctl.run([torch.zeros(2, 8)], None, 0, bundle.name, "nothing")
    with pytest.raises(RuntimeError, match="takes 4 operands"):
        torch.ops.algctl.run([torch.zeros(2, 8)] * 5, None, 0, bundle.name, "forward")
