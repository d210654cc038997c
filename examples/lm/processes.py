"""One process, or those that torchrun has started: devices, groups, and the ways to spread a model over them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.nn.parallel import DistributedDataParallel

from configuration import TrainingConfiguration, require
from model import LanguageModel
from tensor_parallel import divide_blocks, fully_shard_placement


@dataclass(frozen=True)
class Processes:
    rank: int
    count: int
    device: torch.device
    control: dist.ProcessGroup | None  # on the host, so that agreeing does not wait for the device
    tensor_parallel: int = 1  # neighbours that divide a model among them, and read the same text

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    @property
    def data_rank(self) -> int:
        return self.rank // self.tensor_parallel

    @property
    def data_count(self) -> int:
        return self.count // self.tensor_parallel

    def barrier(self) -> None:
        if self.count > 1:
            dist.barrier(self.control)

    def any(self, flag: bool) -> bool:
        """Whether the flag is set in any process."""
        if self.count == 1:
            return flag
        value = torch.tensor(int(flag))
        dist.all_reduce(value, dist.ReduceOp.MAX, group=self.control)
        return bool(value.item())

    def mean(self, value: Tensor) -> Tensor:
        if self.count == 1:
            return value
        value = value.clone()
        dist.all_reduce(value)
        return value / self.count

    def synchronize(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)


def choose_device(name: str, local_rank: int = 0) -> torch.device:
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    require(name.split(":")[0] in ("cpu", "cuda"), f"device is {name!r}: it has to be auto, cpu or cuda")
    if name == "cpu":
        return torch.device("cpu")
    require(torch.cuda.is_available(), "there is no CUDA device here")
    index = int(name.split(":")[1]) if ":" in name else local_rank
    require(index < torch.cuda.device_count(), f"there is no CUDA device {index}: there are {torch.cuda.device_count()}")
    return torch.device("cuda", index)


@contextmanager
def processes(device_name: str, tensor_parallel: int = 1) -> Iterator[Processes]:
    """Joins the group of processes if torchrun set WORLD_SIZE, and leaves it at the end."""
    if "WORLD_SIZE" not in os.environ:
        require(tensor_parallel == 1, f"--tensor-parallel {tensor_parallel} needs torchrun")
        device = choose_device(device_name)
        if device.type == "cuda":
            torch.cuda.set_device(device)
        yield Processes(0, 1, device, None)
        return
    count = int(os.environ["WORLD_SIZE"])
    require(count % tensor_parallel == 0, f"--tensor-parallel {tensor_parallel} does not divide {count} processes")
    device = choose_device(device_name, int(os.environ.get("LOCAL_RANK", "0")))
    if device.type == "cuda":
        torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo")
    try:
        yield Processes(dist.get_rank(), count, device, dist.new_group(backend="gloo"), tensor_parallel)
    finally:
        dist.destroy_process_group()


def distribute(model: LanguageModel, configuration: TrainingConfiguration, group: Processes) -> nn.Module:
    """The model spread over the processes: a module that is called in its place."""
    if configuration.parallel == "none":
        require(group.data_count == 1, f"{group.count} processes need --parallel ddp or fsdp" if group.tensor_parallel == 1 else
                f"{group.count} processes with --tensor-parallel {group.tensor_parallel} need --parallel fsdp")
        if group.count == 1:
            return model
    require(dist.is_initialized(), f"--parallel {configuration.parallel} needs torchrun")
    if configuration.parallel == "ddp":
        devices = [group.device] if group.device.type == "cuda" else None
        return DistributedDataParallel(model, device_ids=devices, gradient_as_bucket_view=True)
    # Neighbours are in one machine, where the sums of tensor parallelism, several in every block, are fast.
    mesh = init_device_mesh(group.device.type, (group.data_count, group.tensor_parallel), mesh_dim_names=("data", "tensor"))
    # Who refuses what follows leaves at once, and with the first process goes what the others need to meet.
    group.barrier()
    if group.tensor_parallel > 1:
        divide_blocks(model, mesh["tensor"])
    return model if configuration.parallel == "none" else fully_sharded(model, configuration, mesh)


def fully_sharded(model: LanguageModel, configuration: TrainingConfiguration, mesh: DeviceMesh) -> nn.Module:
    """The model over the data dimension of the mesh, in one unit for each block."""
    policy, placement = MixedPrecisionPolicy(), None
    if configuration.fsdp_bf16_parameters:
        policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    if configuration.tensor_parallel > 1:
        placement = fully_shard_placement(model, mesh["data"].size())
        # PyTorch asks for it, by this name: norms of gradients are then added over both dimensions at once.
        mesh._flatten("processes")
    for block in model.blocks:
        fully_shard(block, mesh=mesh["data"], mp_policy=policy, shard_placement_fn=placement)
    return fully_shard(model, mesh=mesh["data"], mp_policy=policy)


@contextmanager
def gradient_exchange(module: nn.Module, enabled: bool) -> Iterator[None]:
    """Leaves gradients in their processes while there are more passes to accumulate."""
    if isinstance(module, DistributedDataParallel) and not enabled:
        with module.no_sync():
            yield
        return
    if hasattr(module, "set_requires_gradient_sync"):
        module.set_requires_gradient_sync(enabled)
    yield
