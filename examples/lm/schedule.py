"""The learning rate as a function of the step alone, so that there is nothing to save."""

from __future__ import annotations

import math

from configuration import TrainingConfiguration


def learning_rate(step: int, configuration: TrainingConfiguration) -> float:
    """Step 0 is the first: linear to the peak at step warm_up_steps, then a cosine to the final fraction at the last."""
    if step < configuration.warm_up_steps:
        return configuration.peak_learning_rate * (step + 1) / configuration.warm_up_steps
    length = max(1, configuration.steps - configuration.warm_up_steps)
    progress = min(1.0, (step - configuration.warm_up_steps) / length)
    fraction = configuration.final_learning_rate_fraction
    return configuration.peak_learning_rate * (fraction + (1 - fraction) * (1 + math.cos(math.pi * progress)) / 2)
