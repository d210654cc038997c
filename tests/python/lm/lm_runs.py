"""Short runs of training, in one process or in several."""

from __future__ import annotations

import faulthandler
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.queues import SimpleQueue
from pathlib import Path

import pytest
import torch
import torch.multiprocessing as multiprocessing
from torch.distributed import TCPStore

SHORT = ["--steps", "4", "--log-interval", "1", "--validation-interval", "2", "--validation-sequences", "4", "--device", "cpu"]
LIMIT_SECONDS = 300  # of all runs of one group of processes; they take some seconds


@dataclass(frozen=True)
class Run:
    config: str
    output: Path
    arguments: Sequence[str] = ()
    refusal: str | None = None  # a part of the message, where the arguments are wrong

    def train(self, data: Path) -> None:
        import train
        from configuration import ConfigurationError
        options = train.make_parser().parse_args(["--data", str(data), "--config", self.config, "--output", str(self.output),
                                                  *SHORT, *self.arguments])
        if self.refusal is None:
            train.main(options)
            return
        with pytest.raises(ConfigurationError, match=self.refusal):
            train.main(options)
        assert not self.output.exists()


def train_in_processes(count: int, data: Path, runs: Sequence[Run]) -> None:
    """One run after the other, each in a group of its own, as torchrun would start it."""
    # Forked processes have imported everything already; beside a CUDA device that is not allowed.
    context = multiprocessing.get_context("spawn" if torch.cuda.is_available() else "fork")
    ports = context.SimpleQueue()
    children = multiprocessing.start_processes(_train_all, (count, sys.path, data, runs, ports), nprocs=count, join=False,
                                               start_method=context.get_start_method())
    # This process serves the stores in which the others meet, as torchrun does, and takes ports that it gets and keeps:
    # one that was merely free a moment ago may be another program's when a process listens on it. Stores have threads, and
    # a process forked while one of them looks up a name inherits the C library's lock of that, which nobody would open: so
    # the ports follow when all processes are there.
    stores = [TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False) for _ in runs]
    for _ in range(count):
        ports.put([store.port for store in stores])
    while not children.join():
        pass


def _train_all(rank: int, count: int, paths: list[str], data: Path, runs: Sequence[Run], ports: SimpleQueue) -> None:
    sys.path[:0] = paths
    torch.set_num_threads(1)
    # A process that waits for another without end says where, long before the others would give up.
    faulthandler.dump_traceback_later(LIMIT_SECONDS, exit=True, file=sys.__stderr__)
    for run, port in zip(runs, ports.get()):
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), WORLD_SIZE=str(count), RANK=str(rank),
                          LOCAL_RANK=str(rank), TORCHELASTIC_USE_AGENT_STORE="True")
        run.train(data)
    faulthandler.cancel_dump_traceback_later()


def logged(output: Path, kind: str, name: str = "loss") -> list[float]:
    from run_log import read_log
    return [record[name] for record in read_log(output / "log.jsonl") if record["kind"] == kind]


def parameters(output: Path) -> dict[str, torch.Tensor]:
    """Of the newest checkpoint, as generation reads it."""
    from checkpoint import load_model
    return load_model(output, torch.device("cpu"), torch.float32).state_dict()
