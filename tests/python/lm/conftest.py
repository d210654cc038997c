"""The programs of examples/lm as modules, and a text that a tiny model can learn."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "examples" / "lm")]

from lm_token_files import chain, write_tokens  # noqa: E402 (what finds it is above)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("filterwarnings", "ignore:torch.distributed is disabled, unavailable or uninitialized")


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Tiny models gain nothing from more, and forked processes may have no more."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("data")
    write_tokens(directory, "train", chain(4000, 0))
    write_tokens(directory, "validation", chain(1000, 1))
    return directory


@pytest.fixture
def train_options(data: Path, tmp_path: Path) -> Callable[..., argparse.Namespace]:
    """The options of a short run: train_options("output", "--steps", "4")."""
    from train import make_parser

    def options(output: str, *arguments: str) -> argparse.Namespace:
        tiny = ["--config", "tiny-dense", "--steps", "6", "--checkpoint-interval", "3", "--log-interval", "2", "--device", "cpu",
                "--validation-interval", "3"]
        return make_parser().parse_args(["--data", str(data), "--output", str(tmp_path / output), *tiny, *arguments])

    return options
