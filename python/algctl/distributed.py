"""Tensor parallelism: styles for parallelize_module that divide an AlgLinear inside every one of its groups.

    from torch.distributed.tensor.parallel import parallelize_module
    parallelize_module(block, mesh, {"feed_forward.gate": AlgColwiseParallel(), "feed_forward.up": AlgColwiseParallel(),
                                     "feed_forward.down": AlgRowwiseParallel()})

A rank keeps a part of every group, so that its layer has the same algebra and narrower groups: column-wise [K, N / ranks], and
row-wise [K / ranks, N], whose results the ranks add. Features are divided in runs of `unit` neighbours, by default the greatest
width that divides all groups; rank r has the r-th part of every run, x.unflatten(-1, (-1, unit)).chunk(ranks, -1)[r].
A row-wise layer takes what a column-wise layer leaves where their units are equal, as in SwiGLU; give both the same unit where
groups of one are other than groups of the other.

The parameters are DTensors: column-wise weight [K, N / unit, unit] with Shard(2) and bias [N / unit, unit] with Shard(1),
row-wise weight [K / unit, unit, N] with Shard(1) and bias [N] with Replicate. state_dict and load_state_dict speak of [K, N]
and [N] as layers of one process do, and every rank has to call state_dict. States of optimizers have the shapes of parameters:
merge_optimizer_state and divide_optimizer_state convert them.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator

import torch
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Partial, Placement, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import ParallelStyle

from .bundle import Bundle, number_of
from .errors import PackedError
from .operators import projection
from .linear import AlgLinear, Layer, Positions, compute_dtype, place


class DividedLinear(AlgLinear):
    """The layer of one rank. in_features and out_features are those of all ranks together, as shapes of DTensors are."""

    unit: int
    axes: dict[str, int]  # of divided parameters, the axis that is divided in the form of one process
    input_layouts: Placement | None
    output_layouts: Placement | None
    use_local_output: bool

    def forward(self, x: torch.Tensor, positions: Positions = None, *, types: torch.Tensor | None = None) -> torch.Tensor:
        """As AlgLinear's. Positions and types are of all rows, also where x has the rows of one rank."""
        if positions is None and self.positions_source is not None:
            positions = self.positions_source.value
        # Of the weight, not kept: fully_shard gives the parameter another mesh while it is not in use.
        mesh = self.weight.device_mesh
        x = self._incoming(x.to(compute_dtype(x)), mesh)
        where, p0 = place(x, positions)
        axis = self.axes["weight"]
        weight = self.weight.to_local().flatten(axis, axis + 1)
        bias = self.bias.to_local().flatten() if "bias" in self.axes else None
        y = projection(x, weight, bias, where, types, p0, self.bundle_name(x))
        return self._outgoing(y, mesh)

    def to_linear(self) -> nn.Linear:
        raise ValueError(f"{self} is divided among ranks: load its state_dict into an AlgLinear of one process first")

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        super()._save_to_state_dict(destination, prefix, keep_vars)
        for name, axis in self.axes.items():
            destination[prefix + name] = _merged(destination[prefix + name], self._parameters[name], axis)

    def _load_from_state_dict(self, state_dict, prefix, *arguments):
        given = dict(state_dict)
        for name, parameter in self._parameters.items():
            if prefix + name in given and parameter is not None:
                given[prefix + name] = _divided(given[prefix + name], parameter, self.axes.get(name), self.unit)
        super()._load_from_state_dict(given, prefix, *arguments)


