#!/usr/bin/env python3
"""Trains a language model: one process, or several under torchrun; see README.md for commands."""

from __future__ import annotations

import argparse
import contextlib
import signal
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from types import FrameType

import torch
from torch import Tensor

from checkpoint import load_checkpoint, newest_checkpoint, save_checkpoint
from configuration import Configuration, require
from cost import macs_per_token
from model import LanguageModel
from optimizer import clip_gradients, make_optimizer
from options import add_configuration_options, configuration_from_options, run_program
from processes import Processes, distribute, gradient_exchange, processes
from run_log import RunLog
from schedule import learning_rate
from tokens import TokenFile, TrainingBatches, ValidationBatches


class StopSignals:
    """The first SIGINT or SIGTERM asks for a checkpoint after the step; a second one ends the process at once."""

    def __init__(self) -> None:
        self.received = False
        self._previous = {number: signal.signal(number, self._receive) for number in (signal.SIGINT, signal.SIGTERM)}

    def _receive(self, number: int, frame: FrameType | None) -> None:
        self.received = True
        self.restore()

    def restore(self) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)


class Stopwatch:
    """The speed of training since it was last asked for, without evaluation and checkpoints."""

    def __init__(self, group: Processes, step: int) -> None:
        self.group = group
        self.step = step
        self.started = time.perf_counter()

    def steps_per_second(self, step: int) -> float:
        self.group.synchronize()
        now = time.perf_counter()
        speed = (step - self.step) / (now - self.started)
        self.step, self.started = step, now
        return speed

    @contextlib.contextmanager
    def paused(self, needed: bool) -> Iterator[None]:
        if not needed:
            yield
            return
        self.group.synchronize()
        paused = time.perf_counter()
        yield
        self.group.synchronize()
        self.started += time.perf_counter() - paused


