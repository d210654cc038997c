"""Packed weights: the order in which the CPU's kernels read them, for inference.

Packing is explicit, because nothing tells a layer reliably that its weights have changed: optimizers that are fused, writes through
.data and sharded parameters leave a tensor's version as it is. While a layer is packed it has no parameter `weight`, so that nobody
changes, reads or trains what the kernels no longer look at.
"""

from __future__ import annotations

import weakref

import torch
from torch import nn

from .errors import PackedError
from .library import operators
from .linear import AlgLinear


def pack_(model: nn.Module, dtype: torch.dtype | None = None) -> int:
    """Packs the weights of all AlgLinear layers of a model, for products in `dtype` (that of the weights), and returns the bytes
    that the packed weights take. The model has to be in evaluation mode and on the CPU. Raises PackedError otherwise, with
    nothing packed."""
    layers = [(name, module) for name, module in model.named_modules() if isinstance(module, AlgLinear)]
    for name, layer in layers:
        where = f"the layer {name or type(layer).__name__}"
        if "weight" not in layer._parameters:
            raise PackedError(f"{where} is packed already")
        if type(layer).forward is not AlgLinear.forward:
            raise PackedError(f"{where} computes in another way ({type(layer).__name__}), as layers that are divided among ranks do")
        if layer.training:
            raise PackedError(f"{where} is in training mode: packed weights are for inference, call model.eval() first")
        if layer.weight.device.type != "cpu":
            raise PackedError(f"{where} is on {layer.weight.device}; packed weights are for the CPU")
        if layer.weight.requires_grad and layer.weight.grad is not None:
            raise PackedError(f"{where} has a gradient that no optimizer has taken yet: set it to None first")
    total = 0
    for _, layer in layers:
        computed = dtype or layer.weight.dtype
        bundle = layer.layer.bundle(computed, torch.device("cpu"))
        number = operators.pack(layer.weight.detach(), bundle.name)
        total += operators.packed_bytes(number)
        weight = layer._parameters.pop("weight")
        layer._unpacked_weight = [weight]  # in a list: it is no parameter now
        layer._packed = {bundle.name: (number, bundle)}
        layer._release = weakref.finalize(layer, _free, number)
    return total


def unpack_(model: nn.Module) -> None:
    """Gives packed layers their weights back."""
    for layer in model.modules():
        if isinstance(layer, AlgLinear) and "weight" not in layer._parameters:
            layer._release()
            layer._packed = {}
            weight = layer._unpacked_weight.pop()
            # The order of parameters decides that of a state_dict.
            bias = layer._parameters.pop("bias", None)
            layer._parameters["weight"] = weight
            layer._parameters["bias"] = bias


def _free(number: int) -> None:
    operators.free(number)
