"""Flat token files: NAME.bin holds nothing but ids, 16 bits each, little-endian; NAME.json beside it says what they are."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import IO

import numpy as np

from .errors import DataError
from .vocabulary import Vocabulary

TOKEN_TYPE = np.dtype("<u2")
FORMAT = "uint16-little-endian"


class TokenFileWriter:
    """Appends documents, each followed by <|endoftext|>, to NAME.bin, and writes NAME.json when it is closed.

    Both files are synchronised to the disk when they are closed, so that a folder which is renamed afterwards holds whole files.
    """

    def __init__(self, folder: Path, name: str, vocabulary: Vocabulary, seed: int) -> None:
        if vocabulary.size > np.iinfo(TOKEN_TYPE).max + 1:
            raise ValueError(f"a vocabulary of {vocabulary.size} does not fit 16 bits")
        self.tokens = 0
        self.documents = 0
        self.text_bytes = 0
        self._vocabulary = vocabulary
        self._seed = seed
        self._header_path = folder / f"{name}.json"
        self._file = open(folder / f"{name}.bin", "xb")

    def append(self, ids: np.ndarray, text_bytes: int) -> None:
        """Appends one document of ids below the vocabulary's size; `text_bytes` is the length of its text in UTF-8."""
        if ids.size and int(ids.max()) >= self._vocabulary.size:
            raise ValueError(f"token {int(ids.max())} is not in a vocabulary of {self._vocabulary.size}")
        document = np.empty(ids.size + 1, dtype=TOKEN_TYPE)
        document[:-1] = ids
        document[-1] = self._vocabulary.end_of_text
        self._file.write(document.tobytes())
        self.tokens += document.size
        self.documents += 1
        self.text_bytes += text_bytes

    def close(self, counts: dict[str, object]) -> None:
        """Ends the file. `counts` goes into the JSON file as it is."""
        _synchronise(self._file)
        self._file.close()
        header = {
            "format": FORMAT,
            "tokens": self.tokens,
            "documents": self.documents,
            "text_bytes": self.text_bytes,
            "vocabulary": self._vocabulary.description(),
            "seed": self._seed,
            "counts": counts,
        }
        write_json(self._header_path, header)

    def abandon(self) -> None:
        """Closes the file without a header, where the folder around it is about to be removed."""
        self._file.close()


def write_json(path: Path, value: object) -> None:
    with open(path, "x", encoding="utf-8") as file:
        json.dump(value, file, indent=2, ensure_ascii=False)
        file.write("\n")
        _synchronise(file)


def read_token_file(path: Path) -> tuple[np.ndarray, dict[str, object]]:
    """The ids of NAME.bin, mapped and not read, and its header. Raises DataError if the two do not belong together."""
    header_path = path.with_suffix(".json")
    try:
        header = json.loads(header_path.read_text(encoding="utf-8"))
        size = path.stat().st_size
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: {error}") from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise DataError(f"{header_path}: the format is not {FORMAT}")
    if header.get("tokens") != size // TOKEN_TYPE.itemsize or size % TOKEN_TYPE.itemsize:
        raise DataError(f"{path}: {size} bytes are not the {header.get('tokens')} tokens of {header_path}")
    if size == 0:
        return np.empty(0, dtype=TOKEN_TYPE), header
    return np.memmap(path, dtype=TOKEN_TYPE, mode="r"), header


def _synchronise(file: IO[str] | IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())
