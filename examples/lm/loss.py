"""The cross entropy of a linear head without all of its logits in memory."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor


def linear_cross_entropy(hidden: Tensor, weight: Tensor, targets: Tensor, chunk_rows: int = 0) -> Tensor:
    """The mean over rows of the cross entropy of hidden [rows, width] weight^T [width, classes] against targets [rows].

    Logits of 61,440 rows and 50,257 classes would be 12 GB in f32, and as much for their gradient. With chunk_rows > 0
    only those of as many rows exist at a time: the gradients of both factors are computed along with the loss.
    """
    if chunk_rows == 0 or chunk_rows >= hidden.shape[0]:
        return F.cross_entropy(F.linear(hidden, weight).float(), targets)
    device_type = hidden.device.type
    if torch.is_autocast_enabled(device_type):
        hidden = hidden.to(torch.get_autocast_dtype(device_type))
    return _ChunkedCrossEntropy.apply(hidden, weight, targets, chunk_rows, torch.is_grad_enabled())


class _ChunkedCrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, hidden: Tensor, weight: Tensor, targets: Tensor, chunk_rows: int, with_gradient: bool) -> Tensor:
        with torch.autocast(hidden.device.type, enabled=False):
            rows = hidden.shape[0]
            computed_weight = weight.to(hidden.dtype)
            total = torch.zeros((), dtype=torch.float32, device=hidden.device)
            if with_gradient:
                hidden_gradient = torch.empty_like(hidden)
                weight_gradient = torch.zeros_like(weight, dtype=torch.float32)
            for start in range(0, rows, chunk_rows):
                chunk = hidden[start:start + chunk_rows]
                chunk_targets = targets[start:start + chunk_rows, None]
                logits = (chunk @ computed_weight.t()).float()
                log_sums = logits.logsumexp(1, keepdim=True)
                total += (log_sums - logits.gather(1, chunk_targets)).sum()
                if with_gradient:
                    softmax = logits.sub_(log_sums).exp_()
                    logit_gradient = softmax.scatter_add_(1, chunk_targets, softmax.new_full(chunk_targets.shape, -1.0)).to(hidden.dtype)
                    hidden_gradient[start:start + chunk_rows] = logit_gradient @ computed_weight
                    weight_gradient += logit_gradient.t() @ chunk
            if with_gradient:
                context.save_for_backward(hidden_gradient, weight_gradient)
                context.weight_dtype = weight.dtype
            return total / rows

    @staticmethod
    def backward(context: Any, loss_gradient: Tensor) -> tuple[Tensor, Tensor, None, None, None]:
        hidden_gradient, weight_gradient = context.saved_tensors
        scale = loss_gradient / hidden_gradient.shape[0]
        return hidden_gradient * scale.to(hidden_gradient.dtype), (weight_gradient * scale).to(context.weight_dtype), None, None, None
