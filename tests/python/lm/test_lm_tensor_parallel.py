"""Processes that divide a model among them compute what one process does."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch

from configuration import ConfigurationError, TrainingConfiguration, read_configuration
from lm_runs import Run, logged, parameters, train_in_processes
from model import LanguageModel
from processes import Processes, distribute

# Gradients are clipped in every step. Those of the biases of keys are 0 but for rounding, which a smaller epsilon would make
# steps of. The rates of the first 4 steps, of the warm-up, do not depend on how many there will be.
SETTINGS = ["--clip-norm", "0.3", "--epsilon", "1e-4", "--warm-up-steps", "4"]
TENSOR = [*SETTINGS, "--tensor-parallel", "2"]
CONFIGS = ["tiny-dense", "tiny-q2x2"]


@pytest.fixture(params=CONFIGS)
def config(request: pytest.FixtureRequest) -> str:
    if request.param != "tiny-dense":
        pytest.importorskip("algctl")
    return request.param


def assert_close(output: Path, expected: Path) -> None:
    """Sums in float32 are taken in another order."""
    for kind, name in (("training", "loss"), ("training", "gradient_norm"), ("training", "tokens"), ("validation", "loss")):
        assert logged(output, kind, name) == pytest.approx(logged(expected, kind, name), rel=1e-5), name
    torch.testing.assert_close(parameters(output), parameters(expected), rtol=1e-4, atol=1e-5)


def refused_runs(directory: Path, config: str) -> list[Run]:
    if config == "tiny-dense":
        return [Run(config, directory / "wide", ["--tensor-parallel", "4"], "--tensor-parallel 4 does not divide 2 processes")]
    return [Run(config, directory / "narrow", [*TENSOR, "--hidden", "12"], "2 ranks cannot share the output groups .3, 3, 3, 3")]


def test_two_processes(data: Path, tmp_path: Path, config: str) -> None:
    one, two, parts, other = (tmp_path / name for name in ("one", "two", "parts", "other"))
    Run(config, one, SETTINGS).train(data)
    shutil.copytree(one, other)
    train_in_processes(2, data, [
        Run(config, two, TENSOR), Run(config, parts, [*TENSOR, "--steps", "2"]), Run(config, parts, [*TENSOR, "--resume"]),
        Run(config, other, [*TENSOR, "--resume", "--steps", "6"]),
        *refused_runs(tmp_path, config)])
    assert_close(two, one)
    assert logged(parts, "training") == logged(two, "training")
    assert logged(parts, "training", "gradient_norm") == logged(two, "training", "gradient_norm")
    torch.testing.assert_close(parameters(parts), parameters(two), rtol=0, atol=0)
    # One process goes on with a checkpoint of two, as two have done with one of one process.
    for output in (one, two):
        Run(config, output, [*SETTINGS, "--resume", "--steps", "6"]).train(data)
        assert_close(output, other)


def test_four_processes(data: Path, tmp_path: Path, config: str) -> None:
    """Two groups of two, between which FSDP divides the text, and each process's part of the model once more."""
    one, four = tmp_path / "one", tmp_path / "four"
    both = [*TENSOR, "--parallel", "fsdp", "--sequences-per-process", "2"]
    Run(config, one, SETTINGS).train(data)
    train_in_processes(4, data, [Run(config, four, [*both, "--steps", "2"]), Run(config, four, [*both, "--resume"])])
    assert_close(four, one)
    for output in (one, four):
        Run(config, output, [*SETTINGS, "--resume", "--steps", "6"]).train(data)
    assert_close(four, one)


@pytest.mark.parametrize("arguments, message", [
    (("--tensor-parallel", "2"), "--tensor-parallel 2 needs torchrun"),
    (("--tensor-parallel", "0"), "tensor_parallel is 0: it has to be positive"),
    (("--tensor-parallel", "3"), "heads 4 is not a multiple of tensor_parallel 3"),
    (("--tensor-parallel", "4", "--hidden", "66"), "hidden 66 is not a multiple of tensor_parallel 4"),
    (("--tensor-parallel", "2", "--parallel", "ddp"), "parallel has to be none or fsdp, not ddp"),
])
def test_wrong_settings(data: Path, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    Run("tiny-dense", tmp_path / "out", arguments, message).train(data)


def test_several_groups_need_fsdp() -> None:
    model = LanguageModel(read_configuration("tiny-dense").model)
    group = Processes(0, 4, torch.device("cpu"), None, tensor_parallel=2)
    assert (group.data_rank, group.data_count) == (0, 2)
    with pytest.raises(ConfigurationError, match="4 processes with --tensor-parallel 2 need --parallel fsdp"):
        distribute(model, TrainingConfiguration(tensor_parallel=2), group)
