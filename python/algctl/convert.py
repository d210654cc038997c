"""Exchanges the dense projections of a model for algebraic ones."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable

import torch
from torch import nn

from .errors import CompilerError
from .least_squares import Moments, Quadratic, bundle_of_weights
from .linear import AlgLinear, PositionsSource, Unknown

Filter = Callable[[nn.Module, str], bool]


@dataclasses.dataclass(frozen=True)
class LayerReport:
    name: str
    in_features: int
    out_features: int
    fraction: float       # of the dense layer's multiplications
    copied_error: float   # relative error of the result with copied weights
    error: float          # with the weights that the layer has now


class Report(tuple):
    """One LayerReport for each converted layer, in the order of the model. Errors are root mean squares of what a layer computes
    over those of the dense layer, for activations of the given second moments, or uncorrelated ones of equal size."""

    def __str__(self) -> str:
        width = max([len(entry.name) for entry in self] + [5])
        lines = [f"{'layer':{width}}   in -> out      multiplications   error copied      now"]
        for entry in self:
            shape = f"{entry.in_features} -> {entry.out_features}"
            lines.append(f"{entry.name:{width}}   {shape:14} {entry.fraction:15.4f} {entry.copied_error:14.4f} {entry.error:8.4f}")
        return "\n".join(lines)


def is_dense(module: nn.Module) -> bool:
    """nn.Linear, or the Conv1D of Hugging Face's GPT-2, which is one with weights [in, out]. Not their subclasses, which may
    compute something else."""
    return type(module) is nn.Linear or f"{type(module).__module__}.{type(module).__name__}" == "transformers.pytorch_utils.Conv1D"


def dense_weight(module: nn.Module) -> torch.Tensor:
    """[in, out], of a module that is dense."""
    weight = module.weight.detach()
    return weight.t() if type(module) is nn.Linear else weight


def chosen_layers(model: nn.Module, filter: Filter | None) -> list[tuple[str, nn.Module]]:
    """The dense layers that `filter` accepts, by name. By default all but the output head of a Hugging Face model, which may see
    a part of the rows, those that share their weights with another module, and those that compute their weights from others. A
    model that is itself one layer has nothing to put another into. Raises ValueError where the filter accepts a layer whose
    weights are not its own."""
    head = model.get_output_embeddings() if hasattr(model, "get_output_embeddings") else None
    owners: dict[int, int] = {}
    for module in model.modules():
        for parameter in module.parameters(recurse=False):
            owners[id(parameter)] = owners.get(id(parameter), 0) + 1
    layers = []
    for name, module in model.named_modules():
        if not is_dense(module) or not name:
            continue
        own = "weight" in module._parameters
        if filter(module, name) if filter is not None else own and owners[id(module.weight)] == 1 and module is not head:
            if not own:
                raise ValueError(f"the layer {name} computes its weights from others, as parametrizations and pruning do: make "
                                 "them its own before, with remove_parametrizations or prune.remove")
            if owners[id(module.weight)] > 1:
                raise ValueError(f"the layer {name} shares its weights with another module, which reads them densely")
            layers.append((name, module))
    return layers


def convert_(model: nn.Module, algebra: str, filter: Filter | None = None, init: str = "copy", *, row_types: str = "cyclic",
             moments: Moments | None = None, positions: PositionsSource | None = None) -> Report:
    """Exchanges in place the dense layers that filter(module, name) accepts for AlgLinear layers over `algebra`.

    init: "copy" keeps the weights; "least_squares" takes those with the smallest mean square error of the layer's
    result, for which `moments` has the activations. Positions: a Hugging Face decoder tells its layers where rows
    are, by hooks on its decoder layers, and a layer that computes before them raises ValueError; a model of another
    kind computes whole sequences from position 0, or sets `positions.value` before each call. Nothing is exchanged
    where a layer cannot be.
    """
    if init not in ("copy", "least_squares"):
        raise ValueError(f"init is {init!r}, it has to be \"copy\" or \"least_squares\"")
    if init == "least_squares" and moments is None:
        raise ValueError("init=\"least_squares\" needs moments: see algctl.Moments")
    layers = chosen_layers(model, filter)
    if not layers:
        raise ValueError("no dense layer of the model is accepted by the filter")
    source = positions or PositionsSource()
    converted: list[tuple[str, AlgLinear]] = []
    report = []
    for name, module in layers:
        dense = dense_weight(module)
        try:
            layer = AlgLinear.from_weight(dense, module.bias, algebra, row_types=row_types)
        except CompilerError as error:
            raise CompilerError(f"the layer {name}, {dense.shape[0]} -> {dense.shape[1]}: {error}") from None
        for name_of_part, part in layer.named_parameters():
            part.requires_grad_(getattr(module, name_of_part).requires_grad)
        layer.train(module.training)
        quadratic = Quadratic(bundle_of_weights(layer), dense, None if moments is None else moments[name])
        copied = quadratic.error(dense)
        error = copied
        if init == "least_squares":
            weights = quadratic.solve()
            error = quadratic.error(weights)
            with torch.no_grad():
                layer.weight.copy_(weights)
        converted.append((name, layer))
        report.append(LayerReport(name, layer.in_features, layer.out_features, layer.fraction, copied, error))
    tells = positions is not None or _follow_positions(model, source)
    for name, layer in converted:
        if tells:
            layer.positions_source = source
        owner, _, attribute = name.rpartition(".")
        setattr(model.get_submodule(owner), attribute, layer)
    return Report(report)


def _decoder_layers(model: nn.Module) -> tuple[str, nn.ModuleList] | None:
    """The first list of layers that are told position_ids, and its name. Layers of GPT-2 hand them on among other keywords: there
    the decoder says that it has them."""
    for name, module in model.named_modules():
        if isinstance(module, nn.ModuleList) and len(module) > 0:
            of_layer = inspect.signature(module[0].forward).parameters
            of_decoder = inspect.signature(model.get_submodule(name.rpartition(".")[0]).forward).parameters
            any_keyword = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in of_layer.values())
            if "position_ids" in of_layer or any_keyword and "position_ids" in of_decoder:
                return name, module
    return None


class _KeepPositions:
    """A hook that keeps the position_ids of a decoder layer. An object, so that copies of a model have sources of their own."""

    def __init__(self, source: PositionsSource) -> None:
        self.source = source

    def __call__(self, _module: nn.Module, _arguments: tuple, keywords: dict) -> None:
        self.source.value = keywords.get("position_ids")


class _ForgetPositions:
    """A hook that forgets the positions of the call before, when a call of a model or of its decoder begins. Not when a call ends:
    activation checkpointing computes layers once more in the backward pass."""

    def __init__(self, source: PositionsSource) -> None:
        self.source = source

    def __call__(self, _module: nn.Module, _arguments: tuple) -> None:
        self.source.value = Unknown.POSITIONS


def _follow_positions(model: nn.Module, source: PositionsSource) -> bool:
    """Has the decoder layers of a Hugging Face model keep their position_ids in the source: with a cache, or with padding on
    the left, the position of a row is not its place in the batch. False where there are no such layers."""
    found = _decoder_layers(model)
    if found is None:
        return False
    name, layers = found
    # Every layer, because a model may leave out some while it trains.
    for layer in layers:
        layer.register_forward_pre_hook(_KeepPositions(source), with_kwargs=True)
    # The decoder and what is around it, because each of them may have layers that compute before the decoder's.
    while name:
        name = name.rpartition(".")[0]
        model.get_submodule(name).register_forward_pre_hook(_ForgetPositions(source))
    return True
