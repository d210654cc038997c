"""Tiny models whose likeliest tokens differ."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from configuration import read_configuration
from model import LanguageModel


def model_of(law: str, deviation: float = 0.2, **sizes: int) -> LanguageModel:
    """With weights so large that its likeliest tokens differ, and that the types of rows matter."""
    if law != "dense":
        pytest.importorskip("algctl")
    model = LanguageModel(replace(read_configuration(f"tiny-{law}").model, **sizes)).eval().requires_grad_(False)
    generator = torch.Generator().manual_seed(1)
    for parameter in model.parameters():
        if parameter.dim() > 1:
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * deviation)
    return model
