"""torch.compile, torch.export, CUDA graphs, and what PyTorch checks of operators."""

import copy
import subprocess
import sys

import algctl
import pytest
import torch

from checks import ROOT, error_of, limit


def test_opcheck():
    layer = algctl.AlgLinear(64, 96, "Q(4)", bias=True)
    x = torch.randn(3, 7, 64, requires_grad=True)
    name = layer.bundle_name(x)
    operators = torch.ops.algctl
    positions = torch.randint(0, 30, (3, 7))
    torch.library.opcheck(operators.projection.default, (x, layer.weight, layer.bias, None, None, 3, name))
    torch.library.opcheck(operators.projection.default, (x, layer.weight, layer.bias, positions, None, 0, name))
    dy = torch.randn(3, 7, 96)
    torch.library.opcheck(operators.projection_dx.default, (dy, layer.weight.detach(), None, None, 0, name))
    torch.library.opcheck(operators.projection_dw.default, (x.detach(), dy, None, None, 0, name, torch.float32))
    dy.requires_grad_()
    torch.library.opcheck(operators.projection_dx.default, (dy, layer.weight, None, None, 0, name))
    torch.library.opcheck(operators.projection_dw.default, (x, dy, positions, None, 0, name, torch.float32))
    network = algctl.SwiGLU(64, 128, "Q(4)")
    operands = [x, network.gate.weight, network.up.weight, network.down.weight]
    for operator in (operators.run, operators.run_program):
        torch.library.opcheck(operator.default, (operands, None, 0, network.program(x).name, "forward"))


# Without generating code, which takes most of the time, what is traced and differentiated is the same.
@pytest.mark.parametrize("dynamic, backend", [(False, "aot_eager"), (True, "aot_eager"), (True, "inductor")],
                         ids=["static", "dynamic", "inductor"])
def test_compile(place, dynamic, backend):
    device, dtype = place
    if backend == "inductor" and (device.type, dtype) == ("cpu", torch.bfloat16):
        pytest.skip("the code for float32 on the CPU says enough")

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = algctl.AlgLinear(64, 64, "Q(4)", row_types="interval(3)", bias=True, device=device, dtype=dtype)
            self.network = algctl.SwiGLU(64, 128, "Q(2)^2", row_types="interval(3)", device=device, dtype=dtype)

        def forward(self, x, positions=None):
            return self.network(torch.tanh(self.first(x, positions)), positions) + x

    model = Model()
    compiled = torch.compile(model, fullgraph=True, dynamic=dynamic, backend=backend)
    for length in (12, 24, 36):
        x = torch.randn(2, length, 64, device=device, dtype=dtype)
        results = []
        for form in (model, compiled):
            model.zero_grad()
            y = form(x)
            y.square().sum().backward()
            results.append((y.detach(), [parameter.grad.clone() for parameter in model.parameters()]))
        assert error_of(results[1][0], results[0][0]) < limit(dtype)
        for one, other in zip(results[1][1], results[0][1]):
            assert error_of(one, other) < limit(dtype)
        if not dynamic:
            break


def test_compile_under_autocast():
    network = algctl.SwiGLU(64, 128, "Q(4)")
    compiled = torch.compile(network, fullgraph=True, backend="aot_eager")
    x = torch.randn(2, 12, 64)
    with torch.autocast("cpu", torch.bfloat16):
        y = compiled(x)
        expected = network(x)
    assert y.dtype == torch.bfloat16 and error_of(y, expected) < limit(torch.bfloat16, 2)
    y.float().sum().backward()
    assert network.gate.weight.grad.dtype == torch.float32


def test_an_exported_graph_means_the_same_in_another_process(tmp_path):
    layer = algctl.AlgLinear(64, 96, "Q(4)", row_types="interval(3)").eval()
    x = torch.randn(4, 64)
    rows = torch.export.Dim("rows", max=64)
    program = torch.export.export(layer, (x,), dynamic_shapes={"x": {0: rows}})
    torch.export.save(program, tmp_path / "layer.pt2")
    torch.save((x, layer(x).detach()), tmp_path / "expected.pt")
    script = (f"import sys; sys.path.insert(0, {str(ROOT / 'python')!r}); import torch, algctl\n"
              f"x, expected = torch.load({str(tmp_path / 'expected.pt')!r})\n"
              f"module = torch.export.load({str(tmp_path / 'layer.pt2')!r}).module()\n"
              "assert torch.equal(module(x), expected)\n"
              "assert module(torch.cat([x, x])).shape == (8, 96)\n")
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_a_saved_model_means_the_same_in_another_process(tmp_path):
    """Where other layers were made before it."""
    model = torch.nn.Sequential(algctl.AlgLinear(64, 96, "Q(4)", row_types="interval(3)"), algctl.SwiGLU(96, 128, "Q(4)")).eval()
    x = torch.randn(4, 64)
    torch.save(model, tmp_path / "model.pt")
    torch.save((x, model(x).detach()), tmp_path / "expected.pt")
    script = (f"import sys; sys.path.insert(0, {str(ROOT / 'python')!r}); import torch, algctl\n"
              "algctl.SwiGLU(64, 128, 'Q(2)^2', row_types='interval(3)')\n"
              f"x, expected = torch.load({str(tmp_path / 'expected.pt')!r})\n"
              f"assert torch.equal(torch.load({str(tmp_path / 'model.pt')!r}, weights_only=False)(x), expected)\n")
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_copies_of_a_layer():
    layer = algctl.AlgLinear(64, 96, "Q(4)")
    x = torch.randn(4, 64)
    assert torch.equal(copy.deepcopy(layer)(x), layer(x))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
def test_a_cuda_graph_replays_at_new_positions():
    layer = algctl.AlgLinear(64, 96, "Q(4)", row_types="interval(3)", device="cuda", dtype=torch.bfloat16)
    network = algctl.SwiGLU(96, 128, "Q(4)", row_types="interval(3)", device="cuda", dtype=torch.bfloat16)
    x = torch.randn(1, 1, 64, device="cuda", dtype=torch.bfloat16)
    position = torch.zeros(1, 1, dtype=torch.int64, device="cuda")
    with torch.no_grad():
        network(layer(x, position), position)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = network(layer(x, position), position)
        for where in (0, 3, 7, 11, 100):
            position.fill_(where)
            x.normal_()
            graph.replay()
            assert torch.equal(y, network(layer(x, position), position))
            # The program of the whole network rounds less often than its layers.
            assert error_of(y, network(layer(x, where), where)) < limit(torch.bfloat16, 3)
