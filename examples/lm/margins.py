"""Means with the margins of Student's t distribution."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

# t(0.975, degrees of freedom), from 1 on.
QUANTILES = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281, 2.2010, 2.1788, 2.1604, 2.1448, 2.1314,
             2.1199, 2.1098, 2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423)
NORMAL_QUANTILE = 1.9600


def mean_and_margin(values: Sequence[float]) -> tuple[float, float]:
    """The mean and half the width of its 95 % interval, t s / sqrt(n); one value has no margin, which is nan."""
    if len(values) < 2:
        return statistics.fmean(values), math.nan
    freedom = len(values) - 1
    quantile = QUANTILES[freedom - 1] if freedom <= len(QUANTILES) else NORMAL_QUANTILE
    return statistics.fmean(values), quantile * statistics.stdev(values) / math.sqrt(len(values))
