"""The next token from logits, on the device and without waiting for it."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from configuration import require


@dataclass(frozen=True)
class Sampling:
    """The defaults are the paper's. Temperature 0 takes the likeliest token, top_k 0 all of them."""

    temperature: float = 0.8
    top_p: float = 0.95
    top_k: int = 50

    def __post_init__(self) -> None:
        require(self.temperature >= 0, f"temperature is {self.temperature}: it must not be negative")
        require(0 < self.top_p <= 1, f"top_p is {self.top_p}: it has to be in (0, 1]")
        require(self.top_k >= 0, f"top_k is {self.top_k}: it must not be negative")


    @property
    def is_greedy(self) -> bool:
        return self.temperature == 0

    def candidate_count(self, classes: int) -> int:
        return min(self.top_k or classes, classes)


def candidates(logits: Tensor, sampling: Sampling) -> tuple[Tensor, Tensor]:
    """Weights [batch, k], zero for what top_p leaves out, and the tokens that they are of, likeliest first."""
    values, tokens = logits.float().topk(sampling.candidate_count(logits.shape[-1]), dim=-1)
    probabilities = (values / sampling.temperature).softmax(-1)
    # A token stays while those before it do not fill top_p, so that the first one always does.
    before = probabilities.cumsum(-1) - probabilities
    return torch.where(before < sampling.top_p, probabilities, 0.0), tokens


def draw_noise(noise: Tensor, sampling: Sampling, generator: torch.Generator | None) -> None:
    """Fills `noise` [batch, candidates] with what `sample` needs of chance, which is nothing for the likeliest token."""
    if not sampling.is_greedy:
        noise.exponential_(generator=generator)


def sample(logits: Tensor, sampling: Sampling, noise: Tensor) -> Tensor:
    """One token [batch] for each row of logits [batch, classes]. Chance is an argument, so that this part compiles."""
    if sampling.is_greedy:
        return logits.argmax(-1)
    weights, tokens = candidates(logits, sampling)
    # The smallest of exponential variables with these weights as rates: multinomial sampling without a sum on the host.
    return tokens.gather(-1, (weights / noise).argmax(-1, keepdim=True)).squeeze(-1)