class ColwiseLinear(DividedLinear):
    """x: [..., T, K] of all features. y: [..., T, N / ranks], the part of every run, or [..., T, N] where a layout is given."""

    def _incoming(self, x: torch.Tensor, mesh: DeviceMesh) -> torch.Tensor:
        if not isinstance(x, DTensor):
            x = DTensor.from_local(x, mesh, [self.input_layouts or Replicate()], run_check=False)
        if not x.placements[0].is_replicate():
            x = x.redistribute(placements=[Replicate()])
        # Every rank finds the part of the gradient that its columns make; their sum is taken where x became a DTensor.
        return x.to_local(grad_placements=[Partial()])

    def _outgoing(self, y: torch.Tensor, mesh: DeviceMesh) -> torch.Tensor:
        if self.output_layouts is None:
            return y
        runs = DTensor.from_local(y.unflatten(-1, (-1, self.unit // mesh.size())), mesh, [Shard(y.dim())], run_check=False)
        across = Replicate() if _is_of_features(self.output_layouts, y.dim()) else self.output_layouts
        whole = runs.redistribute(placements=[across]).flatten(-2).redistribute(placements=[self.output_layouts])
        return whole.to_local() if self.use_local_output else whole


class RowwiseLinear(DividedLinear):
    """x: [..., T, K / ranks], the part of every run, or [..., T, K] where a layout is given. y: [..., T, N]."""

    def _incoming(self, x: torch.Tensor, mesh: DeviceMesh) -> torch.Tensor:
        if not isinstance(x, DTensor):
            if self.input_layouts is None:
                return x
            x = DTensor.from_local(x, mesh, [self.input_layouts], run_check=False)
        if _is_of_features(x.placements[0], x.dim()) or x.placements[0].is_partial():
            x = x.redistribute(placements=[Replicate()])
        runs = x.unflatten(-1, (-1, self.unit))
        return runs.redistribute(placements=[Shard(x.dim())]).to_local().flatten(-2)

    def _outgoing(self, y: torch.Tensor, mesh: DeviceMesh) -> torch.Tensor:
        whole = DTensor.from_local(y, mesh, [Partial()], run_check=False)
        whole = whole.redistribute(placements=[self.output_layouts or Replicate()])
        if self.bias is not None:
            # This redistribution changes nothing but the gradient, which it adds up where ranks have different rows.
            whole = whole + self.bias.redistribute(placements=[Replicate()]).to(whole.dtype)
        return whole.to_local() if self.use_local_output else whole


def _is_of_features(placement: Placement, dimensions: int) -> bool:
    """Whether a tensor of so many dimensions is divided along its last."""
    return isinstance(placement, Shard) and placement.dim in (-1, dimensions - 1)


# ---- styles ----

class _InsideGroups(ParallelStyle):
    linear: type[DividedLinear]
    axes: dict[str, int]

    def __init__(self, *, input_layouts: Placement | None = None, output_layouts: Placement | None = None,
                 use_local_output: bool = True, unit: int | None = None) -> None:
        super().__init__()
        for name, layout in (("input_layouts", input_layouts), ("output_layouts", output_layouts)):
            if layout is not None and not isinstance(layout, (Replicate, Shard)):
                raise ValueError(f"{name} is {layout}, it has to be Replicate() or Shard(dimension)")
        self.input_layouts, self.output_layouts = input_layouts, output_layouts
        self.use_local_output, self.unit = use_local_output, unit
        if output_layouts is None and not use_local_output and self.linear is ColwiseLinear:
            raise ValueError("a part of every group is a local tensor: use_local_output=False needs output_layouts")

    def _apply(self, module: nn.Module, device_mesh: DeviceMesh) -> nn.Module:
        """Makes the layer the one of this rank, or raises with the layer as it was."""
        style = type(self).__name__
        if isinstance(module, DividedLinear):
            raise ValueError(f"{module} is divided among ranks already")
        if type(module) is not AlgLinear:
            raise TypeError(f"{style} is for algctl.AlgLinear before fully_shard, not for {type(module).__name__}")
        if module.is_packed:
            raise PackedError(f"{module} is packed: call algctl.unpack_ before dividing it")
        if device_mesh.ndim != 1:
            raise ValueError(f"{style} takes one dimension of a mesh, mesh[\"tensor\"] say; this mesh has {device_mesh.ndim}")
        unit, local = self._local(module, device_mesh.size())
        parameters: dict[str, nn.Parameter] = {}
        for name, parameter in module.named_parameters(recurse=False):
            value, placement = parameter.detach(), Replicate()
            if name in self.axes:
                value, placement = value.unflatten(self.axes[name], (-1, unit)), Shard(self.axes[name] + 1)
            value = distribute_tensor(value, device_mesh, [placement], src_data_rank=self.src_data_rank)
            parameters[name] = nn.Parameter(value, requires_grad=parameter.requires_grad)
        module._parameters.update(parameters)
        module.__class__ = self.linear
        module._number, module.unit = number_of(local), unit
        module.axes = {name: axis for name, axis in self.axes.items() if name in parameters}
        module.input_layouts, module.output_layouts = self.input_layouts, self.output_layouts
        module.use_local_output = self.use_local_output
        return module

    def _local(self, module: AlgLinear, ranks: int) -> tuple[int, Layer]:
        """The unit, and what a rank's layer is compiled from. Raises ValueError where there is none."""
        layer, whole = module.layer, _bundle(module.layer, module.weight)
        if whole.projection["lift"] != "rows":
            raise ValueError(f"{module}: weights of the lift {whole.projection['lift']!r} cannot be divided inside groups")
        rows = self.axes["weight"] == 0
        side = "in" if rows else "out"
        groups = whole.projection[f"{side}_groups"]
        unit = self.unit or math.gcd(*groups)
        if any(width % unit for width in groups):
            raise ValueError(f"{module}: the unit {unit} does not divide the {side}put groups {list(groups)}")
        if unit % ranks:
            raise ValueError(f"{module}: {ranks} ranks cannot share the {side}put groups {list(groups)}, in runs of {unit} "
                             "features")
        changes = {f"{side}_features": sum(groups) // ranks, "bias": layer.bias and not rows}
        if getattr(layer, f"{side}_groups") is not None or len(set(groups)) > 1:
            changes[f"{side}_groups"] = tuple(width // ranks for width in groups)
        local = dataclasses.replace(layer, **changes)
        if not all(torch.equal(a, b) for a, b in zip(whole.terms, _bundle(local, module.weight).terms)):
            raise ValueError(f"{module}: the layer of one of {ranks} ranks has other block products than the whole layer")
        return unit, local


class AlgColwiseParallel(_InsideGroups):
    """Divides the output groups of an AlgLinear.

    input_layouts: how x [..., T, K] comes that is no DTensor: Replicate(), or Shard(dimension), as Shard(1) of sequence
    parallelism. output_layouts: None leaves a rank its part of every group, [..., T, N / ranks], as a local tensor, which
    AlgRowwiseParallel takes; this is not the Shard(-1) of y. Replicate() and Shard(dimension) bring the features of y
    [..., T, N] in their order, use_local_output=False then as a DTensor. unit: see the module.
    """

    linear = ColwiseLinear
    axes = {"weight": 1, "bias": 0}


class AlgRowwiseParallel(_InsideGroups):
    """Divides the input groups of an AlgLinear.

    input_layouts: None takes the rank's part of every group, [..., T, K / ranks], as AlgColwiseParallel leaves it. Replicate()
    and Shard(dimension) are layouts of x [..., T, K] in the order of its features; a DTensor says itself which it has.
    output_layouts: of y [..., T, N], Replicate() (None) by an all-reduce, or Shard(dimension) by a reduce-scatter, as Shard(1)
    of sequence parallelism. The bias is added once, after that. unit: see the module.
    """

    linear = RowwiseLinear
    axes = {"weight": 0}


def _bundle(layer: Layer, weight: torch.Tensor) -> Bundle:
    cuda = weight.device.type == "cuda"
    return layer.bundle(torch.bfloat16 if cuda else weight.dtype, weight.device if cuda else torch.device("cpu"))


def fsdp_placement(parameter: nn.Parameter) -> Shard | None:
    """For fully_shard(..., shard_placement_fn=fsdp_placement): divides row-wise weights [K / unit, unit, N] along N,
    because their first dimension may be as short as the number of groups."""
    rows = isinstance(parameter, DTensor) and parameter.dim() == 3 and parameter.placements[-1] == Shard(1)
    return Shard(2) if rows else None


# ---- checkpoints ----

def _merged(value: torch.Tensor, parameter: DTensor, axis: int) -> torch.Tensor:
    """The form of one process, [K, N] or [N], of a value in the shape of a divided parameter; others as they are."""
    if value.shape != parameter.shape or not isinstance(value, DTensor):
        return value
    # Divided along the axis that merging leaves alone.
    aside = Replicate() if value.dim() == 2 else Shard(2 * (1 - axis))
    return value.redistribute(placements=[aside] * value.device_mesh.ndim).flatten(axis, axis + 1)


def _runs(value: torch.Tensor, parameter: DTensor, axis: int | None, unit: int) -> torch.Tensor:
    """A view in the shape of the parameter of a value in the form of one process; others as they are."""
    shape = list(parameter.shape)
    if axis is None or list(value.shape) != [*shape[:axis], shape[axis] * unit, *shape[axis + 2:]]:
        return value
    return value.unflatten(axis, (-1, unit))


def _divided(value: torch.Tensor, parameter: DTensor, axis: int | None, unit: int) -> torch.Tensor:
    """The inverse of _merged. A plain tensor is the whole, and every rank takes its part. Values of wrong shapes stay as they
    are, and load_state_dict says so."""
    if isinstance(value, DTensor) and value.dim() < parameter.dim():
        aside = Replicate() if value.dim() == 1 else Shard(1 - axis)
        value = value.redistribute(placements=[aside] * value.device_mesh.ndim)
    value = _runs(value, parameter, axis, unit)
    if value.shape != parameter.shape:
        return value
    if isinstance(value, DTensor):
        return value.redistribute(placements=parameter.placements)
    return distribute_tensor(value, parameter.device_mesh, parameter.placements, src_data_rank=None)


def divide_full_state(model: nn.Module, state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """A whole state_dict of one process for set_model_state_dict with StateDictOptions(full_state_dict=True), which wants the
    shapes of parameters. The values are views."""
    held = dict(state)
    for key, module, name in _divided_parameters(model):
        if key in held:
            held[key] = _runs(held[key], module._parameters[name], module.axes[name], module.unit)
    return held


def merge_optimizer_state(model: nn.Module, state: dict) -> dict:
    """What get_optimizer_state_dict returned, not flattened, in the shapes of one process: for a checkpoint that other numbers
    of ranks read. Every rank has to call it."""
    return _with_states(model, state, _merged_state)


def divide_optimizer_state(model: nn.Module, state: dict) -> dict:
    """The inverse of merge_optimizer_state: what set_optimizer_state_dict takes."""
    return _with_states(model, state, _divided_state)


def _merged_state(value: torch.Tensor, module: DividedLinear, name: str) -> torch.Tensor:
    return _merged(value, module._parameters[name], module.axes[name])


def _divided_state(value: torch.Tensor, module: DividedLinear, name: str) -> torch.Tensor:
    """Without the gaps that unequal parts leave: fused optimizers take the layout of a state for that of its parameter."""
    divided = _divided(value, module._parameters[name], module.axes[name], module.unit)
    return divided.clone(memory_format=torch.contiguous_format)


def _with_states(model: nn.Module, state: dict, change: Callable[..., torch.Tensor]) -> dict:
    held = dict(state["state"])
    for key, module, name in _divided_parameters(model):
        if key in held:
            # The number of steps has no dimensions.
            held[key] = {part: change(value, module, name) if isinstance(value, torch.Tensor) and value.dim() else value
                         for part, value in held[key].items()}
    return {**state, "state": held}


def _divided_parameters(model: nn.Module) -> Iterator[tuple[str, DividedLinear, str]]:
    """Of each the name that torch.distributed.checkpoint gives it, its layer, and its name in the layer."""
    for prefix, module in model.named_modules():
        if isinstance(module, DividedLinear):
            for name in module.axes:
                key = f"{prefix}.{name}".removeprefix(".")
                yield key.replace("_orig_mod.", "").replace("_checkpoint_wrapped_module.", ""), module, name
