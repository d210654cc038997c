#!/usr/bin/env python3
"""A dense and an algebraic model on tasks of lm-eval, by the paper's protocol and beside its results."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from configuration import ConfigurationError, require
from generate import DTYPES, add_step_options, pack_weights
from model import LanguageModel
from options import run_program
from processes import choose_device
from text import Text
from throughput import load

PAPER_TASKS = "gsm8k,mbpp,ifeval"


def local_data(given: list[str]) -> dict[str, Path]:
    """Directories by the names of tasks, from NAME=DIRECTORY."""
    directories = {}
    for item in given:
        name, separator, directory = item.partition("=")
        require(bool(name and separator and directory), f"--local is {item!r}: NAME=DIRECTORY is wanted")
        require(name not in directories, f"--local gives the data of {name} twice")
        directories[name] = Path(directory)
    return directories


def check_options(options: argparse.Namespace) -> None:
    require(options.dense is not None or options.algebraic is not None, "there is no model: give --dense, --algebraic or both")
    for name in ("batch", "most_tokens", "limit"):
        value = getattr(options, name)
        require(value is None or value > 0, f"--{name.replace('_', '-')} is {value}: it has to be positive")
    for path in (options.output, options.samples):
        require(path is None or path.parent.is_dir(), f"there is no directory for {path}")


def load_models(options: argparse.Namespace, device: torch.device) -> dict[str, LanguageModel]:
    sources = {"dense": options.dense, "algebraic": options.algebraic}
    models = {name: load(source, device, DTYPES[options.dtype]) for name, source in sources.items() if source is not None}
    for name, model in models.items():
        if name == "dense":
            require(not model.configuration.is_algebraic, f"--dense is a model with the products of {model.configuration.algebra}")
        else:
            require(model.configuration.is_algebraic, "--algebraic is a dense model")
        pack_weights(model, device, options.pack)
    sizes = {(model.configuration.vocabulary, model.configuration.context) for model in models.values()}
    require(len(sizes) == 1, f"the models differ in vocabulary or context: {sorted(sizes)}")
    return models


def write_samples(path: Path, results: dict[str, dict[str, Any]]) -> None:
    """Every question, response and score as a line."""
    with path.open("w", encoding="utf-8") as file:
        for name, result in results.items():
            for task, samples in result["samples"].items():
                for sample in samples:
                    file.write(json.dumps({"model": name, "task": task} | sample, default=str, ensure_ascii=False) + "\n")


def main(options: argparse.Namespace) -> None:
    check_options(options)
    device = choose_device(options.device)
    models = load_models(options, device)
    vocabulary = next(iter(models.values())).configuration.vocabulary
    text = Text.read(options.tokenizer, vocabulary)
    size = text.tokenizer.get_vocab_size()
    if size < vocabulary:
        print(f"note: {options.tokenizer} has {size} tokens and the model {vocabulary}: is it the one of its training?", file=sys.stderr)
    # What is wrong with the models is said before lm-eval is there, which takes seconds.
    try:
        import lm_eval
    except ImportError as error:
        raise ConfigurationError(f"evaluation needs the package lm-eval: {error}") from error
    from evaluation_model import EvaluationModel
    from evaluation_results import format_table, rows_of
    from evaluation_tasks import PROTOCOLS, prepare_tasks
    names = [name for name in options.tasks.split(",") if name]
    results, counts, seconds = {}, {}, {}
    with tempfile.TemporaryDirectory() as directory:
        tasks = prepare_tasks(names, local_data(options.local), options.allow_code, Path(directory))
        for name, model in models.items():
            evaluated = EvaluationModel(model, text, options.batch, options.most_tokens, options.seed, not options.no_capture,
                                        options.compile)
            started = time.perf_counter()
            results[name] = lm_eval.simple_evaluate(evaluated, tasks=list(tasks.specifications), task_manager=tasks.manager,
                                                    batch_size=options.batch, limit=options.limit,
                                                    confirm_run_unsafe_code=options.allow_code)
            seconds[name] = time.perf_counter() - started
            counts[name] = evaluated.counts
            print(f"{name}: {seconds[name]:,.0f} s, {counts[name].generated_tokens:,} generated tokens", flush=True)
    rows = rows_of(results)
    print(format_table(rows, list(models)))
    if options.samples is not None:
        write_samples(options.samples, results)
    if options.output is not None:
        content = {"device": torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU", "torch": torch.__version__,
                   "lm_eval": lm_eval.__version__, "dtype": options.dtype, "batch": options.batch, "most_tokens": options.most_tokens,
                   "captured": device.type == "cuda" and not options.no_capture, "limit": options.limit, "seed": options.seed,
                   "paper_shots": {name: PROTOCOLS[name].shots for name in names if name in PROTOCOLS},
                   "models": {name: asdict(model.configuration) for name, model in models.items()},
                   "seconds": seconds, "counts": {name: asdict(count) for name, count in counts.items()},
                   "summary": [asdict(row) for row in rows],
                   "results": {name: {key: value for key, value in result.items() if key != "samples"} for name, result in results.items()}}
        options.output.write_text(json.dumps(content, indent=2, default=str) + "\n")


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dense", help="a checkpoint, a run, or a preset with random weights")
    parser.add_argument("--algebraic", help="the same; one of the two is enough")
    parser.add_argument("--tokenizer", type=Path, required=True, help="the tokenizer.json beside the token files")
    parser.add_argument("--tasks", default=PAPER_TASKS, help="names of lm-eval's tasks, or task files, with commas (%(default)s)")
    parser.add_argument("--local", action="append", default=[], metavar="NAME=DIRECTORY",
                        help="data of a task in test.jsonl and, for its examples, train.jsonl; may be given several times")
    parser.add_argument("--allow-code", action="store_true", help="run the programs that the models write, as mbpp has to")
    parser.add_argument("--output", type=Path, help="a JSON file for all results")
    parser.add_argument("--samples", type=Path, help="a file of JSON lines for every question and response")
    parser.add_argument("--limit", type=int, help="only the first questions of each task")
    parser.add_argument("--batch", type=int, default=1, help="sequences at a time (%(default)s)")
    parser.add_argument("--most-tokens", type=int, default=512, help="of a response, where the task does not say (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of tasks that sample")
    add_step_options(parser)
    return parser


if __name__ == "__main__":
    run_program(main, make_parser().parse_args())
