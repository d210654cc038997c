from __future__ import annotations

import json
from pathlib import Path

import pytest

import curves
from configuration import ConfigurationError


def write_run(directory: Path, algebra: str, seed: int, losses: list[float], **training: object) -> Path:
    directory.mkdir()
    records = [{"kind": "run", "step": 0, "parameters": 100, "macs_per_token": {"total": 50.0},
                "model": {"algebra": algebra, "row_types": "interval(8)"},
                "training": {"seed": seed, "data_seed": seed, "peak_learning_rate": 1e-3} | training}]
    for step, loss in enumerate(losses, 1):
        records.append({"kind": "training", "step": step, "tokens": 10 * step, "loss": loss + 0.1, "tokens_per_second": 1000.0})
        records.append({"kind": "validation", "step": step, "tokens": 10 * step, "loss": loss})
    (directory / "log.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records) + '{"kind": "trai')
    return directory


def test_seeds_are_one_line_and_the_first_is_compared_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [write_run(tmp_path / f"d{seed}", "dense", seed, [3.0, 2.0 + 0.1 * seed]) for seed in range(2)]
    runs += [write_run(tmp_path / f"q{seed}", "Q(2)^2", seed, [3.1, 2.2 + 0.1 * seed]) for seed in range(2)]
    runs.append(write_run(tmp_path / "other", "Q(2)^2", 0, [3.1, 2.5], peak_learning_rate=1e-4))
    for suffix in ("png", "svg"):
        picture = tmp_path / f"curves.{suffix}"
        curves.main(curves.make_parser().parse_args([*map(str, runs), "--picture", str(picture), "--smoothing", "2"]))
        assert picture.stat().st_size > 1000
    lines = capsys.readouterr().out.splitlines()[2:5]
    assert lines[0] == "| dense | 2 | 100 | 50 | 20 | 2.0500 ± 0.6353 | +0.0000 | 1,000 |"
    assert lines[1].startswith("| Q(2)^2, interval(8) | 2 |") and "| +0.2000 |" in lines[1]
    assert lines[2].startswith("| Q(2)^2, interval(8) (other) | 1 |") and "| 2.5000 | +0.4500 |" in lines[2]


def test_smoothing() -> None:
    assert curves.smoothed([(1, 4.0), (2, 2.0), (3, 6.0)], 2) == ([1, 2, 3], [4.0, 3.0, 4.0])


def test_errors(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="log.jsonl"):
        curves.read_curve(tmp_path)
    with pytest.raises(ConfigurationError, match="no validation loss"):
        curves.read_curve(write_run(tmp_path / "run", "dense", 0, []))
    (tmp_path / "run" / "log.jsonl").write_text('{"kind": "run"}\nbroken\n{"kind": "run"}\n')
    with pytest.raises(ConfigurationError, match="line 2"):
        curves.read_curve(tmp_path / "run")
