"""How many kernels one token takes, and how often the host starts something for it."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch.autograd import DeviceType
from torch.profiler import ProfilerActivity, profile

from decode import Decoder

PROFILED_TOKENS = 16
NO_KERNELS = ("Memcpy", "Memset")
HOST_CALLS = ("cudaLaunch", "cuLaunch", "cudaGraphLaunch")


@dataclass(frozen=True)
class Launches:
    kernels: float  # on the device, for each token
    calls: float  # by the host; one where the step is a graph


def count_launches(decoder: Decoder) -> Launches:
    """Profiles the steps after a prompt of one token. Only for a decoder on a CUDA device."""
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
    return Launches((kernels - first_kernels) / tokens, (calls - first_calls) / tokens)
