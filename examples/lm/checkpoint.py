"""Checkpoints of a run: complete ones have their final name, whatever happens while they are written."""

from __future__ import annotations

import json
import os
import shutil
import warnings
from pathlib import Path
from typing import Any

import torch
import torch.distributed.checkpoint as dcp
from torch import Tensor, nn
from torch.distributed.checkpoint.state_dict import get_model_state_dict, get_state_dict, set_model_state_dict, set_state_dict

from configuration import Configuration, ConfigurationError, from_dict, require
from model import LanguageModel
from processes import Processes
from tensor_parallel import divide_state, merge_state

# One process without a group is what no_dist says; the library finds it worth a warning.
warnings.filterwarnings("ignore", message="torch.distributed is disabled, unavailable or uninitialized")

PREFIX = "step-"
DESCRIPTION = "configuration.json"


def checkpoints(directory: Path) -> list[Path]:
    """The complete checkpoints of a run, oldest first."""
    return sorted(path for path in directory.glob(f"{PREFIX}*") if (path / DESCRIPTION).is_file())


def newest_checkpoint(path: Path) -> Path:
    """`path` itself if it is a checkpoint, else the newest of the run whose directory it is."""
    if (path / DESCRIPTION).is_file():
        return path
    for directory in (path / "checkpoints", path):
        found = checkpoints(directory)
        if found:
            return found[-1]
    raise ConfigurationError(f"there is no complete checkpoint in {path}")


def _random_state(group: Processes) -> dict[str, Tensor]:
    state = {"cpu": torch.get_rng_state()}
    if group.device.type == "cuda":
        state["cuda"] = torch.cuda.get_rng_state(group.device)
    return state


def save_checkpoint(directory: Path, configuration: Configuration, model: nn.Module, optimizer: torch.optim.Optimizer,
                    progress: dict[str, Tensor], group: Processes, kept: int) -> Path:
    """Writes model, optimizer, progress and random states under another name, and renames the directory at the end."""
    step = int(progress["step"])
    final = directory / f"{PREFIX}{step:08d}"
    partial = directory / f"partial-{step:08d}"
    if group.is_first:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
    group.barrier()
    model_state, optimizer_state = get_state_dict(model, optimizer)
    state = {"model": model_state, "optimizer": merge_state(configuration, model, optimizer_state), "progress": progress,
             "random": {str(group.rank): _random_state(group)}}
    dcp.save(state, checkpoint_id=partial, no_dist=group.count == 1)
    if group.is_first:
        (partial / DESCRIPTION).write_text(json.dumps({"step": step} | configuration.to_dict(), indent=2) + "\n")
        shutil.rmtree(final, ignore_errors=True)
        os.replace(partial, final)
        for old in checkpoints(directory)[:-kept]:
            shutil.rmtree(old)
    group.barrier()
    return final


def read_checkpoint_description(path: Path) -> dict[str, Any]:
    try:
        return json.loads((path / DESCRIPTION).read_text())
    except json.JSONDecodeError as error:
        raise ConfigurationError(f"{path / DESCRIPTION}: {error}") from error


def checkpoint_configuration(path: Path) -> Configuration:
    content = read_checkpoint_description(path)
    return from_dict({name: content[name] for name in ("model", "training") if name in content}, str(path))


def load_checkpoint(path: Path, configuration: Configuration, model: nn.Module, optimizer: torch.optim.Optimizer,
                    progress: dict[str, Tensor], group: Processes) -> Configuration:
    """Puts everything that save_checkpoint wrote where it came from, also over another number of processes.

    Returns the configuration that it was saved with, of which the model is the same and the training may differ.
    """
    saved = checkpoint_configuration(path)
    require(saved.model == configuration.model, f"{path} is of another model: {saved.model}")
    written = dcp.FileSystemReader(path).read_metadata().state_dict_metadata
    model_state, optimizer_state = get_state_dict(model, optimizer)
    optimizer_state = merge_state(configuration, model, optimizer_state)
    # Hyper-parameters are this run's. Its groups of parameters may be others than those of the checkpoint.
    state = {"model": model_state, "optimizer": {"state": optimizer_state["state"]}, "progress": progress}
    # Processes beyond those that wrote the checkpoint have no state of their own in it, and keep the one they have.
    random = {name: value for name, value in _random_state(group).items() if f"random.{group.rank}.{name}" in written}
    if random:
        state["random"] = {str(group.rank): random}
    dcp.load(state, checkpoint_id=path, no_dist=group.count == 1)
    optimizer_state = divide_state(configuration, model, optimizer_state | state["optimizer"])
    set_state_dict(model, optimizer, model_state_dict=state["model"], optim_state_dict=optimizer_state)
    if "cpu" in random:
        torch.set_rng_state(random["cpu"])
    if "cuda" in random:
        torch.cuda.set_rng_state(random["cuda"], group.device)
    return saved


def load_model(path: Path, device: torch.device, dtype: torch.dtype) -> LanguageModel:
    """The model of a checkpoint, or of the newest one of a run, for inference."""
    path = newest_checkpoint(path)
    model = LanguageModel(checkpoint_configuration(path).model)
    state = {"model": get_model_state_dict(model)}
    dcp.load(state, checkpoint_id=path, no_dist=True)
    set_model_state_dict(model, state["model"])
    return model.to(device=device, dtype=dtype).eval().requires_grad_(False)
