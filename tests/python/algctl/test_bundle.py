"""Bundles: what they are made from, what they say, and programs of one's own."""

import json
import types

import algctl
import pytest
import torch
from algctl import compiler, library, reference

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


@pytest.mark.parametrize("device, prepared", [("cuda", 3), (torch.device("cuda"), 3), ("cuda:1", 1), (2, 2)], ids=str)
def test_kernels_are_loaded_for_the_current_device(monkeypatch, device, prepared):
    """Unless the argument says which; the first device is the current one in most processes, but not in all."""
    bundle = algctl.compile("Q(4)", in_features=64, out_features=96, dtype="f32")
    devices = []
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 3)
    monkeypatch.setattr(library, "operators", types.SimpleNamespace(prepare=lambda name, index: devices.append((name, index))))
    bundle.prepare(device)
    assert devices == [(bundle.name, prepared)]


def test_kernels_are_loaded_for_cuda_devices_alone():
    bundle = algctl.compile("Q(4)", in_features=64, out_features=96, dtype="f32")
    with pytest.raises(ValueError, match="device is cpu, kernels are loaded for CUDA devices"):
        bundle.prepare("cpu")


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


# ---- bundles that were damaged where they are kept ----


@pytest.mark.parametrize("note", ["", "{", "[]", "\udcff"])
def test_a_damaged_note_is_none(monkeypatch, tmp_path, note):
    monkeypatch.setenv("ALGCTL_BUNDLES", str(tmp_path))
    wanted = compiler.request("Q(4)", in_features=64, out_features=96, dtype="f32")
    path = compiler.bundle_file(wanted)
    path.with_suffix(".json").write_text(note, encoding="utf-8", errors="surrogateescape")
    assert compiler.bundle_file(wanted) == path
    assert json.loads(path.with_suffix(".json").read_text())["specification"] == "Q(4)"


