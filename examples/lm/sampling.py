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


def candidates(logits: Tensor, sampling: Sampling) -> tuple[Tensor, Tensor]:
    """Weights [batch, k], zero for what top_p leaves out, and the tokens that they are of, likeliest first."""
    classes = logits.shape[-1]
    values, tokens = logits.float().topk(min(sampling.top_k or classes, classes), dim=-1)
    probabilities = (values / sampling.temperature).softmax(-1)
    # A token stays while those before it do not fill top_p, so that the first one always does.
    before = probabilities.cumsum(-1) - probabilities
    return torch.where(before < sampling.top_p, probabilities, 0.0), tokens


def sample(logits: Tensor, sampling: Sampling, generator: torch.Generator | None) -> Tensor:
    """One token [batch] for each row of logits [batch, classes]."""
    if sampling.temperature == 0:
        return logits.argmax(-1)
    weights, tokens = candidates(logits, sampling)
    # The smallest of exponential variables with these weights as rates: multinomial sampling without a sum on the host.
    noise = torch.empty_like(weights).exponential_(generator=generator)
    return tokens.gather(-1, (weights / noise).argmax(-1, keepdim=True)).squeeze(-1)
