"""convert_, least squares, packing, and Hugging Face models."""

import copy
import threading
import time
import warnings

import algctl
import pytest
import torch
from torch import nn
from torch.nn.utils import prune

from checks import error_of, limit

transformers = pytest.importorskip("transformers")


def multilayer():
    return nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64))


def correlated(rows):
    return torch.randn(rows, 64) @ torch.randn(64, 64) * 0.3


def test_copied_weights_and_the_report():
    model = multilayer()
    dense = copy.deepcopy(model)
    x = correlated(4000)
    with algctl.Moments(model) as moments:
        model(x)
    report = algctl.convert_(model, "Q(4)", moments=moments)
    assert [entry.name for entry in report] == ["0", "2"]
    assert torch.equal(model[0].weight, dense[0].weight.t())
    measured = error_of(model[0](x) - dense[0].bias, dense[0](x) - dense[0].bias)
    assert abs(report[0].error - measured) < 0.02 * measured
    assert "0.4375" in str(report)


def test_least_squares_and_their_report():
    model, x = multilayer(), correlated(4000)
    dense = copy.deepcopy(model)
    with algctl.Moments(model) as moments:
        model(x)
    report = algctl.convert_(model, "Q(4)", init="least_squares", moments=moments)
    for entry in report:
        assert entry.error < 0.9 * entry.copied_error
    measured = error_of(model[0](x) - dense[0].bias, dense[0](x) - dense[0].bias)
    assert abs(report[0].error - measured) < 0.02 * measured


def test_no_weights_are_better_than_the_least_squares():
    """Every row is met by all types, so that the mean over rows is the mean over types: there the gradient has to vanish."""
    rows = correlated(300).repeat_interleave(4, 0)
    dense = nn.Linear(64, 128)
    gradients = {}
    for init in ("copy", "least_squares"):
        model = nn.Sequential(copy.deepcopy(dense))
        with algctl.Moments(model) as moments:
            model(rows)
        algctl.convert_(model, "Q(4)", init=init, moments=moments)
        ((model(rows) - dense(rows)) ** 2).mean().backward()
        gradients[init] = model[0].weight.grad.norm().item()
    assert gradients["least_squares"] < 1e-3 * gradients["copy"]


def test_what_convert_refuses():
    model = multilayer()
    with pytest.raises(ValueError, match="init"):
        algctl.convert_(model, "Q(4)", init="nearest")
    with pytest.raises(ValueError, match="needs moments"):
        algctl.convert_(model, "Q(4)", init="least_squares")
    with pytest.raises(ValueError, match="no dense layer"):
        algctl.convert_(model, "Q(4)", filter=lambda module, name: False)
    mixed = nn.Sequential(nn.Linear(64, 128), nn.Linear(128, 63))
    with pytest.raises(algctl.CompilerError, match="the layer 1, 128 -> 63"):
        algctl.convert_(mixed, "Q(4)")
    assert type(mixed[0]) is nn.Linear  # nothing is half converted


def test_what_is_frozen_stays_frozen():
    model = multilayer()
    model[0].requires_grad_(False)
    model[2].bias.requires_grad_(False)
    frozen = {name for name, parameter in model.named_parameters() if not parameter.requires_grad}
    algctl.convert_(model, "Q(4)")
    assert {name for name, parameter in model.named_parameters() if not parameter.requires_grad} == frozen


def test_a_tied_head_stays_dense():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(32, 64)
            self.body = nn.Linear(64, 64)
            self.head = nn.Linear(64, 32, bias=False)
            self.head.weight = self.embedding.weight

    model = Tied()
    assert [entry.name for entry in algctl.convert_(model, "Q(4)")] == ["body"]
    with pytest.raises(ValueError, match="shares its weights"):
        algctl.convert_(Tied(), "Q(4)", filter=lambda module, name: name == "head")


def normed(layer):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # there are parametrizations that do the same
        return torch.nn.utils.weight_norm(layer)


@pytest.mark.parametrize("change", [lambda layer: prune.l1_unstructured(layer, "weight", 0.5), normed], ids=["pruning", "weight_norm"])
def test_weights_that_others_compute_stay_dense(change):
    model = multilayer()
    change(model[0])
    x = correlated(40)
    with algctl.Moments(model) as moments:
        model(x)
    assert [entry.name for entry in algctl.convert_(model, "Q(4)", init="least_squares", moments=moments)] == ["2"]
    assert type(model[0]) is nn.Linear

    def everything(module, name):
        return True

    for attempt in (lambda model: algctl.convert_(model, "Q(4)", everything), lambda model: algctl.Moments(model, everything)):
        model = multilayer()
        change(model[2])
        with pytest.raises(ValueError, match="the layer 2 computes its weights from others, .* remove_parametrizations or prune.remove"):
            attempt(model)
        assert type(model[0]) is nn.Linear  # nothing is half converted


