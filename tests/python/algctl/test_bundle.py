"""Bundles: what they are made from, what they say, and programs of one's own."""

import algctl
import torch
from algctl import compiler, reference

from checks import ROOT, error_of, limit


def test_equal_requests_have_one_bundle():
    first = algctl.compile("Q(4)", in_features=64, out_features=96, dtype="f32")
    second = algctl.compile("Q(4)", in_features=64, out_features=96, dtype=torch.float32)
    assert first.name == second.name and len(first.name) == 64
    assert first.name != algctl.compile("Q(4)", in_features=64, out_features=96, dtype="f32", row_types="interval(3)").name


def test_a_bundle_of_bytes_is_that_of_the_file():
    wanted = compiler.request("Q(4)", in_features=64, out_features=96, dtype="f32")
    path = compiler.bundle_file(wanted)
    assert algctl.Bundle(path).name == algctl.Bundle(path.read_bytes()).name


def test_a_file_that_a_specification_names_counts(tmp_path):
    specification = tmp_path / "layer.toml"
    specification.write_text('[algebra]\ngraph = "edges.dot"\n[layer]\nin = 8\nout = 8\ndtype = "f32"\n')
    (tmp_path / "edges.dot").write_text("digraph { a -> b; }\n")
    one = algctl.compile(specification)
    (tmp_path / "edges.dot").write_text("digraph { a -> b; b -> a; }\n")
    other = algctl.compile(specification)
    assert one.name != other.name
    assert not torch.equal(one.terms[0], other.terms[0])


def test_a_program_of_ones_own_and_its_gradients():
    """y = x + x w + scale (x a) b over Q(4), of examples/adapter.mlir."""
    bundle = algctl.compile(ROOT / "examples" / "adapter.mlir", program_maps=("forward", "backward"))

    def product(x, weight):
        return reference.linear(algctl.compile("Q(4)", in_features=weight.shape[0], out_features=weight.shape[1], dtype="bf16"), x, weight)

    operands = [torch.randn(2, 12, 256), 0.05 * torch.randn(256, 256), 0.05 * torch.randn(256, 32), 0.1 * torch.randn(32, 256)]
    operands = [operand.bfloat16().requires_grad_() for operand in operands] + [torch.tensor([0.5], requires_grad=True)]

    def run(*given):
        return torch.ops.algctl.run(list(given), None, 0, bundle.name, "forward")[0]

    y = run(*operands)
    gradient = torch.randn_like(y)
    y.backward(gradient)
    wide = [operand.detach().double().requires_grad_() for operand in operands]
    x, w, a, b, scale = wide
    expected = x + product(x, w) + scale * product(product(x, a), b)
    expected.backward(gradient.double())
    assert error_of(y, expected) < limit(torch.bfloat16, 2)
    for operand, leaf in zip(operands, wide):
        assert error_of(operand.grad, leaf.grad) < limit(torch.bfloat16, 4)
    traced = torch.compile(run, fullgraph=True, backend="aot_eager")
    assert torch.equal(traced(*operands), y)


def test_operands_may_come_in_any_order(tmp_path):
    text = (ROOT / "examples" / "adapter.mlir").read_text()
    x, w, scale = "%x: tensor<?x256xbf16>", "%w: tensor<256x256xbf16>", ", %scale: tensor<f32>"
    assert f"({x}, {w}," in text and scale in text
    other = tmp_path / "adapter.mlir"
    other.write_text(text.replace(scale, "").replace(f"({x}, {w},", f"(%scale: tensor<f32>, {w}, {x},"))
    given = {"x": torch.randn(2, 12, 256), "w": torch.randn(256, 256), "a": torch.randn(256, 32), "b": torch.randn(32, 256)}
    given = {name: value.bfloat16() for name, value in given.items()} | {"scale": torch.tensor([0.5])}
    results = []
    for path, order in ((ROOT / "examples" / "adapter.mlir", "x w a b scale"), (other, "scale w x a b")):
        bundle = algctl.compile(path)

        def run(*operands, name=bundle.name):
            return torch.ops.algctl.run(list(operands), None, 0, name, "forward")[0]

        operands = [given[name] for name in order.split()]
        results.append(run(*operands))
        torch.library.opcheck(torch.ops.algctl.run.default, (operands, None, 0, bundle.name, "forward"))
    assert results[0].shape == (2, 12, 256)
    assert all(torch.equal(result, results[0]) for result in results)
