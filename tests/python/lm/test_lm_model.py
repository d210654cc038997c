from __future__ import annotations

import pytest
import torch

from configuration import ConfigurationError, ModelConfiguration, preset_names, read_configuration
from loss import linear_cross_entropy
from model import LanguageModel

PAPER_PARAMETERS = 110_631_168
SMALL_PARAMETERS = 7_488_000


def tiny(name: str, seed: int = 0) -> LanguageModel:
    if name != "dense":
        pytest.importorskip("algctl")
    return LanguageModel(read_configuration(f"tiny-{name}").model, seed)


@pytest.mark.parametrize("name, count", [("paper-dense", PAPER_PARAMETERS), ("paper-algebraic", PAPER_PARAMETERS),
                                         ("small-dense", SMALL_PARAMETERS), ("small-q2x2", SMALL_PARAMETERS)])
def test_parameter_count(name: str, count: int) -> None:
    configuration = read_configuration(name).model
    if configuration.is_algebraic:
        pytest.importorskip("algctl")
        model = LanguageModel(configuration)
    else:
        with torch.device("meta"):
            model = LanguageModel(configuration)
    assert sum(parameter.numel() for parameter in set(model.parameters())) == count
    assert model.parameter_count() == count


def test_presets_are_read_and_pairs_differ_in_the_law_alone() -> None:
    assert {"paper-dense", "paper-algebraic", "small-q4", "small-t4", "tiny-dense"} <= set(preset_names())
    laws_of_size = {"paper": ("dense", "algebraic"), "small": ("dense", "q2x2", "q4", "t4"), "tiny": ("dense", "q2x2", "q4", "t4")}
    for size, laws in laws_of_size.items():
        first, *others = [read_configuration(f"{size}-{law}") for law in laws]
        for other in others:
            assert other.training == first.training
            different = {name for name, value in vars(other.model).items() if value != getattr(first.model, name)}
            assert different <= {"algebra", "row_types"}


@pytest.mark.parametrize("law", ["q2x2", "t4"])
def test_pair_starts_from_the_same_numbers(law: str) -> None:
    dense, algebraic = tiny("dense").state_dict(), tiny(law).state_dict()
    assert set(dense) == set(algebraic)
    for name, value in dense.items():
        assert torch.equal(value.t() if ".feed_forward." in name else value, algebraic[name]), name
    assert dense["blocks.0.feed_forward.gate.weight"].std() == pytest.approx(0.02, rel=0.1)
    assert dense["blocks.0.feed_forward.down.weight"].std() == pytest.approx(0.02 / 2, rel=0.1)
    assert not torch.equal(tiny("dense", seed=1).token_embedding.weight, dense["token_embedding.weight"])


@pytest.mark.parametrize("law", ["dense", "q2x2"])
def test_model_is_causal(law: str) -> None:
    model = tiny(law)
    tokens = torch.randint(256, (2, 40), generator=torch.Generator().manual_seed(0))
    changed = tokens.clone()
    changed[:, 25:] = 3
    torch.testing.assert_close(model(tokens)[:, :25], model(changed)[:, :25])


@pytest.mark.parametrize("law", ["dense", "q2x2", "q4", "t4"])
def test_rows_with_positions_are_those_of_a_sequence(law: str) -> None:
    model = tiny(law)
    tokens = torch.randint(256, (2, 40), generator=torch.Generator().manual_seed(0))
    positions = torch.arange(40).expand(2, 40)
    torch.testing.assert_close(model.hidden_states(tokens, positions), model.hidden_states(tokens))


def test_row_types_follow_positions() -> None:
    """A feed-forward network computes something else for the same row at a position of another type."""
    feed_forward = tiny("q2x2").blocks[0].feed_forward
    row = torch.randn(1, 1, 32, generator=torch.Generator().manual_seed(0))
    first, same_type, other_type = (feed_forward(row, torch.tensor([[position]])) for position in (0, 7, 8))
    assert torch.equal(first, same_type)
    assert not torch.allclose(first, other_type)


def test_feed_forward_weights_get_gradients() -> None:
    model = tiny("q2x2")
    tokens = torch.randint(256, (2, 33), generator=torch.Generator().manual_seed(0))
    model(tokens[:, :-1], tokens[:, 1:]).backward()
    assert all(parameter.grad is not None and parameter.grad.any() for parameter in model.parameters())


@pytest.mark.parametrize("dtype, tolerance", [(torch.float32, 1e-5), (torch.bfloat16, 2e-2)])
@pytest.mark.parametrize("chunk_rows", [7, 20])
def test_chunked_loss(dtype: torch.dtype, tolerance: float, chunk_rows: int) -> None:
    generator = torch.Generator().manual_seed(0)
    targets = torch.randint(50, (40,), generator=generator)
    values = torch.randn(40, 16, generator=generator), torch.randn(50, 16, generator=generator)
    results = []
    for rows in (0, chunk_rows):
        hidden, weight = (value.clone().requires_grad_() for value in values)
        with torch.autocast("cpu", dtype, enabled=dtype != torch.float32):
            loss = linear_cross_entropy(hidden, weight, targets, rows)
        (3 * loss).backward()
        assert weight.grad.dtype == torch.float32
        results.append((loss.detach(), hidden.grad, weight.grad))
    for whole, chunked in zip(*results):
        torch.testing.assert_close(chunked, whole, rtol=tolerance, atol=tolerance * float(whole.abs().max()))


def test_chunked_loss_without_gradients() -> None:
    hidden, weight, targets = torch.randn(9, 4), torch.randn(5, 4, requires_grad=True), torch.arange(9) % 5
    with torch.no_grad():
        torch.testing.assert_close(linear_cross_entropy(hidden, weight, targets, 2), linear_cross_entropy(hidden, weight, targets))


@pytest.mark.parametrize("values, message", [({"heads": 5}, "not a multiple"), ({"layers": 0}, "positive"),
                                             ({"norm_epsilon": 0.0}, "norm_epsilon")])
def test_impossible_models(values: dict[str, float], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        ModelConfiguration(**values)


def test_unknown_algebra_is_an_error_of_the_user() -> None:
    pytest.importorskip("algctl")
    with pytest.raises(ConfigurationError, match="Nonsense"):
        LanguageModel(ModelConfiguration(layers=1, width=32, heads=4, hidden=64, context=8, vocabulary=16, algebra="Nonsense"))


def test_sequence_longer_than_the_context() -> None:
    with pytest.raises(ConfigurationError, match="65 tokens do not fit the context of 64"):
        tiny("dense")(torch.zeros(1, 65, dtype=torch.int64))
