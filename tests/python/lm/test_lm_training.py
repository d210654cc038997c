from __future__ import annotations

import argparse
import os
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

import train
from checkpoint import checkpoints
from configuration import ConfigurationError, TrainingConfiguration, read_configuration
from lm_runs import parameters
from lm_token_files import chain, write_tokens
from model import LanguageModel
from options import configuration_from_options, run_program
from processes import processes
from run_log import read_log
from schedule import learning_rate
from tokens import TokenFile

Options = Callable[..., argparse.Namespace]


def without_speed(output: Path) -> list[dict[str, object]]:
    """The log of a run but for what a second run may change."""
    records = [record for record in read_log(output / "log.jsonl") if record["kind"] in ("training", "validation")]
    return [{name: value for name, value in record.items() if name != "tokens_per_second"} for record in records]


@pytest.mark.parametrize("config", ["tiny-dense", "tiny-q2x2"])
def test_training_learns_and_a_resumed_run_is_equal_bit_for_bit(train_options: Options, config: str,
                                                                monkeypatch: pytest.MonkeyPatch) -> None:
    if config != "tiny-dense":
        pytest.importorskip("algctl")
    whole = train_options("whole", "--config", config)
    train.main(whole)
    losses = [record["loss"] for record in read_log(whole.output / "log.jsonl") if record["kind"] == "validation"]
    assert losses[-1] < losses[0] < np.log(256)

    # A crash in step 5: the log has a line for step 4, and the newest checkpoint is of step 3.
    broken = train_options("broken", "--config", config)
    step = train.Trainer.train_step

    def crash(trainer: train.Trainer) -> torch.Tensor:
        if trainer.step == 4:
            raise RuntimeError("crash")
        return step(trainer)

    with monkeypatch.context() as patch:
        patch.setattr(train.Trainer, "train_step", crash)
        with pytest.raises(RuntimeError, match="crash"):
            train.main(broken)
    train.main(train_options("broken", "--config", config, "--resume"))
    assert without_speed(whole.output) == without_speed(broken.output)
    first, second = parameters(whole.output), parameters(broken.output)
    assert all(torch.equal(value, second[name]) for name, value in first.items())


def test_a_resumed_run_has_the_settings_that_it_is_given(train_options: Options) -> None:
    train.main(train_options("out", "--steps", "1"))
    options = train_options("out", "--weight-decay", "0.5", "--beta2", "0.9")
    with processes("cpu") as group:
        trainer = train.Trainer(configuration_from_options(options), options.data, options.output, group)
        trainer.resume()
    assert trainer.step == 1 and trainer.optimizer.state
    assert [group["weight_decay"] for group in trainer.optimizer.param_groups] == [0.5, 0.0]
    assert [group["betas"] for group in trainer.optimizer.param_groups] == [(0.9, 0.9)] * 2


def test_a_hundred_steps_of_a_pair(train_options: Options) -> None:
    """The text is a chain whose next token is one of few: both models find that out, from the same start."""
    pytest.importorskip("algctl")
    begin, end = {}, {}
    for config in ("tiny-dense", "tiny-q2x2"):
        options = train_options(f"hundred-{config}", "--config", config, "--steps", "100", "--validation-interval", "100",
                                "--log-interval", "1", "--checkpoint-interval", "100", "--warm-up-steps", "10",
                                "--peak-learning-rate", "3e-3")
        train.main(options)
        records = read_log(options.output / "log.jsonl")
        begin[config] = next(record["loss"] for record in records if record["kind"] == "training")
        end[config] = [record["loss"] for record in records if record["kind"] == "validation"][-1]
    assert abs(begin["tiny-dense"] - begin["tiny-q2x2"]) < 0.1
    for config, loss in end.items():
        assert loss < 0.7 * np.log(256), config


