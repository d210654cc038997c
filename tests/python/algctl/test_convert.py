"""convert_, least squares, packing, and Hugging Face models."""

import copy
import pickle
import threading
import time
import warnings

import algctl
import pytest
import torch
from torch import nn
from torch._dynamo.testing import CompileCounterWithBackend
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


@pytest.mark.parametrize("name", ["llama", "qwen3", "mistral", "gpt2"])
def test_a_step_of_decoding_computes_what_the_whole_sequence_does(name):
    """The likeliest tokens of a small model may be the same with wrong types."""
    model = small(name).eval()
    algctl.convert_(model, "Q(4)", filter=lambda module, path: "mlp" in path, row_types="interval(3)")
    tokens = torch.randint(2, 100, (2, 9))
    with torch.no_grad():
        whole = model(tokens).logits
        cache = model(tokens[:, :8], use_cache=True).past_key_values
        assert error_of(model(tokens[:, 8:], past_key_values=cache).logits[:, 0], whole[:, 8]) < limit(torch.float32, 10)


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


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.product = nn.Linear(64, 64)

    def forward(self, x, position_ids=None):
        return x + self.product(x)


class Decoder(nn.Module):
    """As OPT-350m's: with products of its own before and behind its layers."""

    def __init__(self, dropped=()):
        super().__init__()
        self.before = nn.Linear(64, 64)
        self.layers = nn.ModuleList([Layer(), Layer()])
        self.behind = nn.Linear(64, 64)
        self.dropped = dropped

    def forward(self, x, position_ids):
        x = self.before(x)
        for number, layer in enumerate(self.layers):
            if number not in self.dropped:
                x = layer(x, position_ids=position_ids)
        return self.behind(x)


class Around(nn.Module):
    """A model with a product beside its decoder."""

    def __init__(self, **options):
        super().__init__()
        self.beside = nn.Linear(64, 64)
        self.decoder = Decoder(**options)

    def forward(self, x, position_ids):
        return self.decoder(self.beside(x), position_ids)


LATE = torch.arange(5, 9)[None]


@pytest.mark.parametrize("name", ["decoder.before", "beside"])
def test_a_layer_that_runs_before_positions_are_known(name):
    """In the first call, and in later ones, which must not see the positions of the call before."""
    model = Around()
    algctl.convert_(model, "Q(4)", row_types="interval(3)")
    with pytest.raises(ValueError, match="positions of the rows are not known yet.*give .*positions.value.*filter"):
        model(torch.randn(1, 4, 64), LATE)
    model = Around()
    algctl.convert_(model, "Q(4)", row_types="interval(3)", filter=lambda module, path: path not in ("decoder.before", "beside"))
    x = torch.randn(1, 4, 64)
    y = model(x, LATE)
    owner, _, attribute = name.rpartition(".")
    early = algctl.AlgLinear(64, 64, "Q(4)", row_types="interval(3)")
    early.positions_source = model.decoder.behind.positions_source
    setattr(model.get_submodule(owner), attribute, early)
    for _ in range(2):
        with pytest.raises(ValueError, match="not known yet"):
            model(x, LATE)
    early.positions_source = None
    assert model(x, LATE).shape == y.shape


def test_a_network_that_runs_before_positions_are_known():
    model = Decoder()
    algctl.convert_(model, "Q(4)", row_types="interval(3)", filter=lambda module, path: path != "before")
    model.before = algctl.SwiGLU(64, 96, "Q(4)", row_types="interval(3)")
    model.before.positions_source = model.behind.positions_source
    for _ in range(2):
        with pytest.raises(ValueError, match="not known yet"), torch.no_grad():
            model(torch.randn(1, 4, 64), LATE)


def converted_decoder(**options):
    model = Decoder(**options)
    algctl.convert_(model, "Q(4)", row_types="interval(3)", filter=lambda module, path: path != "before")
    return model


def with_positions(model, x):
    """The same, with positions given to each layer."""
    x = model.before(x)
    for number, layer in enumerate(model.layers):
        if number not in model.dropped:
            x = x + layer.product(x, LATE)
    return model.behind(x, LATE)


@pytest.mark.parametrize("dropped", [(), (0,), (1,)], ids=["none", "first", "second"])
def test_any_layer_of_a_decoder_tells_positions(dropped):
    """While a model trains, some layers may be left out, also the first."""
    model, x = converted_decoder(dropped=dropped), torch.randn(2, 4, 64)
    for _ in range(2):
        assert torch.equal(model(x, LATE), with_positions(model, x))


@pytest.mark.parametrize("reentrant", [False, True])
def test_layers_that_are_computed_once_more_have_the_same_positions(reentrant):
    """Activation checkpointing computes them again when the call has ended."""
    model = small("llama").train()
    algctl.convert_(model, "Q(4)", filter=lambda module, path: "mlp" in path, row_types="interval(3)")
    tokens = torch.randint(2, 100, (2, 4))
    given = {"labels": tokens, "position_ids": LATE.expand(2, 4), "use_cache": False}
    model(tokens, **given).loss.backward()
    expected = [parameter.grad for parameter in model.parameters()]
    model.gradient_checkpointing_enable({"use_reentrant": reentrant})
    for _ in range(2):
        model.zero_grad()
        model(tokens, **given).loss.backward()
        for parameter, gradient in zip(model.parameters(), expected):
            assert torch.equal(parameter.grad, gradient)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))], ids=["deepcopy", "pickle"])
@pytest.mark.parametrize("when", ["new", "called", "interrupted"])
def test_copies_do_not_know_positions_either(copied, when):
    model, x = converted_decoder(), torch.randn(1, 4, 64)
    early = algctl.AlgLinear(64, 64, "Q(4)", row_types="interval(3)")
    if when != "new":
        model(x, LATE)
    if when == "interrupted":
        model.before, early = early, model.before
        model.before.positions_source = model.behind.positions_source
        with pytest.raises(ValueError, match="not known yet"):
            model(x, LATE)
        model.before, early = early, model.before
    other = copied(model)
    assert torch.equal(other(x, LATE), model(x, LATE))
    early.positions_source = other.behind.positions_source
    other.before = early
    with pytest.raises(ValueError, match="not known yet"):
        other(x, LATE)


@pytest.mark.parametrize("name", ["llama", "gpt2"])
def test_a_converted_model_is_exported(name):
    model = small(name).eval()
    algctl.convert_(model, "Q(4)", filter=lambda module, path: "mlp" in path, row_types="interval(3)")
    given = {"input_ids": torch.randint(2, 100, (2, 4)), "position_ids": LATE.expand(2, 4), "use_cache": False}
    with torch.no_grad():
        program = torch.export.export(copy.deepcopy(model), (), given)
        assert torch.equal(program.module()(**given).logits, model(**given).logits)


def test_a_compiled_model_is_compiled_once():
    model = small("llama").eval()
    algctl.convert_(model, "Q(4)", filter=lambda module, path: "mlp" in path, row_types="interval(3)")
    tokens = torch.randint(2, 100, (2, 4))
    counter = CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(model, fullgraph=True, backend=counter)
    with torch.no_grad():
        for where in (LATE, LATE + 7, LATE):
            given = {"position_ids": where.expand(2, 4), "use_cache": False}
            assert torch.equal(compiled(tokens, **given).logits, model(tokens, **given).logits)
    assert counter.frame_count == 1


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
