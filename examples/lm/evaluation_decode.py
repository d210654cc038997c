"""The decoder of generation, which here also ends at strings, and reads whole texts on the same captured path."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

import decode
from configuration import require
from decode import Decoder, Generation, next_multiple
from model import LanguageModel
from sampling import Sampling
from text import Text


class EvaluationDecoder(Decoder):
    """Responses end at a string, and hidden rows of given texts come from the pass that reads prompts."""

    def __init__(self, model: LanguageModel, text: Text, sampling: Sampling, batch: int = 1, capture: bool = True,
                 compile: bool | None = None) -> None:
        context = model.configuration.context
        super().__init__(model, sampling, text.end_of_text, batch, context, capture, compile)
        self.text = text
        weights = model.token_embedding.weight
        self.hidden = torch.zeros(batch, context, model.configuration.width, device=weights.device, dtype=weights.dtype)
        self.stop_strings: tuple[str, ...] = ()
        self.drawn = 0  # the tokens that every sequence has

    def _read(self, length: int) -> None:
        """Hidden rows of texts that are padded to `length` rows."""
        self.hidden[:, :length] = self.model.hidden_states(self.prompt[:, :length], attend=self.cache.prefill())

    @torch.inference_mode()
    def read(self, texts: Sequence[Sequence[int]]) -> Tensor:
        """Hidden rows [batch, rows, width], of which those of a text come first. They are there until the next call."""
        require(len(texts) == len(self.lengths), f"{len(texts)} texts for a batch of {len(self.lengths)}")
        longest = max(len(text) for text in texts)
        require(0 < longest <= self.context, f"a text of {longest} tokens does not fit the context of {self.context}")
        length = next_multiple(longest, decode.PROMPT_STEP, self.context)
        self._make_ready("_read", length)
        self.prompt[:, :length] = torch.tensor([list(text) + [0] * (length - len(text)) for text in texts])
        self._run("_read", length)
        return self.hidden[:, :length]

    def generate_until(self, prompts: Sequence[Sequence[int]], stop_strings: Sequence[str], most_tokens: int,
                       seed: int) -> list[Generation]:
        """Like `generate`; a sequence also ends when its text has one of the strings, some tokens behind it at most."""
        self.stop_strings = tuple(stop_strings)
        return self.generate(prompts, most_tokens, seed)

    def _run(self, name: str, size: int) -> None:
        super()._run(name, size)
        if name == "_read" or not self.stop_strings:
            return
        self.drawn = 1 if name == "_prefill" else self.drawn + 1
        # Only as often as generation looks at which sequences have ended, because each look waits for the device.
        if self.drawn % (decode.POLL_INTERVAL if self.captures else 1) == 0:
            texts = [self.text.decode(tokens) for tokens in self.generated[:, :self.drawn].tolist()]
            found = [any(string in text for string in self.stop_strings) for text in texts]
            if any(found):
                self.finished |= torch.tensor(found, device=self.finished.device)