def test_signal_saves_and_stops(train_options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    options = train_options("out", "--checkpoint-interval", "100")
    step = train.Trainer.train_step

    def interrupted(trainer: train.Trainer) -> torch.Tensor:
        norm = step(trainer)
        if trainer.step == 2:
            os.kill(os.getpid(), signal.SIGTERM)
        return norm

    handler = signal.getsignal(signal.SIGTERM)
    with monkeypatch.context() as patch:
        patch.setattr(train.Trainer, "train_step", interrupted)
        train.main(options)
    assert signal.getsignal(signal.SIGTERM) == handler
    assert [path.name for path in checkpoints(options.output / "checkpoints")] == ["step-00000002"]
    train.main(train_options("out", "--resume"))
    (resumed,) = [record for record in read_log(options.output / "log.jsonl") if record["kind"] == "resumed"]
    assert resumed["step"] == 2 and resumed["changed"] == {"checkpoint_interval": 3}
    train.main(train_options("whole"))
    assert without_speed(options.output) == without_speed(options.output.parent / "whole")


def test_old_and_partial_checkpoints_go(train_options: Options) -> None:
    options = train_options("out", "--checkpoint-interval", "1", "--steps", "4")
    (options.output / "checkpoints" / "partial-00000002").mkdir(parents=True)
    train.main(options)
    assert sorted(path.name for path in (options.output / "checkpoints").iterdir()) == ["step-00000003", "step-00000004"]


@pytest.mark.parametrize("config", ["tiny-dense", "tiny-q2x2"])
def test_accumulation_and_bf16_run(train_options: Options, config: str) -> None:
    if config != "tiny-dense":
        pytest.importorskip("algctl")
    options = train_options("out", "--config", config, "--accumulation", "2", "--precision", "bf16", "--loss-chunk-rows", "100",
                            "--steps", "2")
    train.main(options)
    records = read_log(options.output / "log.jsonl")
    assert records[0]["training"]["precision"] == "bf16"
    assert records[1]["tokens"] == 2 * 2 * 4 * 64


def test_accumulated_gradients_are_those_of_the_whole_batch(train_options: Options) -> None:
    for output, (sequences, parts) in {"one": ("4", "1"), "two": ("2", "2")}.items():
        train.main(train_options(output, "--sequences-per-process", sequences, "--accumulation", parts, "--steps", "3"))
    directory = train_options("one").output.parent
    first, second = parameters(directory / "one"), parameters(directory / "two")
    for name, value in first.items():
        torch.testing.assert_close(value, second[name], rtol=1e-3, atol=1e-4)


def test_decay_of_matrices_alone(train_options: Options) -> None:
    model = LanguageModel(read_configuration("tiny-dense").model)
    groups = train.make_optimizer(model, TrainingConfiguration()).param_groups
    assert [group["weight_decay"] for group in groups] == [0.1, 0.0]
    assert all(parameter.dim() == 2 for parameter in groups[0]["params"])
    assert all(parameter.dim() == 1 for parameter in groups[1]["params"])
    assert len(train.make_optimizer(model, TrainingConfiguration(decayed_parameters="all")).param_groups) == 1


def test_schedule() -> None:
    paper = TrainingConfiguration()
    assert learning_rate(0, paper) == pytest.approx(3e-4 / 500)
    assert learning_rate(499, paper) == learning_rate(500, paper) == pytest.approx(3e-4)
    assert learning_rate(50_250, paper) == pytest.approx(3e-4 * 0.55)
    assert learning_rate(100_000, paper) == pytest.approx(3e-5)
    assert learning_rate(200_000, paper) == pytest.approx(3e-5)


@pytest.mark.parametrize("arguments, message", [
    (("--config", "huge"), "no configuration 'huge'"),
    (("--heads", "5"), "not a multiple of 5 heads"),
    (("--sequence-length", "65"), "longer than the context of 64"),
    (("--precision", "f16"), "precision is 'f16'"),
    (("--parallel", "ddp"), "needs torchrun"),
    (("--vocabulary", "255"), "a vocabulary of 256, more than the 255 of the model"),
    (("--data", "/nowhere"), "there is no /nowhere/train.bin"),
    (("--context", "4096"), "too few for sequences of 4096"),
    (("--resume",), "no complete checkpoint"),
    (("--device", "tpu"), "device is 'tpu'"),
])
def test_errors_of_the_user_end_with_2(train_options: Options, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...],
                                       message: str) -> None:
    with pytest.raises(SystemExit) as exit_code:
        run_program(train.main, train_options("out", *arguments))
    assert exit_code.value.code == 2
    error = capsys.readouterr().err
    assert message in error and error.startswith("error: ")


def test_a_run_is_not_overwritten_and_another_model_not_resumed(train_options: Options) -> None:
    train.main(train_options("out", "--steps", "1"))
    with pytest.raises(ConfigurationError, match="already has a run"):
        train.main(train_options("out"))
    with pytest.raises(ConfigurationError, match="of another model"):
        train.main(train_options("out", "--resume", "--layers", "3"))


def test_wrong_files(tmp_path: Path) -> None:
    tokens = chain(100, 0)
    write_tokens(tmp_path, "short", tokens)
    (tmp_path / "short.bin").write_bytes(tokens[:50].astype("<u2").tobytes())
    with pytest.raises(ConfigurationError, match="not complete"):
        TokenFile(tmp_path / "short.bin", 256)
    write_tokens(tmp_path, "odd", tokens)
    (tmp_path / "odd.bin").write_bytes(b"abc")
    with pytest.raises(ConfigurationError, match="3 bytes"):
        TokenFile(tmp_path / "odd.bin", 256)
    write_tokens(tmp_path, "beyond", tokens + 200, 256)
    with pytest.raises(ConfigurationError, match="the model a vocabulary of 256"):
        TokenFile(tmp_path / "beyond.bin", 256).windows(np.array([0]), 50)
    write_tokens(tmp_path, "header", tokens)
    (tmp_path / "header.json").write_text("{}")
    with pytest.raises(ConfigurationError, match="not the header of a token file"):
        TokenFile(tmp_path / "header.bin", 256)


@pytest.mark.parametrize("text, message", [
    ("[model]\nlayer = 2", "there is no 'layer'"),
    ("[model]\nlayers = 2.5", "of type int"),
    ("[data]", "there is no table 'data'"),
    ("layers", "own.toml: "),
    ("model = 3", "has to be a table"),
])
def test_wrong_configuration_files(train_options: Options, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "own.toml").write_text(text)
    with pytest.raises(ConfigurationError, match=message):
        train.main(train_options("out", "--config", str(tmp_path / "own.toml")))
