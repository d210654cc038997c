#!/usr/bin/env python3
"""Algebraic layers beside dense ones in PyTorch, in one run: ratios of times that are measured alternately.

    .venv/bin/python benchmarks/pytorch/layers.py [--threads 2] [--rounds 7] [--json results.json]

"passes" is one forward and backward pass, gradients of x and of the weights, as autograd runs it; "bound" is what the
multiplications allow; "call" the time of one row of a small layer in inference mode, which is mostly overhead.
A ratio is the median over the rounds of the dense time over the algebraic one; beside it stand the quartiles. On a CUDA device,
with --device cuda, only bfloat16 is measured.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import sys
import time
from collections.abc import Callable

import torch
from torch import nn

try:
    import algctl
except ImportError:  # of this checkout, where no package is installed
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
    import algctl

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16}
# in, out, algebra, row types, rows
LAYERS = [
    (2048, 6144, "Q(32)", "cyclic", 2048),
    (768, 1536, "Q(2)^2", "interval(192)", 1536),
    (1536, 768, "Q(2)^2", "interval(192)", 1536),
]


def seconds(run: Callable[[], object], device: torch.device, repeats: int) -> float:
    begin = time.perf_counter()
    for _ in range(repeats):
        run()
    if device.type == "cuda":
        torch.cuda.synchronize()
    return (time.perf_counter() - begin) / repeats


def compare(dense: Callable[[], object], algebraic: Callable[[], object], device: torch.device, rounds: int,
            least: float = 0.2) -> dict[str, float]:
    """Both in turn, each round as often as takes some `least` seconds."""
    for run in (dense, algebraic):
        run()
    repeats = [max(1, round(least / max(1e-7, seconds(run, device, 1)))) for run in (dense, algebraic)]
    times = []
    for number in range(rounds):
        # Who begins alternates, too: a machine slows down and speeds up within a round.
        order = (0, 1) if number % 2 == 0 else (1, 0)
        pair = [0.0, 0.0]
        for which in order:
            pair[which] = seconds((dense, algebraic)[which], device, repeats[which])
        times.append(pair)
    ratios = sorted(pair[0] / pair[1] for pair in times)
    quartiles = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else [ratios[0]] * 3
    return {"ratio": statistics.median(ratios), "lower": quartiles[0], "upper": quartiles[2],
            "dense_us": 1e6 * statistics.median(pair[0] for pair in times),
            "algebraic_us": 1e6 * statistics.median(pair[1] for pair in times)}


def passes(layer: nn.Module, x: torch.Tensor, gradient: torch.Tensor) -> Callable[[], None]:
    def run() -> None:
        layer(x).backward(gradient)
        x.grad = None
        layer.zero_grad()

    return run


def forward(layer: nn.Module, x: torch.Tensor) -> Callable[[], torch.Tensor]:
    def run() -> torch.Tensor:
        with torch.inference_mode():
            return layer(x)

    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtypes", default="f32,bf16", help="on the CPU (f32,bf16)")
    parser.add_argument("--json", type=pathlib.Path, help="write the rows there")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(0)
    device = torch.device(arguments.device)
    rows = []
    print(f"PyTorch {torch.__version__}, {arguments.threads} threads, {device}; dense time over algebraic")
    print(f"{'layer':38} {'type':9} {'what':8} {'ratio':>7} {'quartiles':>15} {'bound':>7} {'dense us':>10} {'us':>10}")

    def show(name: str, dtype: torch.dtype, what: str, bound: float | None, result: dict[str, float]) -> None:
        rows.append({"layer": name, "dtype": str(dtype), "what": what, "bound": bound} | result)
        limit = "" if bound is None else f"{bound:.2f}"
        print(f"{name:38} {str(dtype).removeprefix('torch.'):9} {what:8} {result['ratio']:7.2f} "
              f"{result['lower']:7.2f}{result['upper']:8.2f} {limit:>7} {result['dense_us']:10.1f} {result['algebraic_us']:10.1f}",
              flush=True)

    dtypes = tuple(DTYPES[name] for name in arguments.dtypes.split(",")) if device.type == "cpu" else (torch.bfloat16,)
    for width, out, algebra, row_types, count in LAYERS:
        for dtype in dtypes:
            dense = nn.Linear(width, out, bias=False, device=device, dtype=dtype)
            layer = algctl.AlgLinear(width, out, algebra, row_types=row_types, device=device, dtype=dtype)
            x = torch.randn(1, count, width, device=device, dtype=dtype)
            gradient = torch.randn(1, count, out, device=device, dtype=dtype)
            name = f"{algebra} {width} -> {out}, M = {count}"
            bound = 1 / layer.fraction
            show(name, dtype, "forward", bound, compare(forward(dense, x), forward(layer, x), device, arguments.rounds))
            trained = x.clone().requires_grad_()
            show(name, dtype, "passes", bound,
                 compare(passes(dense, trained, gradient), passes(layer, trained, gradient), device, arguments.rounds))
            one = x[:, :1].contiguous()
            show(name.rsplit(",", 1)[0] + ", M = 1", dtype, "forward", bound,
                 compare(forward(dense, one), forward(layer, one), device, arguments.rounds))
    for dtype in dtypes:
        dense = nn.Linear(64, 96, bias=False, device=device, dtype=dtype)
        layer = algctl.AlgLinear(64, 96, "Q(4)", device=device, dtype=dtype)
        x = torch.randn(1, 64, device=device, dtype=dtype)
        name = layer.bundle_name(x)
        operator = torch.ops.algctl.projection.default

        def linear_call() -> torch.Tensor:
            with torch.inference_mode():
                for _ in range(1000):
                    nn.functional.linear(x, dense.weight)

        def operator_call() -> torch.Tensor:
            with torch.inference_mode():
                for _ in range(1000):
                    operator(x, layer.weight, None, None, None, 0, name)

        result = compare(linear_call, operator_call, device, arguments.rounds)
        result["dense_us"] /= 1000
        result["algebraic_us"] /= 1000
        show("Q(4) 64 -> 96, M = 1, operator", dtype, "call", None, result)
    if arguments.json:
        arguments.json.write_text(json.dumps({"torch": torch.__version__, "threads": arguments.threads, "device": str(device),
                                              "rows": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