def small(name):
    common = {"vocab_size": 100, "bos_token_id": 1, "eos_token_id": None, "pad_token_id": 0}
    if name == "gpt2":
        return transformers.GPT2LMHeadModel(transformers.GPT2Config(n_embd=64, n_layer=2, n_head=4, n_positions=64, **common))
    shape = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
             "num_key_value_heads": 2, "max_position_embeddings": 64}
    if name == "llama":
        return transformers.LlamaForCausalLM(transformers.LlamaConfig(**shape, **common))
    if name == "qwen3":
        return transformers.Qwen3ForCausalLM(transformers.Qwen3Config(head_dim=16, **shape, **common))
    return transformers.MistralForCausalLM(transformers.MistralConfig(**shape, **common))


def test_a_whole_model_but_its_head():
    model = small("llama").eval()
    report = algctl.convert_(model, "Q(4)", row_types="interval(3)")
    assert len(report) == 2 * 7 and type(model.lm_head) is nn.Linear
    tokens = torch.randint(2, 100, (1, 5))
    options = {"max_new_tokens": 8, "do_sample": False, "pad_token_id": 0}
    assert torch.equal(model.generate(tokens, **options), model.generate(tokens, use_cache=False, **options))


@pytest.mark.parametrize("name", ["llama", "qwen3", "mistral", "gpt2"])
def test_decoding_with_a_cache_and_padding(name):
    model = small(name).eval()
    algctl.convert_(model, "Q(4)", filter=lambda module, path: "mlp" in path, row_types="interval(3)")
    tokens = torch.randint(2, 100, (2, 7))
    options = {"do_sample": False, "pad_token_id": 0}
    with torch.no_grad():
        cached = model.generate(tokens, max_new_tokens=12, use_cache=True, **options)
        assert torch.equal(cached, model.generate(tokens, max_new_tokens=12, use_cache=False, **options))
        mask = torch.ones(2, 7, dtype=torch.int64)
        mask[0, :3] = 0
        padded = model.generate(tokens, attention_mask=mask, max_new_tokens=6, **options)
        alone = model.generate(tokens[:1, 3:], max_new_tokens=6, **options)
    assert torch.equal(padded[0, 7:], alone[0, 4:])


def test_copies_have_positions_of_their_own():
    model = small("llama").eval()
    algctl.convert_(model, "Q(4)", filter=lambda module, path: "mlp" in path, row_types="interval(3)")
    copied = copy.deepcopy(model)
    tokens = torch.randint(2, 100, (1, 4))
    late = torch.arange(5, 9)[None]
    with torch.no_grad():
        expected = model(tokens, position_ids=late).logits
        model(tokens)
        assert torch.equal(copied(tokens, position_ids=late).logits, expected)


def test_a_converted_model_compiles_and_trains():
    model = small("llama")
    algctl.convert_(model, "Q(4)", filter=lambda module, path: "mlp" in path)
    tokens = torch.randint(2, 100, (2, 9))
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    loss = compiled(tokens, labels=tokens).loss
    loss.backward()
    gradient = model.model.layers[0].mlp.up_proj.weight.grad.clone()
    model.zero_grad()
    model(tokens, labels=tokens).loss.backward()
    assert error_of(gradient, model.model.layers[0].mlp.up_proj.weight.grad) < limit(torch.float32, 20)


# ---- packing ----


def test_packed_weights_compute_the_same():
    model = nn.Sequential(algctl.AlgLinear(64, 96, "Q(4)", bias=True), algctl.SwiGLU(96, 128, "Q(4)")).eval()
    x = torch.randn(2, 9, 64)
    with torch.no_grad():
        expected = model(x)
        state = {name: value.clone() for name, value in model.state_dict().items()}
        assert algctl.pack_(model) > 0
        assert error_of(model(x), expected) < limit(torch.float32, 3)
        assert {name: value for name, value in model.state_dict().items()}.keys() == state.keys()
        with pytest.raises(algctl.PackedError, match="unpack_"):
            model.load_state_dict(state)
        algctl.unpack_(model)
        assert torch.equal(model(x), expected)
    assert list(model.state_dict()) == list(state)


