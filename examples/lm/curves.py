#!/usr/bin/env python3
"""Loss curves of several runs in one picture, and a table of what they came to. Runs that differ in their seeds alone are one line."""

from __future__ import annotations

import argparse
import json
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from configuration import require
from margins import mean_and_margin
from options import run_program
from run_log import read_log

SEEDS = ("seed", "data_seed")
# What may differ between the seeds of one line, because it changes no result.
NEUTRAL = ("device", "compile", "checkpoint_interval", "kept_checkpoints", "log_interval")


@dataclass(frozen=True)
class Curve:
    name: str
    description: dict[str, Any]  # the first record of the log
    training: list[tuple[int, float]]  # tokens, loss
    validation: list[tuple[int, float]]
    speeds: list[float]

    @property
    def final_loss(self) -> float:
        return self.validation[-1][1]

    @property
    def tokens(self) -> int:
        return self.validation[-1][0]


def read_curve(directory: Path) -> Curve:
    records = read_log(directory / "log.jsonl")
    require(bool(records) and records[0]["kind"] == "run", f"{directory / 'log.jsonl'} is not the log of a run")
    of_kind = {kind: [record for record in records if record["kind"] == kind] for kind in ("training", "validation")}
    require(bool(of_kind["validation"]), f"{directory} has no validation loss yet")
    return Curve(directory.name, records[0], [(record["tokens"], record["loss"]) for record in of_kind["training"]],
                 [(record["tokens"], record["loss"]) for record in of_kind["validation"]],
                 [record["tokens_per_second"] for record in of_kind["training"]])


def group_seeds(curves: Sequence[Curve]) -> dict[str, list[Curve]]:
    """Curves by name, where runs of equal configurations but for their seeds come together."""
    groups: dict[str, list[Curve]] = {}
    for curve in curves:
        training = {name: value for name, value in curve.description["training"].items() if name not in SEEDS + NEUTRAL}
        groups.setdefault(json.dumps([curve.description["model"], training, curve.tokens], sort_keys=True), []).append(curve)
    named: dict[str, list[Curve]] = {}
    for group in groups.values():
        model = group[0].description["model"]
        name = model["algebra"] if model["algebra"] == "dense" else f"{model['algebra']}, {model['row_types']}"
        # Two groups with one algebra differ in something else; their runs tell them apart.
        named[name if name not in named else f"{name} ({group[0].name})"] = group
    return named


def smoothed(points: Sequence[tuple[int, float]], length: int) -> tuple[list[int], list[float]]:
    """Means over `length` lines of the log, at their last."""
    means = [statistics.fmean(loss for _, loss in points[max(0, index + 1 - length):index + 1]) for index in range(len(points))]
    return [tokens for tokens, _ in points], means


def draw(groups: dict[str, list[Curve]], path: Path, smoothing: int) -> None:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
    for index, (name, curves) in enumerate(groups.items()):
        color = f"C{index}"
        for number, curve in enumerate(curves):
            axes.plot(*smoothed(curve.training, smoothing), color=color, linewidth=0.6, alpha=0.35)
            axes.plot(*zip(*curve.validation), color=color, linewidth=1.4, label=name if number == 0 else None)
    axes.set_xlabel("tokens")
    axes.set_ylabel("loss per token (thick: validation, thin: training)")
    # The first steps, from the loss of a uniform guess, would flatten all that follows.
    lowest = min(loss for curves in groups.values() for curve in curves for _, loss in curve.validation)
    highest = max(curve.validation[0][1] for curves in groups.values() for curve in curves)
    space = 0.1 * (highest - lowest) or 0.1
    axes.set_ylim(lowest - space, highest + space)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=160)
    pyplot.close(figure)


def format_margin(values: Sequence[float], form: str) -> str:
    mean, margin = mean_and_margin(values)
    return format(mean, form) if math.isnan(margin) else f"{mean:{form}} ± {margin:{form}}"


def format_table(groups: dict[str, list[Curve]]) -> str:
    """A Markdown table; losses are compared with those of the first line."""
    lines = ["| model | seeds | parameters | MACs per token | tokens | validation loss | to the first | tokens/s |",
             "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    first = None
    for name, curves in groups.items():
        loss = statistics.fmean(curve.final_loss for curve in curves)
        first = loss if first is None else first
        speeds = [statistics.median(curve.speeds) for curve in curves if curve.speeds]
        description = curves[0].description
        lines.append(f"| {name} | {len(curves)} | {description['parameters']:,} | {description['macs_per_token']['total']:,.0f} | "
                     f"{curves[0].tokens:,} | {format_margin([curve.final_loss for curve in curves], '.4f')} | {loss - first:+.4f} | "
                     f"{format(statistics.fmean(speeds), ',.0f') if speeds else ''} |")
    return "\n".join(lines)


def main(options: argparse.Namespace) -> None:
    groups = group_seeds([read_curve(directory) for directory in options.runs])
    if options.picture is not None:
        require(options.picture.suffix in (".png", ".svg", ".pdf"), f"{options.picture}: pictures are png, svg or pdf")
        draw(groups, options.picture, options.smoothing)
    print(format_table(groups))


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path, help="directories that train.py wrote; the others are compared with the first")
    parser.add_argument("--picture", type=Path, help="a .png, .svg or .pdf to draw")
    parser.add_argument("--smoothing", type=int, default=10,
                        help="lines of the log that a point of the training loss is a mean of (%(default)s)")
    return parser


if __name__ == "__main__":
    run_program(main, make_parser().parse_args())
