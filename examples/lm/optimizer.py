"""AdamW and the clipping of gradients, for parameters that may lie on several meshes of processes."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor

from configuration import TrainingConfiguration


def by_mesh(parameters: Iterable[nn.Parameter]) -> list[list[nn.Parameter]]:
    """Operations on lists of tensors take those of one mesh. Tensors that are whole in every process have none."""
    groups: dict[DeviceMesh | None, list[nn.Parameter]] = {}
    for parameter in parameters:
        groups.setdefault(parameter.device_mesh if isinstance(parameter, DTensor) else None, []).append(parameter)
    return list(groups.values())


def make_optimizer(model: nn.Module, configuration: TrainingConfiguration) -> torch.optim.AdamW:
    """Weight decay on matrices alone, unless all parameters are asked for."""
    parameters = list(model.parameters())
    decays = [configuration.decayed_parameters == "all" or parameter.dim() >= 2 for parameter in parameters]
    groups = []
    for decay, weight_decay in ((True, configuration.weight_decay), (False, 0.0)):
        chosen = [parameter for parameter, decayed in zip(parameters, decays) if decayed == decay]
        groups += [{"params": group, "weight_decay": weight_decay} for group in by_mesh(chosen)]
    return torch.optim.AdamW(groups, lr=configuration.peak_learning_rate, betas=(configuration.beta1, configuration.beta2),
                             eps=configuration.epsilon, fused=True)


def clip_gradients(parameters: Iterable[nn.Parameter], most: float) -> Tensor:
    """Scales gradients to a norm of `most` over all of them, and returns the norm that they had, the same in all processes.

    The norm of a mesh adds up what its processes hold, and counts once what several of them hold. clip_grad_norm_ does so
    for one mesh; with several, the norm of all is that of their norms.
    """
    groups = by_mesh(parameters)
    norms = []
    for group in groups:
        norm = nn.utils.get_total_norm([parameter.grad for parameter in group if parameter.grad is not None])
        norms.append(norm.full_tensor() if isinstance(norm, DTensor) else norm)
    norm = norms[0] if len(norms) == 1 else torch.linalg.vector_norm(torch.stack(norms))
    for group in groups:
        nn.utils.clip_grads_with_norm_(group, most, norm)
    return norm
