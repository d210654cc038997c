"""Results beside the paper's, with standard errors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

INSTRUCTION_METRICS = ("inst_level_strict_acc", "inst_level_loose_acc")


@dataclass(frozen=True)
class Estimate:
    value: float
    standard_error: float | None = None

    def __str__(self) -> str:
        if self.standard_error is None:
            return f"{self.value:.4f}"
        return f"{self.value:.4f} ± {self.standard_error:.4f}"


@dataclass(frozen=True)
class PaperResult:
    """What the paper reports of a task, by lm-eval's name and its own."""

    metric: str
    name: str
    count: int  # of questions, programs or instructions
    estimates: dict[str, Estimate]


PAPER = {
    "gsm8k": PaperResult("exact_match,flexible-extract", "exact_match, flexible-extract", 1319,
                         {"dense": Estimate(0.0318423, 0.004836), "algebraic": Estimate(0.0219864, 0.004039)}),
    "mbpp": PaperResult("pass_at_1,none", "pass_at_1", 500,
                        {"dense": Estimate(0.066, 0.011115), "algebraic": Estimate(0.038, 0.008559)}),
    "ifeval": PaperResult("inst_level_loose_acc,none", "inst_level_loose_acc", 834,
                          {"dense": Estimate(0.345324), "algebraic": Estimate(0.310552)}),
}


@dataclass(frozen=True)
class Row:
    task: str
    metric: str
    counts: dict[str, int]
    estimates: dict[str, Estimate]
    paper: dict[str, Estimate]


def ratio_error(parts: Sequence[tuple[int, int]]) -> float | None:
    """The standard error of sum(hits) / sum(counts) over independent parts (hits, count).

    With counts of 1 that is sqrt(p (1 - p) / (n - 1)). The instructions of one prompt are not independent.
    """
    if len(parts) < 2:
        return None
    total = sum(count for _, count in parts)
    ratio = sum(hits for hits, _ in parts) / total
    squares = sum((hits - ratio * count) ** 2 for hits, count in parts)
    return math.sqrt(len(parts) / (len(parts) - 1) * squares) / total


def estimate_of(result: Mapping[str, Any], task: str, metric: str) -> tuple[int, Estimate]:
    """One metric of an evaluation, and over how many answers it is."""
    values = result["results"][task]
    name, _, filter_name = metric.partition(",")
    if name in INSTRUCTION_METRICS and result.get("samples"):
        answers = [sample[name] for sample in result["samples"][task] if sample["filter"] == filter_name]
        parts = [(sum(answer), len(answer)) for answer in answers]
        return sum(count for _, count in parts), Estimate(values[metric], ratio_error(parts))
    error = values.get(f"{name}_stderr,{filter_name}")
    return result["n-samples"][task]["effective"], Estimate(values[metric], float(error) if isinstance(error, (int, float)) else None)


def metrics_of(result: Mapping[str, Any], task: str) -> list[str]:
    """The paper's metric of the paper's tasks, and all of others."""
    if task in PAPER:
        return [PAPER[task].metric]
    return [name for name, value in result["results"][task].items()
            if "," in name and "_stderr," not in name and isinstance(value, (int, float))]


def rows_of(results: Mapping[str, Mapping[str, Any]]) -> list[Row]:
    """One row for each task and metric, with all models; `results` are those of lm-eval by the name of the model."""
    first = next(iter(results.values()))
    rows = []
    for task in first["n-samples"]:
        for metric in metrics_of(first, task):
            found = {name: estimate_of(result, task, metric) for name, result in results.items()}
            shown = PAPER[task].name if task in PAPER else metric.removesuffix(",none").replace(",", ", ")
            rows.append(Row(task, shown, {name: count for name, (count, _) in found.items()},
                            {name: estimate for name, (_, estimate) in found.items()}, PAPER[task].estimates if task in PAPER else {}))
    return rows


def format_table(rows: Sequence[Row], names: Sequence[str]) -> str:
    titles = ["task", "metric", "n", *names, *(f"paper: {name}" for name in names)]
    lines = [f"| {' | '.join(titles)} |", f"| --- | --- |{' ---: |' * (len(titles) - 2)}"]
    for row in rows:
        cells = [row.task, row.metric, f"{row.counts[names[0]]:,}", *(str(row.estimates[name]) for name in names),
                 *(str(row.paper.get(name, "")) for name in names)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
