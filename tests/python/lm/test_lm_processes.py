"""Two processes on the CPU compute what one does."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest
import torch
import torch.multiprocessing as multiprocessing

MODES = {"ddp": ["--parallel", "ddp"], "fsdp": ["--parallel", "fsdp"], "fsdp-bf16": ["--parallel", "fsdp", "--fsdp-bf16-parameters"]}
SHORT = ["--steps", "4", "--log-interval", "1", "--validation-interval", "2", "--validation-sequences", "4",
         "--device", "cpu"]


def train_with(config: str, data: Path, output: Path, *arguments: str) -> None:
    import train
    train.main(train.make_parser().parse_args(["--data", str(data), "--config", config, "--output", str(output), *SHORT, *arguments]))


def worker(rank: int, ports: list[int], paths: list[str], config: str, data: Path, directory: Path) -> None:
    sys.path[:0] = paths
    torch.set_num_threads(1)
    os.environ.update(MASTER_ADDR="127.0.0.1", RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE="2")
    for port, (mode, arguments) in zip(ports, MODES.items()):
        os.environ["MASTER_PORT"] = str(port)
        train_with(config, data, directory / mode, "--sequences-per-process", "2", *arguments)
    # What two processes saved, they resume from: the run of 4 steps goes on to 6.
    os.environ["MASTER_PORT"] = str(ports[-1])
    train_with(config, data, directory / "fsdp", "--sequences-per-process", "2", "--parallel", "fsdp", "--resume", "--steps", "6")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def losses(output: Path, kind: str) -> list[float]:
    from run_log import read_log
    return [record["loss"] for record in read_log(output / "log.jsonl") if record["kind"] == kind]


@pytest.mark.parametrize("config", ["tiny-dense", "tiny-q2x2"])
def test_two_processes(data: Path, tmp_path: Path, config: str) -> None:
    if config != "tiny-dense":
        pytest.importorskip("algctl")
    train_with(config, data, tmp_path / "one")
    # Forked processes have imported everything already; beside a CUDA device that is not allowed.
    method = "spawn" if torch.cuda.is_available() else "fork"
    ports = [free_port() for _ in range(len(MODES) + 1)]
    multiprocessing.start_processes(worker, (ports, sys.path, config, data, tmp_path), nprocs=2, start_method=method)
    for mode in MODES:
        tolerance = 3e-2 if mode == "fsdp-bf16" else 1e-4
        for kind, count in (("training", 4), ("validation", 2)):
            assert losses(tmp_path / mode, kind)[:count] == pytest.approx(losses(tmp_path / "one", kind), rel=tolerance), mode
    # And one process goes on with it.
    train_with(config, data, tmp_path / "fsdp", "--resume", "--steps", "7")
    assert len(losses(tmp_path / "fsdp", "training")) == 7
