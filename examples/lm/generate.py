#!/usr/bin/env python3
"""Continues prompts with a trained model."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import torch

from checkpoint import load_model
from configuration import ConfigurationError, require
from decode import Decoder
from model import LanguageModel
from options import run_program
from processes import choose_device
from sampling import Sampling
from text import Text

DTYPES = {"bf16": torch.bfloat16, "f32": torch.float32}


def add_step_options(parser: argparse.ArgumentParser) -> None:
    """Where and how steps are computed."""
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda")
    parser.add_argument("--dtype", choices=DTYPES, default="bf16", help="of weights and computation (%(default)s)")
    parser.add_argument("--pack", action=argparse.BooleanOptionalAction,
                        help="pack algebraic weights for the CPU's kernels, as is done on the CPU unless it is not wanted")
    parser.add_argument("--no-capture", action="store_true", help="on a device, call kernels one by one instead of as a CUDA graph")
    parser.add_argument("--compile", action=argparse.BooleanOptionalAction,
                        help="compile steps, once for each 256 positions, as is done on a device unless it is not wanted")


def add_decoding_options(parser: argparse.ArgumentParser) -> None:
    sampling = Sampling()
    parser.add_argument("--temperature", type=float, default=sampling.temperature, help="0 takes the likeliest token (%(default)s)")
    parser.add_argument("--top-p", type=float, default=sampling.top_p, help="(%(default)s)")
    parser.add_argument("--top-k", type=int, default=sampling.top_k, help="0: all tokens (%(default)s)")
    parser.add_argument("--most-tokens", type=int, default=256, help="tokens that are generated at most (%(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    add_step_options(parser)


def pack_weights(model: LanguageModel, device: torch.device, wanted: bool | None = None) -> None:
    """Lays algebraic weights out as the CPU's kernels read them, on a CPU unless it is not wanted. A dense model has none."""
    if not model.configuration.is_algebraic or wanted is False or (wanted is None and device.type != "cpu"):
        return
    require(device.type == "cpu", "--pack is for the CPU")
    import algctl
    algctl.pack_(model)


def read_prompts(path: Path) -> list[dict[str, str]]:
    """JSON lines, each with a `prompt` and, where it matters, a `domain`."""
    records = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError as error:
        raise ConfigurationError(f"there is no {path}") from error
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise ConfigurationError(f"{path}:{number}: {error}") from error
        require(isinstance(record, dict) and isinstance(record.get("prompt"), str), f"{path}:{number}: an object with a prompt is wanted")
        records.append(record)
    return records


def main(options: argparse.Namespace) -> None:
    device = choose_device(options.device)
    prompts = list(options.prompt)
    if options.prompts is not None:
        prompts += [record["prompt"] for record in read_prompts(options.prompts)]
    require(bool(prompts), "there is nothing to continue: give --prompt or --prompts")
    sampling = Sampling(options.temperature, options.top_p, options.top_k)
    model = load_model(options.checkpoint, device, DTYPES[options.dtype])
    text = Text.read(options.tokenizer, model.configuration.vocabulary)
    pack_weights(model, device, options.pack)
    decoder = Decoder(model, sampling, text.end_of_text, most_tokens=options.most_tokens, capture=not options.no_capture,
                      compile=options.compile)
    for index, prompt in enumerate(prompts):
        tokens = text.encode(prompt)
        require(bool(tokens), "a prompt is empty")
        decoder.prepare(len(tokens), options.most_tokens)
        started = time.perf_counter()
        (generation,) = decoder.generate([tokens], seed=options.seed + index)
        seconds = time.perf_counter() - started
        print(f"--- {len(tokens)} tokens, then {len(generation.tokens)}, {len(generation.tokens) / seconds:,.1f} tokens/s")
        print(prompt + text.decode(generation.tokens), flush=True)


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", type=Path, required=True, help="a checkpoint, or the output of a run: its newest one")
    parser.add_argument("--tokenizer", type=Path, required=True, help="the tokenizer.json beside the token files")
    parser.add_argument("--prompt", action="append", default=[], help="a text to continue; may be given several times")
    parser.add_argument("--prompts", type=Path, help='JSON lines with one "prompt" each')
    add_decoding_options(parser)
    return parser


if __name__ == "__main__":
    run_program(main, make_parser().parse_args())
