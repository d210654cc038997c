#!/usr/bin/env python3
"""Tokens per second of a dense and an algebraic model, side by side, by the paper's protocol and at a fixed length."""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from checkpoint import load_model
from configuration import preset_names, read_configuration, require
from cost import macs_per_token
from decode import Decoder
from generate import DTYPES, add_decoding_options, pack_weights
from launches import Launches, count_launches
from margins import mean_and_margin
from model import LanguageModel
from options import run_program
from processes import choose_device
from prompts import Prompt, prompts_of_file, prompts_of_validation, random_prompts
from sampling import Sampling
from text import Text
from tokens import TokenFile

DROPPED_RUNS = 1
LENGTHS = ("free", "fixed")


@dataclass(frozen=True)
class Run:
    model: str
    domain: str
    length: str  # "free": to the end of the text; "fixed": exactly as many tokens as are asked for
    run: int
    tokens: int
    seconds: float

    @property
    def speed(self) -> float:
        return self.tokens / self.seconds


def measure(decoder: Decoder, text: Text | None, prompts: Sequence[Prompt], most_tokens: int, seed: int, stops: bool) -> tuple[int, float]:
    """Generated tokens and seconds of a whole workload, from texts to texts where there is a tokenizer."""
    synchronize = torch.cuda.synchronize if decoder.token.is_cuda else lambda: None
    tokens = 0
    synchronize()
    started = time.perf_counter()
    for index, prompt in enumerate(prompts):
        encoded = text.encode(prompt.text) if text is not None and prompt.text is not None else prompt.tokens
        (generation,) = decoder.generate([encoded], most_tokens, seed + index, stops)
        if text is not None:
            text.decode(generation.tokens)
        tokens += len(generation.tokens)
    synchronize()
    return tokens, time.perf_counter() - started


def measure_all(decoders: dict[str, Decoder], text: Text | None, domains: dict[str, list[Prompt]], lengths: Sequence[str],
                runs: int, most_tokens: int, seed: int) -> list[Run]:
    """Every model, domain and length `runs` times. The models alternate, and take turns in being first."""
    results = []
    for domain, prompts in domains.items():
        for decoder in decoders.values():
            for prompt in prompts:
                # Text that is decoded and encoded again may have other tokens; graphs exist for what is generated.
                encoded = text.encode(prompt.text) if text is not None and prompt.text is not None else prompt.tokens
                decoder.prepare(len(encoded), most_tokens)
        for length in lengths:
            for run in range(runs):
                order = list(decoders) if run % 2 == 0 else list(decoders)[::-1]
                for name in order:
                    tokens, seconds = measure(decoders[name], text, prompts, most_tokens, seed + run * len(prompts), length == "free")
                    results.append(Run(name, domain, length, run, tokens, seconds))
                    print(f"{domain}, {length} length, run {run}: {name} {tokens / seconds:,.1f} tokens/s", flush=True)
    return results


def summarise(runs: Sequence[Run], names: Sequence[str], prompts: int) -> list[dict[str, object]]:
    """For each length and domain the mean speed of each model over the runs that count, its margin, and the ratio."""
    rows = []
    for length in dict.fromkeys(run.length for run in runs):
        for domain in dict.fromkeys(run.domain for run in runs):
            row: dict[str, object] = {"length": length, "domain": domain}
            means = []
            for name in names:
                counted = [run for run in runs if (run.model, run.domain, run.length) == (name, domain, length) and run.run >= DROPPED_RUNS]
                mean, margin = mean_and_margin([run.speed for run in counted])
                means.append(mean)
                row[name] = {"runs": [run.speed for run in counted], "mean": mean, "margin": margin,
                             "tokens_per_response": statistics.fmean(run.tokens for run in counted) / prompts}
            row["ratio"] = means[1] / means[0]
            rows.append(row)
    return rows


def format_table(rows: Sequence[dict[str, object]], names: Sequence[str]) -> str:
    lines = [f"| length | domain | {' | '.join(f'{name} tokens/s | tokens' for name in names)} | {names[1]} / {names[0]} |",
             "| --- | --- | " + " | ".join("---: | ---:" for _ in names) + " | ---: |"]
    for row in rows:
        cells = [f"{row[name]['mean']:,.1f} ± {row[name]['margin']:,.1f} | {row[name]['tokens_per_response']:.1f}" for name in names]
        lines.append(f"| {row['length']} | {row['domain']} | {' | '.join(cells)} | {row['ratio']:.4f} |")
    return "\n".join(lines)


def describe_launches(name: str, launches: Launches) -> str:
    return (f"{name}: {launches.kernels:.1f} kernels for a token, {launches.kernels_per_block:.1f} of them for each block, and "
            f"{launches.calls:.1f} launches by the host")


