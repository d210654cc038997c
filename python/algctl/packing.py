"""Packed weights: the order in which the CPU's kernels read them, for inference.

Packing is explicit, because nothing tells a layer reliably that its weights have changed: optimizers that are fused, writes through
.data and sharded parameters leave a tensor's version as it is. While a layer is packed it has no parameter `weight`, so that nobody
changes, reads or trains what the kernels no longer look at.
"""

from __future__ import annotations

import weakref

import torch
from torch import nn

from .bundle import DTYPE_NAMES, Bundle
from .errors import PackedError
from .library import operators
from .linear import AlgLinear


def pack_(model: nn.Module, dtype: torch.dtype | None = None) -> int:
    """Packs the weights of all AlgLinear layers of a model, for products in `dtype` (that of the weights), and returns the bytes
    that the packed weights take. The model has to be in evaluation mode and on the CPU. Raises PackedError otherwise, with
    nothing packed."""
    if dtype is not None and dtype not in DTYPE_NAMES:
        raise TypeError(f"dtype is {dtype}; algctl computes on torch.float32 and torch.bfloat16")
    layers = [(name, module) for name, module in model.named_modules() if isinstance(module, AlgLinear)]
    for name, layer in layers:
        where = f"the layer {name or type(layer).__name__}"
        if layer.is_packed:
            raise PackedError(f"{where} is packed already")
        if "weight" not in layer._parameters:
            raise PackedError(f"{where} computes its weights from others, as parametrizations and pruning do: make them its own "
                              "before, with remove_parametrizations or prune.remove")
        if type(layer).forward is not AlgLinear.forward:
            raise PackedError(f"{where} computes in another way ({type(layer).__name__}), as layers that are divided among ranks do")
        if layer.training:
            raise PackedError(f"{where} is in training mode: packed weights are for inference, call model.eval() first")
        if layer.weight.device.type != "cpu":
            raise PackedError(f"{where} is on {layer.weight.device}; packed weights are for the CPU")
        if layer.weight.requires_grad and layer.weight.grad is not None:
            raise PackedError(f"{where} has a gradient that no optimizer has taken yet: set it to None first")
    packed: list[tuple[AlgLinear, Bundle, int]] = []
    try:
        for _, layer in layers:
            bundle = layer.layer.bundle(dtype or layer.weight.dtype, torch.device("cpu"))
            packed.append((layer, bundle, operators.pack(layer.weight.detach(), bundle.name)))
    except BaseException:
        for _, _, number in packed:
            operators.free(number)
        raise
    for layer, bundle, number in packed:
        layer._unpacked_weight = [layer._parameters.pop("weight")]  # in a list: it is no parameter now
        layer._packed = {bundle.name: (number, bundle)}
        layer._release = weakref.finalize(layer, operators.free, number)
    return sum(operators.packed_bytes(number) for _, _, number in packed)


def unpack_(model: nn.Module) -> None:
    """Gives packed layers their weights back."""
    for layer in model.modules():
        if isinstance(layer, AlgLinear) and layer.is_packed:
            layer._release()
            layer._packed = {}
            weight = layer._unpacked_weight.pop()
            # The order of parameters decides that of a state_dict.
            bias = layer._parameters.pop("bias", None)
            layer._parameters["weight"] = weight
            layer._parameters["bias"] = bias
