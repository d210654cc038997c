"""Keys and values of earlier positions, at addresses that never change, so that a captured graph can use them."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from configuration import ModelConfiguration
from model import Attend, causal_attention


class KeyValueCache:
    """Keys and values [layers, batch, heads, context, head width].

    A row is written before any later row reads it. What lies behind the current position, as the padding of a prompt,
    is masked, and overwritten when the sequence gets there.
    """

    def __init__(self, configuration: ModelConfiguration, batch: int, device: torch.device, dtype: torch.dtype) -> None:
        shape = (configuration.layers, batch, configuration.heads, configuration.context, configuration.head_width)
        self.layers = configuration.layers
        self.keys = torch.zeros(shape, device=device, dtype=dtype)
        self.values = torch.zeros(shape, device=device, dtype=dtype)
        self.rows = torch.arange(configuration.context, device=device)
        self.sequences = torch.arange(batch, device=device)

    def prefill(self) -> list[Attend]:
        """Attention of whole prompts from position 0, for each layer, which leaves their keys and values here."""
        def attend_in(layer: int) -> Attend:
            def attend(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
                self.keys[layer, :, :, :keys.shape[2]] = keys
                self.values[layer, :, :, :values.shape[2]] = values
                return causal_attention(queries, keys, values)
            return attend
        return [attend_in(layer) for layer in range(self.layers)]

    def step(self, positions: Tensor, window: int) -> list[Attend]:
        """Attention of one row for each sequence, at positions [batch] below `window`, to the rows up to it."""
        dtype = self.keys.dtype
        hidden = self.rows[:window] > positions[:, None]
        # The mask is added to the scores in every layer: as numbers, it need not be converted there.
        mask = torch.zeros(hidden.shape, dtype=dtype, device=hidden.device).masked_fill(hidden, -torch.inf)[:, None, None]

        def attend_in(layer: int) -> Attend:
            def attend(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
                self.keys[layer, self.sequences, :, positions] = keys[:, :, 0]
                self.values[layer, self.sequences, :, positions] = values[:, :, 0]
                return F.scaled_dot_product_attention(queries, self.keys[layer, :, :, :window], self.values[layer, :, :, :window],
                                                      attn_mask=mask)
            return attend
        return [attend_in(layer) for layer in range(self.layers)]
