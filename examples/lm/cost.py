"""Multiply-accumulates of a model, counted from its sizes and from the terms of its algebra."""

from __future__ import annotations

from model import LanguageModel


def macs_per_token(model: LanguageModel, rows: int) -> dict[str, float]:
    """The forward multiply-accumulates of one token, as a mean over the causal positions 0 to rows - 1.

    Algebraic products count as the mean over their row types, which is exact for whole periods.
    """
    configuration = model.configuration
    width, hidden, layers = configuration.width, configuration.hidden, configuration.layers
    fraction = model.blocks[0].feed_forward.gate.fraction if configuration.is_algebraic else 1.0
    costs = {
        "feed_forward": layers * 3 * width * hidden * fraction,
        "attention_projections": layers * 4 * width * width,
        # A row at position p meets p + 1 keys and values.
        "attention_contractions": layers * width * (rows + 1),
        "head": width * configuration.vocabulary,
    }
    return costs | {"total": sum(costs.values())}
