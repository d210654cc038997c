from __future__ import annotations

import pytest
import torch

import decode
from configuration import ConfigurationError
from decode import Decoder
from kv_cache import next_multiple
from launches import count_launches
from lm_tiny_models import model_of
from model import LanguageModel
from sampling import Sampling, candidates, draw_noise, sample

GREEDY = Sampling(temperature=0)
END = 255


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A context of 64 then has several windows, and prompts are padded."""
    monkeypatch.setattr(decode, "WINDOW_STEP", 16)
    monkeypatch.setattr(decode, "PROMPT_STEP", 8)


def likeliest_without_cache(model: LanguageModel, prompt: list[int], count: int) -> list[int]:
    tokens = list(prompt)
    for _ in range(count):
        tokens.append(int(model(torch.tensor([tokens]))[0, -1].argmax()))
    return tokens[len(prompt):]


@pytest.mark.parametrize("law", ["dense", "q2x2", "q4", "t4"])
def test_cached_equals_uncached(law: str) -> None:
    model = model_of(law)
    # Two windows and all four types of rows.
    decoder = Decoder(model, GREEDY, END, most_tokens=30)
    for prompt in ([1], list(range(14))):
        (generation,) = decoder.generate([prompt], stops=False)
        assert generation.tokens == likeliest_without_cache(model, prompt, 30)
        assert len(set(generation.tokens)) > 2


def test_cached_logits_equal_uncached() -> None:
    model = model_of("q2x2")
    tokens = torch.randint(256, (2, 40), generator=torch.Generator().manual_seed(0))
    decoder = Decoder(model, GREEDY, END, batch=2)
    whole = model.hidden_states(tokens)
    prompt = model.hidden_states(tokens[:, :10], attend=decoder.cache.prefill())
    decoder.cache.set_lengths(torch.full((2,), 10))
    torch.testing.assert_close(prompt, whole[:, :10])
    for position in range(10, 40):
        positions = torch.full((2,), position)
        row = model.hidden_states(tokens[:, position:position + 1], positions[:, None], decoder.cache.step(positions, 48))
        torch.testing.assert_close(row[:, 0], whole[:, position])


@pytest.mark.parametrize("law", ["dense", "q2x2"])
def test_prompts_of_different_lengths_in_one_batch(law: str) -> None:
    model = model_of(law)
    prompts = [[5, 6, 7, 8, 9, 10, 11, 12, 13, 14], [200, 3], [77]]
    together = Decoder(model, GREEDY, END, batch=3, most_tokens=20).generate(prompts, stops=False)
    alone = Decoder(model, GREEDY, END, most_tokens=20)
    assert [generation.tokens for generation in together] == [alone.generate([prompt], stops=False)[0].tokens for prompt in prompts]


def test_sequences_end_and_context_is_filled() -> None:
    model = model_of("dense")
    free = Decoder(model, GREEDY, END, most_tokens=100).generate([[4, 5]], stops=False)[0].tokens
    # Two tokens, then one for each further position, and one more from the last of them.
    assert len(free) == 64 - 2 + 1
    end = free[6]
    (generation,) = Decoder(model, GREEDY, end, most_tokens=100).generate([[4, 5]])
    assert generation.ended and generation.tokens == free[:free.index(end) + 1]
    assert len(Decoder(model, GREEDY, END).generate([[1] * 64])[0].tokens) == 1


def test_seeds_decide_what_is_sampled() -> None:
    decoder = Decoder(model_of("dense", 0.05), Sampling(), END, most_tokens=12)
    first, again, other = (decoder.generate([[1, 2, 3]], seed=seed, stops=False)[0].tokens for seed in (1, 1, 2))
    assert first == again != other


@torch.inference_mode()
def test_warm_up_needs_no_state_and_leaves_none() -> None:
    """What a capture calls first, between a long prompt and a short one."""
    decoder = Decoder(model_of("dense"), GREEDY, END, most_tokens=3)
    expected = decoder.generate([[1, 2]], stops=False)
    decoder.generate([[9] * 60])
    for name, size in (("_prefill", 8), ("_step", 16)):
        decoder._warm_up(name, size)
    assert decoder.generate([[1, 2]], stops=False) == expected


def test_everything_that_runs_was_prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared, run = set(), set()
    decoder = Decoder(model_of("dense"), GREEDY, END, most_tokens=64)
    monkeypatch.setattr(decoder, "_make_ready", lambda name, size: prepared.add((name, size)))
    monkeypatch.setattr(decoder, "_run", lambda name, size: run.add((name, size)))
    for length in range(1, 65):
        for count in (1, 2, 15, 16, 17, 18, 40, 64):
            prepared.clear()
            run.clear()
            decoder.generate([[1] * length], count, stops=False)
            # A prompt without a step behind it may prepare one.
            assert run <= prepared and len(prepared) <= max(2, len(run))


def test_addresses_stay() -> None:
    decoder = Decoder(model_of("dense"), Sampling(), END, most_tokens=12)

    def addresses() -> list[int]:
        state = [*vars(decoder).values(), *vars(decoder.cache).values(), *decoder.cache.layers]
        return [value.data_ptr() for value in state if isinstance(value, torch.Tensor)]

    before = addresses()
    decoder.generate([[1, 2, 3]])
    decoder.generate([[1]])
    assert addresses() == before


@pytest.mark.parametrize("prompts, most_tokens, message", [([[]], 5, "empty"), ([[1] * 65], 5, "does not fit the context of 64"),
                                                           ([[1], [2]], 5, "for a batch of 1"), ([[1]], 99, "room for 10")])
def test_impossible_prompts(prompts: list[list[int]], most_tokens: int, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        Decoder(model_of("dense"), GREEDY, END, most_tokens=10).generate(prompts, most_tokens)


def test_windows() -> None:
    assert [next_multiple(number, 16, 60) for number in (1, 16, 17, 48, 49)] == [16, 16, 32, 48, 60]


def test_top_k_and_top_p() -> None:
    logits = torch.tensor([[0.1, 0.5, 0.2, 0.15, 0.05]]).log()
    weights, tokens = candidates(logits, Sampling(1.0, 1.0, 3))
    assert tokens.tolist() == [[1, 2, 3]]
    torch.testing.assert_close(weights, torch.tensor([[0.5, 0.2, 0.15]]) / 0.85)
    # The tokens before the third have 0.7; top_p is filled by the one that passes it.
    assert (candidates(logits, Sampling(1.0, 0.71, 0))[0] > 0).tolist() == [[True, True, True, False, False]]
    assert (candidates(logits, Sampling(1.0, 0.01, 0))[0] > 0).tolist() == [[True, False, False, False, False]]
    cold = candidates(logits, Sampling(0.5, 1.0, 0))[0]
    torch.testing.assert_close(cold[0, 0] / cold[0, 1], torch.tensor((0.5 / 0.2) ** 2))


PROBABILITIES = torch.tensor([0.1, 0.5, 0.2, 0.15, 0.05])


@pytest.mark.parametrize("sampling, kept", [
    (Sampling(1.0, 1.0, 4), [0.1, 0.5, 0.2, 0.15, 0.0]),  # all but the least likely
    (Sampling(1.0, 0.8, 0), [0.0, 0.5, 0.2, 0.15, 0.0]),  # 0.7 do not fill 0.8, 0.85 do
    (Sampling(0.5, 1.0, 0), [0.01, 0.25, 0.04, 0.0225, 0.0025]),  # half the temperature squares them
], ids=["top_k", "top_p", "temperature"])
def test_samples_have_their_probabilities(sampling: Sampling, kept: list[float]) -> None:
    logits = PROBABILITIES.log().expand(20_000, 5)
    generator = torch.Generator().manual_seed(0)
    noise = torch.empty(20_000, sampling.candidate_count(5))
    draw_noise(noise, sampling, generator)
    counts = torch.bincount(sample(logits, sampling, noise), minlength=5) / 20_000
    expected = torch.tensor(kept) / sum(kept)
    torch.testing.assert_close(counts, expected, rtol=0, atol=0.015)
    assert (counts[expected == 0] == 0).all()


def test_the_likeliest_token_at_temperature_0() -> None:
    logits = PROBABILITIES.log().expand(20_000, 5)
    assert torch.equal(sample(logits, GREEDY, torch.empty(0)), torch.ones(20_000, dtype=torch.int64))


@pytest.mark.parametrize("values, message", [((-1.0, 0.9, 5), "temperature"), ((1.0, 0.0, 5), "top_p"), ((1.0, 0.9, -1), "top_k")])
def test_impossible_sampling(values: tuple[float, float, int], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        Sampling(*values)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_captured_step_is_few_launches() -> None:
    decoder = Decoder(model_of("dense").to("cuda", torch.bfloat16), Sampling(), END, most_tokens=32)
    launches = count_launches(decoder)
    assert launches.calls <= 4 and launches.kernels > 20


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("law", ["dense", "q2x2"])
def test_captured_steps_are_those_of_plain_calls(law: str) -> None:
    model = model_of(law).to("cuda", torch.bfloat16)
    captured, plain = (Decoder(model, Sampling(), END, batch=2, most_tokens=40, capture=capture) for capture in (True, False))
    for prompts in ([[1, 2, 3], [4]], [[9] * 12, [8] * 5]):
        assert [captured.generate(prompts, seed=3, stops=False), captured.generate(prompts, seed=3, stops=False)] == \
            [plain.generate(prompts, seed=3, stops=False)] * 2