def load(source: str, device: torch.device, dtype: torch.dtype) -> LanguageModel:
    """A checkpoint or the newest one of a run; a preset has random weights, for which free lengths mean little."""
    if source in preset_names():
        return LanguageModel(read_configuration(source).model).to(device=device, dtype=dtype).eval().requires_grad_(False)
    require(Path(source).is_dir(), f"{source} is neither a checkpoint, nor a run, nor one of {', '.join(preset_names())}")
    return load_model(Path(source), device, dtype)


def main(options: argparse.Namespace) -> None:
    require(options.runs > DROPPED_RUNS, f"--runs is {options.runs}: the first run does not count")
    require(options.number > 0, f"--number is {options.number}: it has to be positive")
    device = choose_device(options.device)
    sampling = Sampling(options.temperature, options.top_p, options.top_k)
    sources = {"dense": options.dense, "algebraic": options.algebraic}
    models = {name: load(source, device, DTYPES[options.dtype]) for name, source in sources.items()}
    sizes = {name: (model.configuration.vocabulary, model.configuration.context) for name, model in models.items()}
    require(sizes["dense"] == sizes["algebraic"], f"the models differ in vocabulary or context: {sizes}")
    vocabulary, context = sizes["dense"]
    text = Text.read(options.tokenizer, vocabulary) if options.tokenizer is not None else None
    if options.random_prompts is not None:
        domains = random_prompts(options.random_prompts, options.number, vocabulary, context)
    elif options.prompts is not None:
        require(text is not None, "--prompts needs --tokenizer")
        domains = prompts_of_file(options.prompts, text, options.number)
    else:
        require(options.data is not None, "there are no prompts: give --prompts, --data to cut them from the validation text, or "
                "--random-prompts")
        domains = prompts_of_validation(TokenFile(options.data / "validation.bin", vocabulary), text, options.number, context,
                                        options.prompt_scale)
    end_of_text = text.end_of_text if text is not None else vocabulary - 1
    for model in models.values():
        pack_weights(model, device, options.pack)
    decoders = {name: Decoder(model, sampling, end_of_text, most_tokens=options.most_tokens, capture=not options.no_capture,
                              compile=options.compile) for name, model in models.items()}
    lengths = LENGTHS if options.length == "both" else (options.length,)
    runs = measure_all(decoders, text, domains, lengths, options.runs, options.most_tokens, options.seed)
    rows = summarise(runs, list(models), options.number)
    prompt_tokens = {domain: statistics.fmean(len(prompt.tokens) for prompt in prompts) for domain, prompts in domains.items()}
    print(format_table(rows, list(models)))
    launches = {}
    if device.type == "cuda":
        launches = {name: count_launches(decoder) for name, decoder in decoders.items()}
        print("\n".join(describe_launches(name, counted) for name, counted in launches.items()))
    costs = {name: macs_per_token(model, context) for name, model in models.items()}
    if options.output is not None:
        result = {"device": torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU", "torch": torch.__version__,
                  "dtype": options.dtype, "captured": decoders["dense"].captures, "compiled": decoders["dense"].compiles,
                  "tokenization": text is not None, "sampling": asdict(sampling), "prompts": options.number, "prompt_tokens": prompt_tokens,
                  "most_tokens": options.most_tokens,
                  "models": {name: asdict(model.configuration) for name, model in models.items()}, "macs_per_token": costs,
                  "launches": {name: asdict(counted) for name, counted in launches.items()}, "summary": rows,
                  "runs": [asdict(run) for run in runs]}
        options.output.write_text(json.dumps(result, indent=2) + "\n")


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dense", default="paper-dense", help="a checkpoint, a run, or a preset with random weights (%(default)s)")
    parser.add_argument("--algebraic", default="paper-algebraic", help="the same (%(default)s)")
    parser.add_argument("--tokenizer", type=Path, help="tokenizer.json; without one, texts are not part of the work")
    parser.add_argument("--prompts", type=Path, help='JSON lines with a "prompt" and a "domain" each')
    parser.add_argument("--data", type=Path, help="directory of validation.bin, to cut prompts of the paper's lengths from")
    parser.add_argument("--prompt-scale", type=float, default=1.0, help="shorter or longer prompts than the paper's, from --data")
    parser.add_argument("--random-prompts", type=int, metavar="TOKENS",
                        help="prompts of so many random tokens, for speeds at a fixed length without any text")
    parser.add_argument("--length", choices=("both", *LENGTHS), default="both",
                        help="responses that end by themselves, or have exactly --most-tokens tokens (%(default)s)")
    parser.add_argument("--number", type=int, default=100, help="prompts of a domain (%(default)s)")
    parser.add_argument("--runs", type=int, default=4, help="the first of which does not count (%(default)s)")
    parser.add_argument("--output", type=Path, help="a JSON file for all results")
    add_decoding_options(parser)
    return parser


if __name__ == "__main__":
    run_program(main, make_parser().parse_args())
