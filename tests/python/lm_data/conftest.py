"""Fixtures of the data pipeline's tests."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY))


@pytest.fixture(scope="session")
def repository() -> Path:
    return REPOSITORY


@pytest.fixture
def write_lines(tmp_path: Path) -> Callable[[str, Iterable[object]], Path]:
    """Writes a JSON-lines file; strings are written as they are, so that they can be malformed."""

    def write(name: str, values: Iterable[object]) -> Path:
        path = tmp_path / name
        lines = [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in values]
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return path

    return write


@pytest.fixture(scope="session")
def vocabulary():
    from examples.lm.data.vocabulary import load_vocabulary

    return load_vocabulary()
