"""Files that specifications name: what is compiled follows their contents, and not the folder that somebody works in."""

import pickle

import algctl
import pytest
import torch
from algctl import compiler, reference

from checks import ROOT, error_of, limit

CHAIN = "digraph { a; b; c; a -> b; }\n"
LONGER_CHAIN = "digraph { a; b; c; a -> b; b -> c; }\n"

NAMES = ["graph({})", 'graph("{}")', "graph( {} )", "poset({})", "path_algebra({}, 3)", "Q(2) * graph({})", "poset(graph({}))",
         "{}"]


def computes_its_product(layer):
    x = torch.randn(12, layer.in_features)
    fresh = algctl.compile(layer.algebra, in_features=layer.in_features, out_features=layer.out_features, dtype="f32")
    return error_of(layer(x), reference.linear(fresh, x.double(), layer.weight.double())) < limit(torch.float32)


@pytest.mark.parametrize("name", NAMES)
def test_a_changed_graph_is_another_algebra(tmp_path, name):
    graph = tmp_path / "chain.dot"
    algebra = name.format(graph)
    fractions = []
    for text in (CHAIN, LONGER_CHAIN):
        graph.write_text(text)
        layer = algctl.AlgLinear(120, 120, algebra)
        fractions.append(layer.fraction)
        assert computes_its_product(layer)
    assert fractions[0] < fractions[1]


def test_a_changed_table_is_another_algebra(tmp_path):
    table = tmp_path / "quaternions.json"
    text = (ROOT / "examples" / "quaternions.json").read_text()
    keys = []
    for contents in (text, text.replace('"name": "quaternions"', '"name": "others"')):
        table.write_text(contents)
        keys.append(compiler.request(f"table({table})", in_features=24, out_features=24).key())
    assert keys[0] != keys[1]


@pytest.mark.parametrize("product", ['"graph(chain.dot)"', '"graph(\\"chain.dot\\")"', "'poset(\"chain.dot\")'"])
def test_a_changed_graph_in_an_expression_of_a_specification(tmp_path, product):
    specification = tmp_path / "layer.toml"
    specification.write_text(f'[algebra]\nproduct = {product}\n[layer]\nin = 24\nout = 24\ndtype = "f32"\n')
    bundles = []
    for text in (CHAIN, LONGER_CHAIN):
        (tmp_path / "chain.dot").write_text(text)
        bundles.append(algctl.compile(specification))
    assert bundles[0].terms[0].shape != bundles[1].terms[0].shape


def test_a_changed_graph_in_a_program(tmp_path):
    graph, program = tmp_path / "chain.dot", tmp_path / "adapter.mlir"
    text = (ROOT / "examples" / "adapter.mlir").read_text()
    assert '"Q(4)"' in text
    program.write_text(text.replace('"Q(4)"', f"\"graph('{graph}')\""))
    keys = []
    for vertices in (CHAIN, LONGER_CHAIN):
        graph.write_text(vertices)
        keys.append(compiler.request(program).key())
    assert keys[0] != keys[1]


def test_a_relative_name_is_one_of_the_working_folder(tmp_path, monkeypatch):
    layers = []
    for folder, text in (("short", CHAIN), ("long", LONGER_CHAIN)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "chain.dot").write_text(text)
        monkeypatch.chdir(tmp_path / folder)
        layers.append(algctl.AlgLinear(24, 24, "graph(chain.dot)"))
        assert computes_its_product(layers[-1])
    assert layers[0].fraction < layers[1].fraction
    # The first layer computes over the graph that it was made from, also where bundles for another type are compiled later.
    x = torch.randn(12, 24).bfloat16()
    with torch.no_grad():
        assert error_of(layers[0](x), layers[0](x.float())) < limit(torch.bfloat16, 2)
        assert error_of(layers[0](x), layers[1](x)) > 0.1


def test_the_same_graph_elsewhere_has_the_same_bundle(tmp_path, monkeypatch):
    """So that a folder of kept bundles serves another machine."""
    keys = []
    for folder in ("one", "other"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "chain.dot").write_text(CHAIN)
        monkeypatch.chdir(tmp_path / folder)
        for name in ("chain.dot", tmp_path / folder / "chain.dot"):
            keys.append(compiler.request(f"graph({name})", in_features=24, out_features=24).key())
    assert len(set(keys)) == 1


def test_a_layer_keeps_the_graph_that_it_was_made_from(tmp_path, monkeypatch):
    monkeypatch.setenv("ALGCTL_BUNDLES", str(tmp_path / "bundles"))
    graph = tmp_path / "chain.dot"
    graph.write_text(CHAIN)
    layer = algctl.AlgLinear(24, 24, f"graph({graph})")
    x = torch.randn(12, 24)
    expected = layer(x)
    saved = pickle.dumps(layer)
    graph.write_text(LONGER_CHAIN)
    assert torch.equal(layer(x), expected)
    assert torch.equal(pickle.loads(saved)(x), expected)
    with pytest.raises(algctl.CompilerError, match="chain.dot has changed since a layer was made from it"):
        layer(x.bfloat16())
    graph.unlink()
    assert torch.equal(pickle.loads(saved)(x), expected)
    with pytest.raises(algctl.CompilerError, match="chain.dot is not there"):
        layer(x.bfloat16())


def test_a_changed_graph_is_another_network(tmp_path):
    graph = tmp_path / "chain.dot"
    x = torch.randn(12, 24)
    for text in (CHAIN, LONGER_CHAIN):
        graph.write_text(text)
        network = algctl.SwiGLU(24, 36, f"graph({graph})")
        assert computes_its_product(network.gate)
        with torch.no_grad():
            by_layers = network.down(torch.nn.functional.silu(network.gate(x)) * network.up(x))
            assert error_of(network(x), by_layers) < limit(torch.float32, 3)