class Trainer:
    def __init__(self, configuration: Configuration, data: Path, output: Path, group: Processes) -> None:
        self.configuration = configuration
        self.training = training = configuration.training
        self.group = group
        self.output = output
        vocabulary = configuration.model.vocabulary
        self.batches = TrainingBatches(TokenFile(data / "train.bin", vocabulary), training.sequence_length,
                                       training.sequences_per_process, training.accumulation, group.data_rank,
                                       group.data_count, training.data_seed)
        self.validation = ValidationBatches(TokenFile(data / "validation.bin", vocabulary), training.sequence_length,
                                            training.sequences_per_process, training.validation_sequences, group.data_rank,
                                            group.data_count)
        torch.manual_seed(training.seed + group.data_rank)
        torch.use_deterministic_algorithms(training.deterministic, warn_only=True)
        self.model = LanguageModel(configuration.model, training.seed).to(group.device)
        self.model.loss_chunk_rows = training.loss_chunk_rows
        self.parameter_count = self.model.parameter_count()
        self.costs = macs_per_token(self.model, training.sequence_length)
        if training.compile:
            for block in self.model.blocks:
                block.compile()
        self.module = distribute(self.model, training, group)
        self.optimizer = make_optimizer(self.model, training)
        # Losses since the last line of the log belong to a checkpoint: a resumed run writes the same lines.
        self.progress = {"step": torch.zeros((), dtype=torch.int64), "losses": torch.zeros((), dtype=torch.int64),
                         "loss_sum": torch.zeros((), dtype=torch.float64)}
        self.recent_loss = torch.zeros((), dtype=torch.float64, device=group.device)
        self.log = RunLog(output / "log.jsonl" if group.is_first else None)

    @property
    def step(self) -> int:
        return int(self.progress["step"])

    @property
    def tokens_per_step(self) -> int:
        training = self.training
        return training.sequences_per_process * training.accumulation * training.sequence_length * self.group.data_count

    def autocast(self) -> contextlib.AbstractContextManager[None]:
        # With parameters gathered in bf16, FSDP has done what autocast would do.
        enabled = self.training.precision == "bf16" and not self.training.fsdp_bf16_parameters
        return torch.autocast(self.group.device.type, torch.bfloat16, enabled=enabled)

    def to_device(self, batch: tuple[Tensor, Tensor]) -> tuple[Tensor, ...]:
        if self.group.device.type == "cuda":
            return tuple(part.pin_memory().to(self.group.device, non_blocking=True) for part in batch)
        return batch

    def train_step(self) -> Tensor:
        """One step of the optimizer; returns the norm of the gradients before they were clipped."""
        training, step = self.training, self.step
        for parameters in self.optimizer.param_groups:
            parameters["lr"] = learning_rate(step, training)
        for part in range(training.accumulation):
            inputs, targets = self.to_device(self.batches.batch(step, part))
            with gradient_exchange(self.module, part == training.accumulation - 1):
                with self.autocast():
                    loss = self.module(inputs, targets)
                (loss / training.accumulation).backward()
            self.recent_loss += loss.detach() / training.accumulation
        norm = clip_gradients(self.model.parameters(), training.clip_norm)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.progress["step"] += 1
        self.progress["losses"] += 1
        return norm

    @torch.no_grad()
    def validation_loss(self) -> float:
        total = torch.zeros((), dtype=torch.float64, device=self.group.device)
        self.module.eval()
        for batch in self.validation:
            inputs, targets = self.to_device(batch)
            with self.autocast():
                total += self.module(inputs, targets).double() * len(inputs)
        self.module.train()
        return float(self.group.mean(total / len(self.validation.starts)))

    def save(self) -> None:
        self.progress["loss_sum"] = self.group.mean(self.recent_loss).cpu()
        save_checkpoint(self.output / "checkpoints", self.configuration, self.module, self.optimizer, self.progress, self.group,
                        self.training.kept_checkpoints)

    def resume(self) -> None:
        saved = load_checkpoint(newest_checkpoint(self.output), self.configuration, self.module, self.optimizer, self.progress,
                                self.group)
        self.recent_loss.copy_(self.progress["loss_sum"])
        self.log.forget_after(self.step)
        changed = {name: value for name, value in asdict(self.training).items() if value != getattr(saved.training, name)}
        self.log.write("resumed", step=self.step, changed=changed)
        settings = ", ".join(f"{name} is now {value}" for name, value in changed.items()) or "with the same settings"
        self.say(f"resumed after step {self.step}, {settings}")

    def say(self, text: str) -> None:
        if self.group.is_first:
            print(text, flush=True)

    def write_progress(self, norm: Tensor, steps_per_second: float) -> None:
        loss = float(self.group.mean(self.recent_loss)) / int(self.progress["losses"])
        self.recent_loss.zero_()
        self.progress["losses"].zero_()
        speed = steps_per_second * self.tokens_per_step
        rate = learning_rate(self.step - 1, self.training)
        self.log.write("training", step=self.step, tokens=self.step * self.tokens_per_step, loss=loss, learning_rate=rate,
                       gradient_norm=float(norm), tokens_per_second=speed)
        self.say(f"step {self.step}/{self.training.steps}  loss {loss:.4f}  norm {float(norm):.3f}  rate {rate:.2e}  "
                 f"{speed:,.0f} tokens/s")

    def validate(self) -> None:
        loss = self.validation_loss()
        self.log.write("validation", step=self.step, tokens=self.step * self.tokens_per_step, loss=loss)
        self.say(f"step {self.step}/{self.training.steps}  validation loss {loss:.4f}")

    def run(self) -> None:
        """Trains to the last step or to a signal, and leaves a checkpoint in both cases."""
        training = self.training
        signals = StopSignals()
        stopwatch = Stopwatch(self.group, self.step)
        try:
            while self.step < training.steps:
                norm = self.train_step()
                step, is_last = self.step, self.step == training.steps
                stops = self.group.any(signals.received)
                if step % training.log_interval == 0 or is_last:
                    self.write_progress(norm, stopwatch.steps_per_second(step))
                validates = step % training.validation_interval == 0 or is_last
                saves = step % training.checkpoint_interval == 0 or is_last or stops
                with stopwatch.paused(validates or saves):
                    if validates:
                        self.validate()
                    if saves:
                        self.save()
                if stops:
                    self.say(f"stopped by a signal after step {step}; --resume goes on from there")
                    return
        finally:
            signals.restore()


def describe_run(trainer: Trainer) -> None:
    configuration, group = trainer.configuration, trainer.group
    name = torch.cuda.get_device_name(group.device) if group.device.type == "cuda" else "CPU"
    trainer.log.write("run", step=0, parameters=trainer.parameter_count, macs_per_token=trainer.costs, processes=group.count,
                      device=name, torch=torch.__version__, **configuration.to_dict())
    trainer.say(f"{configuration.model.algebra}: {trainer.parameter_count:,} parameters, {trainer.costs['total']:,.0f} "
                f"multiply-accumulates a token, {trainer.tokens_per_step:,} tokens a step, {group.count} x {name}")


def main(options: argparse.Namespace) -> None:
    configuration = configuration_from_options(options)
    with processes(configuration.training.device, configuration.training.tensor_parallel) as group:
        if not options.resume:
            require(not (options.output / "log.jsonl").exists(),
                    f"{options.output} already has a run: name another directory, or go on with --resume")
        trainer = Trainer(configuration, options.data, options.output, group)
        if options.resume:
            trainer.resume()
        else:
            group.barrier()
            options.output.mkdir(parents=True, exist_ok=True)
            describe_run(trainer)
        trainer.run()


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Train a dense or an algebraic language model.")
    parser.add_argument("--data", type=Path, required=True, help="the directory of train.bin and validation.bin")
    parser.add_argument("--output", type=Path, required=True, help="the directory of the log and of the checkpoints")
    parser.add_argument("--resume", action="store_true", help="go on from the newest checkpoint in --output")
    add_configuration_options(parser)
    return parser


if __name__ == "__main__":
    run_program(main, make_parser().parse_args())
