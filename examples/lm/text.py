"""Text to tokens and back, with the tokenizer.json that is written beside the token files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Tokenizer

from configuration import ConfigurationError, require

END_OF_TEXT = "<|endoftext|>"


@dataclass(frozen=True)
class Text:
    tokenizer: Tokenizer
    end_of_text: int

    @staticmethod
    def read(path: Path, vocabulary: int) -> Text:
        """Refuses a tokenizer that has more tokens than the model."""
        require(path.is_file(), f"there is no {path}: a tokenizer.json is written beside the token files")
        content = path.read_text(encoding="utf-8")
        try:
            json.loads(content)
        except json.JSONDecodeError as error:
            raise ConfigurationError(f"{path}: {error}") from error
        tokenizer = Tokenizer.from_str(content)
        size = tokenizer.get_vocab_size()
        require(size <= vocabulary, f"{path} has {size} tokens, more than the {vocabulary} of the model")
        end_of_text = tokenizer.token_to_id(END_OF_TEXT)
        if end_of_text is None:
            raise ConfigurationError(f"{path} has no {END_OF_TEXT}")
        return Text(tokenizer, end_of_text)

    def encode(self, text: str) -> list[int]:
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def decode(self, tokens: list[int]) -> str:
        return self.tokenizer.decode([token for token in tokens if token != self.end_of_text])
