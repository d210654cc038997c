"""How exact a result has to be."""

import pathlib

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]


def error_of(result, expected):
    """Relative L2 error."""
    expected = expected.double()
    return ((result.double() - expected).norm() / expected.norm().clamp_min(1e-30)).item()


def limit(dtype, steps=1):
    """Of the relative error of what is rounded to dtype after sums in float32, in so many steps."""
    return steps * (2e-6 if dtype == torch.float32 else 4e-3)
