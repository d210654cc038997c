"""Tensor parallelism: the projections of every block divided over the processes of a group.

Embeddings, norms and head are in every process whole. They meet the same rows in all processes of a group: their gradients are
the same, and are not exchanged within the group.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (ColwiseParallel, ParallelStyle, PrepareModuleInput, RowwiseParallel,
                                               parallelize_module)

from configuration import Configuration, ConfigurationError
from model import LanguageModel


def divide_blocks(model: LanguageModel, mesh: DeviceMesh) -> None:
    """Leaves each process its heads of attention, and its part of the features inside of each feed-forward network."""
    columns, rows = _feed_forward_styles(model)
    whole = (Replicate(), None)  # of the rows; positions are no tensors of a mesh
    plan = {
        "attention.query_key_value": ColwiseParallel(), "attention.output": RowwiseParallel(),
        # Rows become distributed once, for both projections, so that their gradients are added before they are exchanged.
        "feed_forward": PrepareModuleInput(input_layouts=whole, desired_input_layouts=whole),
        "feed_forward.gate": columns, "feed_forward.up": columns, "feed_forward.down": rows,
    }
    try:
        for block in model.blocks:
            # All processes have started from the same numbers: nobody has to send them.
            parallelize_module(block, mesh, plan, src_data_rank=None)
    except ValueError as error:
        raise ConfigurationError(f"tensor_parallel is {mesh.size()}: {error}") from error


def _feed_forward_styles(model: LanguageModel) -> tuple[ParallelStyle, ParallelStyle]:
    if not model.configuration.is_algebraic:
        return ColwiseParallel(), RowwiseParallel()
    from algctl import AlgColwiseParallel, AlgRowwiseParallel
    return AlgColwiseParallel(), AlgRowwiseParallel()


def fully_shard_placement(model: LanguageModel, processes: int) -> Callable[[nn.Parameter], Shard | None] | None:
    """Along which dimension fully_shard divides over so many processes what is divided already; None: always the first."""
    # Only the first may be divided into unequal parts.
    if not model.configuration.is_algebraic or model.configuration.width % processes != 0:
        return None
    from algctl.distributed import fsdp_placement
    return fsdp_placement


# ---- checkpoints: what the optimizer holds has the shapes of divided parameters, a checkpoint those of one process ----

def merge_state(configuration: Configuration, model: nn.Module, state: dict[str, Any]) -> dict[str, Any]:
    if not _has_other_shapes(configuration):
        return state
    from algctl.distributed import merge_optimizer_state
    return merge_optimizer_state(model, state)


def divide_state(configuration: Configuration, model: nn.Module, state: dict[str, Any]) -> dict[str, Any]:
    if not _has_other_shapes(configuration):
        return state
    from algctl.distributed import divide_optimizer_state
    return divide_optimizer_state(model, state)


def _has_other_shapes(configuration: Configuration) -> bool:
    return configuration.model.is_algebraic and configuration.training.tensor_parallel > 1
