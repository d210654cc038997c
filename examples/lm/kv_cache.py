"""Keys and values of earlier positions, at addresses that never change, so that a captured graph can use them."""

from __future__ import annotations

import sys

import torch
import torch.nn.functional as F
from torch import Tensor

from configuration import ModelConfiguration
from model import Attend, causal_attention


MASK_ALIGNMENT = 8  # numbers; attention on a device copies masks whose rows do not lie at multiples of it


def next_multiple(number: int, step: int, limit: int = sys.maxsize) -> int:
    return min(-(-number // step) * step, limit)


class KeyValueCache:
    """For each layer keys and values [2, batch, heads, context, head width].

    A row is written before any later row reads it. What lies behind the current position, as the padding of a prompt,
    is masked, and overwritten when the sequence gets there.
    """

    def __init__(self, configuration: ModelConfiguration, layers: int, batch: int, device: torch.device,
                 dtype: torch.dtype) -> None:
        context = configuration.context
        shape = (2, batch, configuration.heads, context, configuration.head_width)
        # Layers have tensors of their own: a compiled step then writes each in place, and reads views of it.
        self.layers = [torch.zeros(shape, device=device, dtype=dtype) for _ in range(layers)]
        self.rows = torch.arange(context, device=device)
        self.sequences = torch.arange(batch, device=device)
        # What attention adds to the scores in every layer: 0 for the rows that a sequence has, and -inf. It is kept, not made
        # anew, and as numbers, so that a step changes one number for each sequence, and no layer converts or copies it.
        length = next_multiple(context, MASK_ALIGNMENT)
        self._mask_storage = torch.full((batch, length), -torch.inf, device=device, dtype=dtype)
        self.mask = self._mask_storage[:, :context]

    def prefill(self) -> list[Attend]:
        """Attention of whole prompts from position 0, for each layer, which leaves their keys and values here."""
        def attend_in(layer: Tensor) -> Attend:
            def attend(queries: Tensor, keys_values: Tensor) -> Tensor:
                layer[:, :, :, :keys_values.shape[3]] = keys_values
                return causal_attention(queries, keys_values)
            return attend
        return [attend_in(layer) for layer in self.layers]

    def set_lengths(self, lengths: Tensor) -> None:
        """Lets steps see the first rows of every sequence, so many as `lengths` [batch] says."""
        self.mask.zero_().masked_fill_(self.rows >= lengths[:, None], -torch.inf)

    def step(self, positions: Tensor, window: int) -> list[Attend]:
        """Attention of one row for each sequence, at positions [batch] below `window`, to the rows up to it."""
        self.mask[self.sequences, positions] = 0
        mask = self.mask[:, None, None, :window]

        def attend_in(layer: Tensor) -> Attend:
            def attend(queries: Tensor, keys_values: Tensor) -> Tensor:
                # Indices around a slice put the dimension that they share, the sequences, in front.
                layer[:, self.sequences, :, positions] = keys_values[:, :, :, 0].transpose(0, 1)
                keys, values = layer[:, :, :, :window].unbind()
                return F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
            return attend
        return [attend_in(layer) for layer in self.layers]
