"""A language model of this folder as lm-eval sees one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from lm_eval.api.instance import Instance
from lm_eval.api.model import TemplateLM
from tqdm import tqdm

from evaluation_decode import EvaluationDecoder
from evaluation_requests import Piece, ResponseSettings, pieces, room_for, up_to_first
from model import LanguageModel
from sampling import Sampling
from text import Text

LOGIT_ROWS = 512  # rows of logits that are in memory at once
MOST_TOKENS = 512

Item = TypeVar("Item")


@dataclass
class Counts:
    """How much there was to do, and how often the context was too short for it."""

    responses: int = 0
    generated_tokens: int = 0
    shortened_prompts: int = 0
    shortened_responses: int = 0
    likelihoods: int = 0
    shortened_contexts: int = 0


def batches(items: Sequence[Item], batch: int) -> Iterator[tuple[list[Item], int]]:
    """Full batches, the last one with copies of its last item, and how many items of each are no copies."""
    for start in range(0, len(items), batch):
        chosen = list(items[start:start + batch])
        yield chosen + chosen[-1:] * (batch - len(chosen)), len(chosen)


class EvaluationModel(TemplateLM):
    """Likelihoods and responses from the cache and the captured graphs that generation uses."""

    def __init__(self, model: LanguageModel, text: Text, batch: int = 1, most_tokens: int = MOST_TOKENS, seed: int = 0,
                 capture: bool = True, compile: bool | None = None) -> None:
        super().__init__()
        self.model = model
        self.text = text
        self.batch = batch
        self.most_tokens = most_tokens
        self.seed = seed
        self.capture = capture
        self.compile = compile
        self.counts = Counts()
        self._decoders: dict[Sampling, EvaluationDecoder] = {}

    def decoder(self, sampling: Sampling = Sampling(temperature=0)) -> EvaluationDecoder:
        """One for each way to draw tokens, because that is part of a compiled and captured step."""
        if sampling not in self._decoders:
            self._decoders[sampling] = EvaluationDecoder(self.model, self.text, sampling, self.batch, self.capture, self.compile)
        return self._decoders[sampling]

    @property
    def eot_token_id(self) -> int:
        return self.text.end_of_text

    @property
    def max_length(self) -> int:
        return self.model.configuration.context

    def tok_encode(self, string: str, add_special_tokens: bool | None = None, **_: Any) -> list[int]:
        return self.text.encode(string)

    def _loglikelihood_tokens(self, requests: Sequence[tuple[tuple[str, str] | None, list[int], list[int]]],
                              disable_tqdm: bool = False, **_: Any) -> list[tuple[float, bool]]:
        """The log-likelihood of each continuation after its context, and whether each of its tokens is the likeliest."""
        parts: list[tuple[int, Piece]] = []
        for index, (_names, context, continuation) in enumerate(requests):
            parts += [(index, piece) for piece in pieces(context, continuation, self.max_length)]
            self.counts.shortened_contexts += len(context) + len(continuation) > self.max_length + 1
        self.counts.likelihoods += len(requests)
        sums, likeliest = [0.0] * len(requests), [True] * len(requests)
        parts.sort(key=lambda part: len(part[1].inputs), reverse=True)
        with tqdm(total=len(parts), desc="likelihoods", disable=disable_tqdm) as progress:
            for chosen, count in batches(parts, self.batch):
                scores = self._score([piece for _, piece in chosen])
                for (index, _piece), (logarithm, is_likeliest) in zip(chosen[:count], scores):
                    sums[index] += logarithm
                    likeliest[index] = likeliest[index] and is_likeliest
                progress.update(count)
        results = list(zip(sums, likeliest))
        for (names, _, _), result in zip(requests, results):
            if names is not None:
                self.cache_hook.add_partial("loglikelihood", names, result)
        return results

    @torch.inference_mode()
    def _score(self, chosen: Sequence[Piece]) -> list[tuple[float, bool]]:
        hidden = self.decoder().read([piece.inputs for piece in chosen])
        scores = []
        for row, piece in enumerate(chosen):
            end = len(piece.inputs)
            rows = hidden[row, end - len(piece.targets):end]
            targets = torch.tensor(piece.targets, device=rows.device)
            total, is_likeliest = 0.0, True
            for some_rows, some_targets in zip(rows.split(LOGIT_ROWS), targets.split(LOGIT_ROWS)):
                logits = self.model.head(some_rows).float()
                logarithms = logits.gather(1, some_targets[:, None])[:, 0] - logits.logsumexp(1)
                total += float(logarithms.double().sum())
                is_likeliest = is_likeliest and bool((logits.argmax(1) == some_targets).all())
            scores.append((total, is_likeliest))
        return scores

    def loglikelihood_rolling(self, requests: Sequence[Instance], disable_tqdm: bool = False) -> list[float]:
        """Of whole texts, from the end of another text on; long ones in pieces that each fill the context."""
        texts = [request.args[0] for request in requests]
        scores = self._loglikelihood_tokens([(None, [self.prefix_token_id], self.tok_encode(text)) for text in texts], disable_tqdm)
        for text, (logarithm, _) in zip(texts, scores):
            self.cache_hook.add_partial("loglikelihood_rolling", (text,), logarithm)
        return [logarithm for logarithm, _ in scores]

    def generate_until(self, requests: Sequence[Instance], disable_tqdm: bool = False) -> list[str]:
        """A response to each prompt, without the string that ended it."""
        groups: dict[ResponseSettings, list[tuple[int, list[int]]]] = {}
        for index, request in enumerate(requests):
            prompt, settings = request.args
            group = groups.setdefault(ResponseSettings.read(settings, self.most_tokens), [])
            # An empty prompt is the start of a text, which is behind the end of another one.
            group.append((index, self.tok_encode(prompt) or [self.prefix_token_id]))
        responses = [""] * len(requests)
        with tqdm(total=len(requests), desc="responses", disable=disable_tqdm) as progress:
            for settings, prompts in groups.items():
                prompts.sort(key=lambda item: len(item[1]), reverse=True)
                for chosen, count in batches(prompts, self.batch):
                    for (index, _), response in zip(chosen[:count], self._respond(chosen, count, settings)):
                        responses[index] = response
                        self.cache_hook.add_partial("generate_until", requests[index].args, response)
                    progress.update(count)
        return responses

    def _respond(self, chosen: Sequence[tuple[int, list[int]]], count: int, settings: ResponseSettings) -> list[str]:
        room, most_tokens = room_for(settings.most_tokens, self.max_length)
        self.counts.responses += count
        self.counts.shortened_prompts += sum(len(prompt) > room for _, prompt in chosen[:count])
        self.counts.shortened_responses += count * (most_tokens < settings.most_tokens)
        generations = self.decoder(settings.sampling).generate_until(
            [prompt[-room:] for _, prompt in chosen], settings.stop_strings, most_tokens, self.seed + chosen[0][0])[:count]
        self.counts.generated_tokens += sum(len(generation.tokens) for generation in generations)
        return [up_to_first(self.text.decode(generation.tokens), settings.stop_strings) for generation in generations]