@pytest.mark.parametrize("move", [lambda model: model.bfloat16(), lambda model: model.to("meta"), lambda model: model.share_memory(),
                                  lambda model: model.to_empty(device="meta")], ids=["cast", "moved", "shared", "emptied"])
def test_packed_layers_are_neither_moved_nor_cast(move):
    """The weights that unpack_ gives back would stay where they are."""
    layer = algctl.AlgLinear(64, 96, "Q(4)", bias=True)
    for model in (layer, nn.Sequential(layer)):
        x = torch.randn(2, 64)
        with torch.no_grad():
            expected = model(x)
            algctl.pack_(model.eval())
            with pytest.raises(algctl.PackedError, match="the weights are packed: call algctl.unpack_ before the layer is moved or cast"):
                move(model)
            assert error_of(model(x), expected) < limit(torch.float32)
            algctl.unpack_(model)
            assert torch.equal(model(x), expected)
    move(layer)
    assert layer.weight.dtype == layer.bias.dtype and layer.weight.device == layer.bias.device


def test_packed_weights_live_as_long_as_a_call_reads_them():
    """Another thread may unpack a layer meanwhile."""
    layer = algctl.AlgLinear(1024, 2048, "Q(4)").eval()
    x = torch.randn(2048, 1024)
    with torch.no_grad():
        expected = layer(x)
    for pause in (0.001, 0.005, 0.02):
        algctl.pack_(layer)
        number = next(iter(layer._packed.values()))[0]
        results = []

        def compute():
            with torch.no_grad():
                results.append(torch.ops.algctl.projection_packed(x, number, None, None, None, 0, layer.bundle_name(x)))

        thread = threading.Thread(target=compute)
        thread.start()
        time.sleep(pause)
        algctl.unpack_(layer)
        thread.join()
        assert error_of(results[0], expected) < limit(torch.float32)
        with pytest.raises(RuntimeError, match="there are no packed weights of number"):
            torch.ops.algctl.free(number)


@pytest.mark.parametrize("part", ["gate", "up", "down"])
def test_a_part_of_a_network_may_be_packed(part):
    network = algctl.SwiGLU(64, 128, "Q(4)").eval()
    x = torch.randn(2, 9, 64)
    with torch.no_grad():
        expected = network(x)
        algctl.pack_(getattr(network, part))
        assert error_of(network(x), expected) < limit(torch.float32, 3)
        algctl.unpack_(network)
        assert torch.equal(network(x), expected)


def test_nothing_is_packed_where_one_layer_cannot_be(monkeypatch):
    model = nn.Sequential(algctl.AlgLinear(64, 96, "Q(4)"), algctl.AlgLinear(96, 64, "Q(4)")).eval()
    monkeypatch.setattr(type(model[1].layer), "bundle", lambda layer, *arguments: exec("raise algctl.CompilerError('no')", globals())
                        if layer.in_features == 96 else algctl.Bundle.named(model[0].bundle_name(torch.zeros(1, 64))))
    with pytest.raises(algctl.CompilerError, match="no"):
        algctl.pack_(model)
    assert model[0].weight.shape == (64, 96)


def test_packed_weights_are_for_inference():
    model = algctl.AlgLinear(64, 96, "Q(4)")
    with pytest.raises(algctl.PackedError, match="training mode"):
        algctl.pack_(model)
    model.eval()
    algctl.pack_(model)
    with pytest.raises(algctl.PackedError, match="packed already"):
        algctl.pack_(model)
    with pytest.raises(algctl.PackedError, match="unpack_"):
        model.weight
    with pytest.raises(algctl.PackedError, match="another process"):
        copy.deepcopy(model)
    with pytest.raises(algctl.PackedError, match="inference"):
        model(torch.randn(2, 64, requires_grad=True))
    with pytest.raises(algctl.PackedError, match="bfloat16"):
        with torch.no_grad():
            model(torch.randn(2, 64, dtype=torch.bfloat16))
    assert list(model.parameters()) == []  # no optimizer finds anything to change
    model.train()
    with pytest.raises(algctl.PackedError, match="training"):
        model(torch.randn(2, 64))
    algctl.unpack_(model)
    model(torch.randn(2, 64)).sum().backward()
    assert model.weight.grad is not None
    model.eval()
    with pytest.raises(algctl.PackedError, match="gradient"):
        algctl.pack_(model)
