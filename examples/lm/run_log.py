"""The log of a run: one JSON object a line, each with its kind."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from configuration import ConfigurationError


class RunLog:
    """Appends records; only the first process has a path and writes."""

    def __init__(self, path: Path | None) -> None:
        self.path = path

    def write(self, kind: str, **values: Any) -> None:
        if self.path is not None:
            with self.path.open("a") as file:
                file.write(json.dumps({"kind": kind} | values) + "\n")

    def forget_after(self, step: int) -> None:
        """Removes what a run wrote after the checkpoint that it is resumed from; those steps are done again."""
        if self.path is None or not self.path.exists():
            return
        kept = [record for record in read_log(self.path) if record.get("step", 0) <= step]
        replacement = self.path.with_suffix(".partial")
        replacement.write_text("".join(json.dumps(record) + "\n" for record in kept))
        os.replace(replacement, self.path)


def read_log(path: Path) -> list[dict[str, Any]]:
    """The records of a log. A last line that was cut off by a crash is left out."""
    try:
        lines = path.read_text().splitlines()
    except FileNotFoundError as error:
        raise ConfigurationError(f"there is no {path}") from error
    records = []
    for number, line in enumerate(lines, 1):
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError as error:
            if number < len(lines):
                raise ConfigurationError(f"{path}, line {number}: {error}") from error
    return records
