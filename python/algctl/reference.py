"""The product by its definition in plain PyTorch, from a bundle's terms: on any device, in any type, differentiable.

It shares nothing with the kernels, and operators are tested against it in double precision. It is slow.
"""

from __future__ import annotations

import torch

from .bundle import Bundle


def row_types(bundle: Bundle, positions: torch.Tensor) -> torch.Tensor:
    """The type of the row at each position: floor((p mod period) / width)."""
    if bundle.period == 0:
        raise ValueError("the row types of this bundle are explicit: they follow from no position")
    return (positions % bundle.period) // bundle.projection["row_type_width"]


def linear(bundle: Bundle, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None,
           positions: int | torch.Tensor | None = None, types: torch.Tensor | None = None) -> torch.Tensor:
    """y [..., out_features] of x [..., T, in_features], in the type of x and weight. As AlgLinear, whose rows `positions`
    and `types` describe."""
    rows = x.reshape(-1, x.shape[-1])
    if types is None:
        if isinstance(positions, torch.Tensor):
            where = positions.expand(x.shape[:-1]).reshape(-1)
        else:
            length = x.shape[-2] if x.dim() > 1 else 1
            where = (torch.arange(length, device=x.device) + (positions or 0)).repeat(rows.shape[0] // max(1, length))
        types = row_types(bundle, where)
    types = types.reshape(-1).to(x.device)
    in_groups, out_groups = bundle.projection["in_groups"], bundle.projection["out_groups"]
    by_rows = bundle.projection["lift"] == "rows"
    matrix = weight.reshape(-1, weight.shape[-1])
    in_starts = _starts(in_groups)
    out_starts = _starts(out_groups)
    row_starts = in_starts + [in_starts[-1]]
    places, coefficients = bundle.terms
    y = x.new_zeros(rows.shape[0], sum(out_groups))
    for number in range(bundle.types if by_rows else 1):
        chosen = (types == number).nonzero().squeeze(1) if by_rows else torch.arange(rows.shape[0], device=x.device)
        if chosen.numel() == 0:
            continue
        columns = []
        of_rows = rows[chosen]
        for group, width in enumerate(out_groups):
            total = of_rows.new_zeros(chosen.numel(), width)
            for term in ((places[:, 0] == number) & (places[:, 1] == group)).nonzero().squeeze(1).tolist():
                _, _, source, row_group = places[term].tolist()
                block = matrix[row_starts[row_group]:row_starts[row_group] + in_groups[source]]
                if by_rows:
                    block = block[:, out_starts[group]:out_starts[group] + width]
                part = of_rows[:, in_starts[source]:in_starts[source] + in_groups[source]] @ block
                total = total + coefficients[term].item() * part
            columns.append(total)
        y = y.index_copy(0, chosen, torch.cat(columns, 1))
    if bias is not None:
        y = y + bias
    return y.reshape(*x.shape[:-1], y.shape[-1])


def _starts(widths: list[int]) -> list[int]:
    starts = [0]
    for width in widths:
        starts.append(starts[-1] + width)
    return starts
