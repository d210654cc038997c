"""Compiled steps: how many kernels a block takes, and that they draw the tokens of plain calls."""

from __future__ import annotations

from collections import Counter

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

import decode
from decode import Decoder
from kv_cache import KeyValueCache
from launches import count_launches
from lm_step_calls import PROGRAM, step_calls
from lm_tiny_models import model_of
from model import Attend
from sampling import Sampling

GREEDY = Sampling(temperature=0)
END = 255
WINDOW = 16


def calls_with(layers: int) -> Counter[str]:
    return step_calls(Decoder(model_of("q2x2", layers=layers), GREEDY, END, compile=True), WINDOW)


@pytest.fixture(scope="module")
def one_block() -> Counter[str]:
    return calls_with(1)


def test_a_block_is_eight_launches(one_block: Counter[str]) -> None:
    three_blocks = calls_with(3)
    more = three_blocks - one_block
    assert more[PROGRAM] == 2 * 2 and more["extern_kernels.addmm"] == 2 * 2
    assert (three_blocks.total() - one_block.total()) / 2 <= 8


def test_keys_and_values_that_are_written_apart_are_counted(one_block: Counter[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def step(cache: KeyValueCache, positions: Tensor, window: int) -> list[Attend]:
        def attend(queries: Tensor, keys_values: Tensor) -> Tensor:
            for part, values in zip(cache.layers[0], keys_values):
                part[cache.sequences, :, positions] = values[:, :, 0]
            mask = cache.mask[:, None, None, :window]
            return F.scaled_dot_product_attention(queries, *cache.layers[0][:, :, :, :window], attn_mask=mask)
        return [attend]

    monkeypatch.setattr(KeyValueCache, "step", step)
    assert calls_with(1).total() > one_block.total()


def test_compiled_steps_draw_the_tokens_of_plain_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode, "WINDOW_STEP", 16)
    model = model_of("q2x2", 0.5, layers=1)
    compiled, plain = (Decoder(model, GREEDY, END, most_tokens=29, compile=compile) for compile in (True, False))
    # Two windows and all four types of rows, and the first ones again after a longer sequence.
    with torch._inductor.config.patch(compile_threads=1):
        for prompt, count in (([1, 2, 3], 29), ([7], 12)):
            (expected,) = plain.generate([prompt], count, stops=False)
            assert compiled.generate([prompt], count, stops=False) == [expected] and len(set(expected.tokens)) > 9
    # The steps were compiled before the first token, once for each window.
    assert compiled._compiled_windows == {16, 32}


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_captured_block_is_eight_launches() -> None:
    decoder = Decoder(model_of("q2x2").to("cuda", torch.bfloat16), Sampling(), END, most_tokens=32)
    assert count_launches(decoder).kernels_per_block <= 8
