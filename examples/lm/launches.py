"""How many kernels one token takes, and each block of it, and how often the host starts something for it."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import torch
from torch import nn
from torch.autograd import DeviceType
from torch.profiler import ProfilerActivity, profile

from decode import Decoder
from model import LanguageModel

PROFILED_TOKENS = 16
NO_KERNELS = ("Memcpy", "Memset")
HOST_CALLS = ("cudaLaunch", "cuLaunch", "cudaGraphLaunch")


@dataclass(frozen=True)
class Launches:
    kernels: float  # on the device, for each token
    calls: float  # by the host; one where the step is a graph
    kernels_per_block: float  # what the blocks take of them, as a mean


def count_launches(decoder: Decoder) -> Launches:
    """Profiles steps after a prompt of one token, and those without blocks. Only for a decoder on a CUDA device."""
    kernels, calls = kernels_and_calls(decoder)
    others, _ = kernels_and_calls(decoder.of(without_blocks(decoder.model)))
    return Launches(kernels, calls, (kernels - others) / len(decoder.model.blocks))


def without_blocks(model: LanguageModel) -> LanguageModel:
    """The rest of a model, with the same parameters."""
    rest = copy.copy(model)
    # A shallow copy shares the dictionary of its parts, too.
    rest._modules = {**model._modules, "blocks": nn.ModuleList()}
    return rest


def kernels_and_calls(decoder: Decoder) -> tuple[float, float]:
    """For each token, kernels on the device and launches by the host."""
    tokens = min(PROFILED_TOKENS, decoder.most_tokens - 1)
    counts = []
    # The prompt and what else is not a step is the same in both runs, and leaves with the difference.
    for length in (1, 1 + tokens):
        decoder.generate([[0]] * len(decoder.lengths), length, seed=0, stops=False)
        torch.cuda.synchronize()
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
            decoder.generate([[0]] * len(decoder.lengths), length, seed=0, stops=False)
            torch.cuda.synchronize()
        events = profiler.events()
        kernels = sum(event.device_type == DeviceType.CUDA and not event.name.startswith(NO_KERNELS) for event in events)
        calls = sum(event.device_type == DeviceType.CPU and event.name.startswith(HOST_CALLS) for event in events)
        counts.append((kernels, calls))
    (first_kernels, first_calls), (kernels, calls) = counts
    return (kernels - first_kernels) / tokens, (calls - first_calls) / tokens
