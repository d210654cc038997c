from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from configuration import ConfigurationError
from tokens import Order, TokenFile, TrainingBatches, ValidationBatches


def test_every_epoch_has_every_window_once_and_cuts_elsewhere() -> None:
    order = Order(tokens=1050, length=10, seed=3)
    assert order.windows == 104
    epochs = [[order.start(epoch * order.windows + index) for index in range(order.windows)] for epoch in range(3)]
    for starts in epochs:
        assert len(set(starts)) == order.windows
        assert len({start % 10 for start in starts}) == 1
        assert min(starts) >= 0 and max(starts) + 10 < 1050
    assert epochs[0] != epochs[1] != epochs[2]
    assert Order(1050, 10, 3).start(250) == order.start(250) and Order(1050, 10, 4).start(250) != order.start(250)


def test_shortest_text() -> None:
    for seed in range(20):
        assert Order(20, 10, seed).start(0) + 10 < 20
    with pytest.raises(ConfigurationError, match="too few"):
        Order(19, 10, 0)


def test_processes_share_the_batch_of_one(data: Path) -> None:
    file = TokenFile(data / "train.bin", 256)
    for step in (0, 1, 700):
        whole, targets = TrainingBatches(file, 16, 4, 1, 0, 1, 5).batch(step, 0)
        assert torch.equal(whole[:, 1:], targets[:, :-1])
        parts = [TrainingBatches(file, 16, 2, 1, rank, 2, 5).batch(step, 0)[0] for rank in range(2)]
        assert torch.equal(torch.cat(parts), whole)
        accumulated = [TrainingBatches(file, 16, 2, 2, 0, 1, 5).batch(step, part)[0] for part in range(2)]
        assert torch.equal(torch.cat(accumulated), whole)


def test_validation_is_fixed_and_shared(data: Path) -> None:
    file = TokenFile(data / "validation.bin", 256)
    whole = ValidationBatches(file, 16, 3, 10, 0, 1)
    assert len(whole.starts) == 10 and whole.starts[0] == 0 and np.all(np.diff(whole.starts) > 0)
    assert [len(inputs) for inputs, _ in whole] == [3, 3, 3, 1]
    parts = [ValidationBatches(file, 16, 3, 10, rank, 2).starts for rank in range(2)]
    assert sorted(np.concatenate(parts)) == sorted(whole.starts)
    assert len(ValidationBatches(file, 16, 3, 10_000, 0, 1).starts) == 62
    with pytest.raises(ConfigurationError, match="too short"):
        ValidationBatches(file, 1000, 1, 10, 0, 1)