def test_a_damaged_bundle_is_made_anew(monkeypatch, tmp_path):
    monkeypatch.setenv("ALGCTL_BUNDLES", str(tmp_path))
    options = {"in_features": 64, "out_features": 96, "dtype": "f32"}
    path = compiler.bundle_file(compiler.request("Q(4)", targets=("cpu",), **options))
    contents = path.read_bytes()
    path.write_bytes(contents[:len(contents) // 2])
    assert algctl.compile("Q(4)", targets=("cpu",), **options).name == algctl.Bundle(path).name
    path.write_bytes(contents[:len(contents) // 2])
    monkeypatch.setattr(compiler, "find", lambda: None)
    with pytest.raises(RuntimeError, match=path.name):
        algctl.compile("Q(4)", targets=("cpu",), **options)


# ---- gradients of programs that keep what gradients read ----


def network(folder, program_maps, **fields):
    path = folder / "network.toml"
    lines = [f"{name} = {json.dumps(value)}" for name, value in {"in": 40, "hidden": 60, "dtype": "f32", **fields}.items()]
    path.write_text('[algebra]\nproduct = "Q(5)"\n[program]\nkind = "swiglu"\n' + "\n".join(lines) + "\n")
    return algctl.compile(path, program_maps=program_maps)


def gradients_of(bundle, program, operands, positions=None):
    leaves = [operand.clone().requires_grad_() for operand in operands]
    y = torch.ops.algctl.run(leaves, positions, 0, bundle.name, program)[0]
    y.pow(2).sum().backward()
    return [leaf.grad for leaf in leaves]


def test_gradients_of_a_program_that_keeps_sums(tmp_path):
    plain = network(tmp_path, ("forward", "backward"))
    keeping = network(tmp_path, ("forward", "backward", "keeping"))
    operands = [torch.randn(3, 7, 40), *(torch.randn(*shape) / 7 for shape in ((40, 60), (40, 60), (60, 40)))]
    for positions in (None, torch.randint(0, 50, (3, 7))):
        expected = gradients_of(plain, "forward", operands, positions)
        for program in ("forward", "forward_keeping"):
            for one, other in zip(gradients_of(keeping, program, operands, positions), expected):
                assert error_of(one, other) < limit(torch.float32, 2)

    def run(*given):
        return torch.ops.algctl.run(list(given), None, 0, keeping.name, "forward")[0]

    with torch.no_grad():
        y = run(*operands)
    leaves = [operand.clone().requires_grad_() for operand in operands]
    torch.compile(run, fullgraph=True, backend="aot_eager")(*leaves).pow(2).sum().backward()
    for leaf, other in zip(leaves, gradients_of(plain, "forward", operands)):
        assert error_of(leaf.grad, other) < limit(torch.float32, 2)
    assert error_of(run(*leaves), y) < limit(torch.float32, 2)
    torch.library.opcheck(torch.ops.algctl.run.default, (leaves, None, 0, keeping.name, "forward"))


def test_what_keeping_needs_is_said(tmp_path):
    bundle = network(tmp_path, ("forward", "backward", "keeping"))
    operands = [torch.randn(7, 40, requires_grad=True), *(torch.randn(*shape) for shape in ((40, 60), (40, 60), (60, 40)))]
    y, gate_sums, _ = torch.ops.algctl.run(operands, None, 0, bundle.name, "forward_keeping")
    with pytest.raises(RuntimeError, match="gate_sums is kept for the gradients of the other results"):
        (y.sum() + gate_sums.sum()).backward()
    y = torch.ops.algctl.run_program(operands, None, 0, bundle.name, "forward")[0]
    with pytest.raises(RuntimeError, match="backward reads gate_sums, up_sums, which forward does not return: run forward_keeping"):
        y.sum().backward()


SQUARES = """
#a = #alg.algebra<"Q(2)">
!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x6xf32, rows(2 x 4), cols(2 x 3)>
!h = !alg.slots<?x6xf32, rows(cyclic 2), cols(2 x 3)>
func.func @forward(%x: tensor<?x8xf32>, %a: tensor<8x6xf32>, %p0: index) -> (tensor<?x6xf32>, tensor<?x6xf32>) {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %as = alg.slots %a rows(2 x 4) cols(2 x 3) : tensor<8x6xf32>
  %g = alg.contract %xs, %as by #a -> k : !x, !w
  %m = alg.map %g : (!h) -> !h {
  ^bb0(%p: f32):
    %r = arith.mulf %p, %p : f32
    alg.yield %r : f32
  }
  %y = alg.gather %m : !h
  %gs = alg.gather %g : !h
  return %y, %gs : tensor<?x6xf32>, tensor<?x6xf32>
}
"""


@pytest.mark.parametrize("loss", [lambda y, sums: y.sum(), lambda y, sums: sums.pow(3).sum(), lambda y, sums: (y * sums).sum()])
def test_gradients_of_a_program_that_returns_what_it_keeps(tmp_path, loss):
    path = tmp_path / "squares.mlir"
    path.write_text(SQUARES)
    product = algctl.compile("Q(2)", in_features=8, out_features=6, dtype="f32")
    operands = [torch.randn(5, 8), torch.randn(8, 6)]
    wide = [operand.double().requires_grad_() for operand in operands]
    sums = reference.linear(product, *wide)
    loss(sums.square(), sums).backward()
    for maps in (("forward", "backward"), ("forward", "backward", "keeping")):
        bundle = algctl.compile(path, program_maps=maps)
        leaves = [operand.clone().requires_grad_() for operand in operands]
        loss(*torch.ops.algctl.run(leaves, None, 0, bundle.name, "forward")).backward()
        for leaf, other in zip(leaves, wide):
            assert error_of(leaf.grad, other.grad) < limit(torch.float32, 4)


# ---- operands and results with a number for each row ----


SCALED_SUMS = """
#a = #alg.algebra<"Q(2)">
!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x6xf32, rows(2 x 4), cols(2 x 3)>
!h = !alg.slots<?x6xf32, rows(cyclic 2), cols(2 x 3)>
func.func @sums(%scale: tensor<?xf32>, %x: tensor<?x8xf32>, %a: tensor<8x6xf32>, %p0: index) -> (tensor<?xf32>, tensor<?x6xf32>) {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %as = alg.slots %a rows(2 x 4) cols(2 x 3) : tensor<8x6xf32>
  %g = alg.contract %xs, %as by #a -> k : !x, !w
  %m = alg.map %g rows %scale : (!h, tensor<?xf32>) -> !h {
  ^bb0(%p: f32, %q: f32):
    %r = arith.mulf %p, %q : f32
    alg.yield %r : f32
  }
  %s = alg.reduce sum %m over columns : !h -> tensor<?xf32>
  %y = alg.gather %m : !h
  return %s, %y : tensor<?xf32>, tensor<?x6xf32>
}
"""


@pytest.mark.parametrize("shape", [(10,), (2, 5), (2, 1, 5), ()], ids=str)
def test_numbers_of_rows(tmp_path, shape):
    path = tmp_path / "sums.mlir"
    path.write_text(SCALED_SUMS)
    bundle = algctl.compile(path, program_maps=("forward", "backward"))
    product = algctl.compile("Q(2)", in_features=8, out_features=6, dtype="f32")
    operands = [torch.randn(shape), torch.randn(*shape, 8), torch.randn(8, 6)]
    leaves = [operand.clone().requires_grad_() for operand in operands]
    wide = [operand.double().requires_grad_() for operand in operands]
    sums, y = torch.ops.algctl.run(leaves, None, 0, bundle.name, "sums")
    expected = reference.linear(product, wide[1], wide[2]) * wide[0][..., None]
    assert sums.shape == shape and y.shape == (*shape, 6)
    assert error_of(sums, expected.sum(-1)) < limit(torch.float32, 3) and error_of(y, expected) < limit(torch.float32, 2)
    (sums.pow(2).sum() + y.pow(2).sum()).backward()
    (expected.sum(-1).pow(2).sum() + expected.pow(2).sum()).backward()
    for leaf, other in zip(leaves, wide):
        assert error_of(leaf.grad, other.grad) < limit(torch.float32, 4)
    torch.library.opcheck(torch.ops.algctl.run_program.default, (leaves, None, 0, bundle.name, "sums"))


def test_a_result_that_the_loss_does_not_depend_on(tmp_path):
    path = tmp_path / "sums.mlir"
    path.write_text(SCALED_SUMS)
    bundle = algctl.compile(path, program_maps=("forward", "backward"))
    leaves = [operand.requires_grad_() for operand in (torch.randn(2, 5), torch.randn(2, 5, 8), torch.randn(8, 6))]
    for chosen in (0, 1):
        results = torch.ops.algctl.run(leaves, None, 0, bundle.name, "sums")
        partly = torch.autograd.grad(results[chosen].pow(2).sum(), leaves)
        results = torch.ops.algctl.run(leaves, None, 0, bundle.name, "sums")
        whole = torch.autograd.grad(results[chosen].pow(2).sum() + 0 * results[1 - chosen].sum(), leaves)
        assert all(torch.equal(one, other) for one, other in zip(partly, whole))


@pytest.mark.parametrize("shape", [(13,), (2, 13)], ids=str)
def test_explicit_types_of_a_program(tmp_path, shape):
    bundle = network(tmp_path, ("forward", "backward"), bias=True, row_types="explicit")
    layer = algctl.compile("Q(5)", in_features=40, out_features=60, dtype="f32", row_types="explicit")
    down = algctl.compile("Q(5)", in_features=60, out_features=40, dtype="f32", row_types="explicit")
    sizes = {"x": (*shape, 40), "gate": (40, 60), "up": (40, 60), "down": (60, 40), "gate_bias": (60,), "up_bias": (60,),
             "down_bias": (40,)}
    types = torch.randint(0, 5, shape, dtype=torch.int32)
    given = {name: (torch.randn(size) / 6).requires_grad_() for name, size in sizes.items()}
    names = [operand["name"] for operand in bundle.programs["forward"] if operand["role"] != "output"]
    operands = [types if name == "types" else given[name] for name in names]
    y = torch.ops.algctl.run(operands, None, 0, bundle.name, "forward")[0]
    gradient = torch.randn_like(y)
    y.backward(gradient)
    wide = {name: value.detach().double().requires_grad_() for name, value in given.items()}

    def product(by, x, name):
        return reference.linear(by, x, wide[name], wide[f"{name}_bias"], types=types)

    hidden = torch.nn.functional.silu(product(layer, wide["x"], "gate")) * product(layer, wide["x"], "up")
    expected = product(down, hidden, "down")
    expected.backward(gradient.double())
    assert error_of(y, expected) < limit(torch.float32, 3)
    for name, value in given.items():
        assert error_of(value.grad, wide[name].grad) < limit(torch.float32, 4), name


def test_hidden_groups_of_unequal_width(tmp_path):
    widths = (20, 33, 7, 1, 35)
    network(tmp_path, ("forward",))
    bundle = algctl.compile(tmp_path / "network.toml", hidden_groups=widths)
    wide = algctl.compile("Q(5)", in_features=40, out_groups=widths, dtype="f32")
    narrow = algctl.compile("Q(5)", in_groups=widths, out_features=40, dtype="f32")
    operands = [torch.randn(*shape) / 6 for shape in ((2, 9, 40), (40, 96), (40, 96), (96, 40))]
    y = torch.ops.algctl.run(operands, None, 0, bundle.name, "forward")[0]
    x, gate, up, down = (operand.double() for operand in operands)
    hidden = torch.nn.functional.silu(reference.linear(wide, x, gate)) * reference.linear(wide, x, up)
    assert error_of(y, reference.linear(narrow, hidden, down)) < limit(torch.float32, 3)


# ---- programs that the operator does not know ----


COMPOSED_WEIGHTS = """
#a = #alg.algebra<"Q(2)">
!w = !alg.slots<8x6xf32, rows(2 x 4), cols(2 x 3)>
!v = !alg.slots<6x4xf32, rows(2 x 3), cols(2 x 2)>
!u = !alg.slots<8x4xf32, rows(2 x 4), cols(2 x 2)>
func.func @compose(%w: tensor<8x6xf32>, %v: tensor<6x4xf32>) -> tensor<8x4xf32> {
  %ws = alg.slots %w rows(2 x 4) cols(2 x 3) : tensor<8x6xf32>
  %vs = alg.slots %v rows(2 x 3) cols(2 x 2) : tensor<6x4xf32>
  %g = alg.contract %ws, %vs by #a -> k : !w, !v
  %y = alg.gather %g : !u
  return %y : tensor<8x4xf32>
}
"""


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_a_program_without_a_matrix_of_rows(tmp_path, device):
    """Where tensors are shapes alone, as in graphs, the sentence is the same."""
    path = tmp_path / "compose.mlir"
    path.write_text(COMPOSED_WEIGHTS)
    bundle = algctl.compile(path)
    operands = [torch.randn(8, 6, device=device), torch.randn(6, 4, device=device)]
    with pytest.raises(RuntimeError, match="the program compose has no operand of M rows"):
        torch.ops.algctl.run_program(operands, None, 0, bundle.name, "compose")
    with pytest.raises(RuntimeError, match="the program compose takes 2 operands, 1 are given"):
        torch.ops.algctl.run_program(operands[:1], None, 0, bundle.name, "compose")


@pytest.mark.parametrize("shape, size", [(["4*M", 40], r"4\*M"), ([40, "M"], "M"), (["S + 1"], r"S \+ 1")], ids=str)
def test_results_of_sizes_that_only_the_runtime_knows(tmp_path, monkeypatch, shape, size):
    """No program of the compiler has such a result yet."""
    bundle = network(tmp_path, ("forward",))
    operands = [dict(operand) for operand in bundle.programs["forward"]]
    result = next(operand for operand in operands if operand["role"] == "output")
    result["shape"] = shape
    monkeypatch.setitem(bundle.programs, "forward", operands)
    given = [torch.randn(*sizes, device="meta") for sizes in ((7, 40), (40, 60), (40, 60), (60, 40))]
    with pytest.raises(RuntimeError, match=f"the result {result['name']} has a size of {size}; the operator knows results of M rows"):
        torch.ops.algctl.run_program(given, None, 0, bundle.name, "forward")
