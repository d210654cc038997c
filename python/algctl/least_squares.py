"""The weights of an algebraic layer that come nearest to a dense one, for activations of known second moments.

Let C = E[x x^T], and let a row of type t compute x D_tj W_j in output group j, where D_tj selects the groups of x that the
type reads there. The mean square error over types that are equally frequent,

    sum over t and j of tr((V_j - D_tj W_j)^T C (V_j - D_tj W_j)) / types,

of the dense weights V is a quadratic function of each W_j by itself, with the normal equations

    (sum over t of D_tj^T C D_tj) W_j = (sum over t of D_tj^T) C V_j.
"""

from __future__ import annotations

import torch
from torch import nn

from .bundle import Bundle
from .linear import AlgLinear

# Of the mean of the diagonal: keeps directions that no activation has at the dense weights.
_DAMPING = 1e-6


class Moments:
    """Second moments of the inputs of nn.Linear layers, gathered while a model computes:

        with algctl.Moments(model) as moments:
            for batch in batches:
                model(batch)
        algctl.convert_(model, "Q(4)", init="least_squares", moments=moments)

    One float32 matrix [in_features, in_features] for each layer, on its device. `filter` as in convert_.
    """

    def __init__(self, model: nn.Module, filter=None) -> None:
        from .convert import chosen_layers  # which knows what would be converted

        self._layers = chosen_layers(model, filter)
        self._sums: dict[str, torch.Tensor] = {}
        self._rows: dict[str, int] = {}
        self._hooks: list = []

    def __enter__(self) -> Moments:
        for name, layer in self._layers:
            self._hooks.append(layer.register_forward_pre_hook(self._hook(name)))
        return self

    def __exit__(self, *_) -> None:
        for hook in self._hooks:
            hook.remove()
        self._hooks.clear()

    def _hook(self, name: str):
        def gather(_module, arguments) -> None:
            rows = arguments[0].detach().reshape(-1, arguments[0].shape[-1]).float()
            product = rows.t() @ rows
            if name in self._sums:
                self._sums[name] += product
            else:
                self._sums[name] = product
            self._rows[name] = self._rows.get(name, 0) + rows.shape[0]

        return gather

    def __getitem__(self, name: str) -> torch.Tensor:
        """E[x x^T] of the layer, float32."""
        if name not in self._sums:
            raise KeyError(f"no activations of the layer {name} were seen: run the model inside the `with` block")
        return self._sums[name] / max(1, self._rows[name])


class Quadratic:
    """The error of a layer's weights, group by group: W -> tr(W^T A W) - 2 tr(W^T B) + constant."""

    def __init__(self, bundle: Bundle, dense: torch.Tensor, moments: torch.Tensor | None) -> None:
        """dense: V, [in, out]; moments: C, [in, in], the identity where None."""
        places, coefficients = bundle.terms
        if bundle.projection["lift"] != "rows" or not torch.equal(places[:, 2], places[:, 3]):
            raise ValueError("the algebra does not act on rows by selecting groups: its weights have no least-squares form here")
        device = dense.device
        self.types = bundle.types
        self.widths = bundle.projection["out_groups"]
        in_groups = torch.tensor(bundle.projection["in_groups"])
        group_of = torch.repeat_interleave(torch.arange(len(in_groups)), in_groups).to(device)
        count = len(in_groups)
        read = torch.zeros(len(self.widths), bundle.types, count, dtype=torch.float64)
        read[places[:, 1], places[:, 0], places[:, 2]] = coefficients
        self.dense = dense.double()
        self.moments = torch.eye(dense.shape[0], dtype=torch.float64, device=device) if moments is None else moments.double()
        self.product = self.moments @ self.dense
        self.constant = (self.dense * self.product).sum().item()
        self._both = torch.einsum("jtg,jth->jgh", read, read).to(device)
        self._single = read.sum(1).to(device)
        self._group_of = group_of

    def _group(self, group: int) -> tuple[torch.Tensor, torch.Tensor, slice]:
        start = sum(self.widths[:group])
        columns = slice(start, start + self.widths[group])
        both = self._both[group][self._group_of][:, self._group_of]
        return both * self.moments, self._single[group][self._group_of, None] * self.product[:, columns], columns

    def solve(self) -> torch.Tensor:
        """The best weights [in, out], float64. What no type reads keeps its dense value."""
        weights = self.dense.clone()
        for group in range(len(self.widths)):
            matrix, right, columns = self._group(group)
            damping = _DAMPING * matrix.diagonal().mean().clamp_min(torch.finfo(torch.float64).tiny)
            matrix = matrix + damping * torch.eye(matrix.shape[0], dtype=matrix.dtype, device=matrix.device)
            weights[:, columns] = torch.linalg.solve(matrix, right + damping * self.dense[:, columns])
        return weights

    def error(self, weights: torch.Tensor) -> float:
        """Of weights [in, out]: the root of the mean square error over that of the dense result, 1 where nothing is right."""
        weights = weights.double()
        total = self.types * self.constant
        for group in range(len(self.widths)):
            matrix, right, columns = self._group(group)
            part = weights[:, columns]
            total += ((part * (matrix @ part)).sum() - 2 * (part * right).sum()).item()
        return (max(0.0, total) / (self.types * self.constant)) ** 0.5 if self.constant > 0 else 0.0


def bundle_of_weights(layer: AlgLinear) -> Bundle:
    """A bundle whose terms are the layer's."""
    dtype = layer.weight.dtype
    device = layer.weight.device
    return layer.layer.bundle(torch.bfloat16 if device.type == "cuda" else dtype, device)
