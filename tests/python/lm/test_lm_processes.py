"""Two processes on the CPU compute what one does."""

from __future__ import annotations

from pathlib import Path

import pytest

from lm_runs import Run, logged, train_in_processes

MODES = {"ddp": ["--parallel", "ddp"], "fsdp": ["--parallel", "fsdp"],
         "fsdp-bf16": ["--parallel", "fsdp", "--fsdp-bf16-parameters"]}


@pytest.mark.parametrize("config", ["tiny-dense", "tiny-q2x2"])
def test_two_processes(data: Path, tmp_path: Path, config: str) -> None:
    if config != "tiny-dense":
        pytest.importorskip("algctl")
    Run(config, tmp_path / "one").train(data)
    runs = [Run(config, tmp_path / mode, ["--sequences-per-process", "2", *arguments]) for mode, arguments in MODES.items()]
    # What two processes saved, they resume from: the run of 4 steps goes on to 6.
    resumed = Run(config, tmp_path / "fsdp", ["--sequences-per-process", "2", "--parallel", "fsdp", "--resume", "--steps", "6"])
    train_in_processes(2, data, [*runs, resumed])
    for mode in MODES:
        tolerance = 3e-2 if mode == "fsdp-bf16" else 1e-4
        for kind, count in (("training", 4), ("validation", 2)):
            assert logged(tmp_path / mode, kind)[:count] == pytest.approx(logged(tmp_path / "one", kind), rel=tolerance), mode
    # And one process goes on with it.
    Run(config, tmp_path / "fsdp", ["--resume", "--steps", "7"]).train(data)
    assert len(logged(tmp_path / "fsdp", "training")) == 7
