"""Decoding with a cache: a prompt in one pass, then one token a step, which may be compiled. CUDA graphs replay both."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from configuration import require
from kv_cache import KeyValueCache, next_multiple
from model import LanguageModel
from sampling import Sampling, draw_noise, sample

WINDOW_STEP = 256  # attention reads as many rows of the cache as the next multiple of this
PLAIN_WINDOW_STEP = 32  # of this instead where nothing is compiled or captured for it
PROMPT_STEP = 64  # prompts are padded to multiples of this
POLL_INTERVAL = 8  # steps on a device between two looks at whether all sequences have ended
WARM_UP_CALLS = 3
NO_TOKEN = -1
# A step is compiled once for each window and decoder, on purpose.
ANY_NUMBER_OF_COMPILATIONS = {"recompile_limit": sys.maxsize, "accumulated_recompile_limit": sys.maxsize}


@dataclass(frozen=True)
class Generation:
    """The generated tokens of a sequence. <|endoftext|> is among them, as the last, if the sequence ended by itself."""

    tokens: list[int]
    ended: bool


class Decoder:
    """Generates for a batch of fixed size. All state of a step is in tensors on the device with fixed addresses."""

    def __init__(self, model: LanguageModel, sampling: Sampling, end_of_text: int, batch: int = 1, most_tokens: int = 256,
                 capture: bool = True, compile: bool | None = None) -> None:
        """`compile` is about steps; without it they are compiled where there is a CUDA device."""
        parameter = model.token_embedding.weight
        device = parameter.device
        self.model = model
        self.sampling = sampling
        self.context = model.configuration.context
        self.end_of_text = end_of_text
        self.most_tokens = most_tokens
        self.captures = capture and device.type == "cuda"
        self.compiles = device.type == "cuda" if compile is None else compile
        self.window_step = WINDOW_STEP if self.captures or self.compiles else min(PLAIN_WINDOW_STEP, WINDOW_STEP)
        self.cache = KeyValueCache(model.configuration, len(model.blocks), batch, device, parameter.dtype)
        self.generator = torch.Generator(device)
        self.prompt = torch.zeros(batch, self.context, dtype=torch.int64, device=device)
        self.lengths = torch.ones(batch, dtype=torch.int64, device=device)
        self.token = torch.zeros(batch, dtype=torch.int64, device=device)
        self.positions = torch.zeros(batch, dtype=torch.int64, device=device)
        self.count = torch.zeros(1, dtype=torch.int64, device=device)
        self.generated = torch.zeros(batch, most_tokens, dtype=torch.int64, device=device)
        self.finished = torch.zeros(batch, dtype=torch.bool, device=device)
        self.stop_token = torch.full((1,), NO_TOKEN, dtype=torch.int64, device=device)
        self.noise = torch.ones(batch, sampling.candidate_count(model.configuration.vocabulary), device=device)
        self._advance = torch.compile(self._next_token, fullgraph=True, dynamic=False) if self.compiles else self._next_token
        self._compiled_windows: set[int] = set()
        self._graphs: dict[tuple[str, int], torch.cuda.CUDAGraph] = {}
        self._pool = torch.cuda.graph_pool_handle() if self.captures else None

    def of(self, model: LanguageModel) -> Decoder:
        """One for another model that does the rest in the same way."""
        return Decoder(model, self.sampling, self.end_of_text, len(self.lengths), self.most_tokens, self.captures, self.compiles)

    def _append(self, logits: torch.Tensor) -> None:
        token = sample(logits, self.sampling, self.noise)
        # A sequence that has ended goes on with the token that ended it, until all others have.
        token = torch.where(self.finished, self.token, token)
        self.generated.index_copy_(1, self.count, token[:, None])
        self.finished.logical_or_(token == self.stop_token)
        self.token.copy_(token)
        self.count.add_(1).clamp_(max=self.most_tokens - 1)

    def _prefill(self, length: int) -> None:
        """The first token of every sequence, from prompts that are padded to `length` rows."""
        hidden = self.model.hidden_states(self.prompt[:, :length], attend=self.cache.prefill())
        last = hidden[self.cache.sequences, self.lengths - 1]
        self.cache.set_lengths(self.lengths)
        draw_noise(self.noise, self.sampling, self.generator)
        self._append(self.model.head(last))
        self.positions.copy_(self.lengths)

    def _step(self, window: int) -> None:
        """One more token for every sequence: the one at `positions` is read, the next one drawn."""
        # Compiled code knows no generators, and a captured graph only those that are registered with it.
        draw_noise(self.noise, self.sampling, self.generator)
        self._advance(window)

    def _next_token(self, window: int) -> None:
        hidden = self.model.hidden_states(self.token[:, None], self.positions[:, None], self.cache.step(self.positions, window))
        self._append(self.model.head(hidden[:, 0]))
        self.positions.add_(1).clamp_(max=self.context - 1)

    def _make_ready(self, name: str, size: int) -> None:
        """Compiles and captures a call, where that is wanted, so that running it does neither."""
        if self.captures:
            self._capture(name, size)
        elif self.compiles and name == "_step" and size not in self._compiled_windows:
            self._warm_up(name, size)
            self._compiled_windows.add(size)

    def _capture(self, name: str, size: int) -> None:
        if (name, size) in self._graphs:
            return
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            self._warm_up(name, size)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        graph.register_generator_state(self.generator)
        with torch.cuda.graph(graph, pool=self._pool):
            self._call(name, size)
        self._graphs[name, size] = graph

    def _warm_up(self, name: str, size: int) -> None:
        """Calls from a state in which few calls stay within every size. Whoever generates sets all of it anew."""
        self._reset()
        with torch._dynamo.config.patch(ANY_NUMBER_OF_COMPILATIONS):
            for _ in range(WARM_UP_CALLS):
                self._call(name, size)

    def _call(self, name: str, size: int) -> None:
        body: Callable[[int], None] = getattr(self, name)
        body(size)

    def _run(self, name: str, size: int) -> None:
        if self.captures:
            self._graphs[name, size].replay()
        else:
            self._call(name, size)

    def _reset(self) -> None:
        self.lengths.fill_(1)
        self.count.zero_()
        self.positions.zero_()
        self.finished.zero_()

    def _window(self, longest_prompt: int, step: int) -> int:
        """How many rows of the cache step number `step` reads; the first one after the prompt is 0."""
        return next_multiple(min(longest_prompt + step + 1, self.context), self.window_step, self.context)

    def token_limit(self, longest_prompt: int, wanted: int) -> int:
        """How many tokens there can be: the last one needs no position of its own."""
        return min(wanted, self.context - longest_prompt + 1)

    @torch.inference_mode()
    def prepare(self, longest_prompt: int, wanted: int) -> None:
        """Compiles and captures what generating after prompts of this length needs, so that no later call has to."""
        self._make_ready("_prefill", next_multiple(longest_prompt, PROMPT_STEP, self.context))
        steps = self.token_limit(longest_prompt, wanted) - 1
        for step in {*range(0, steps, self.window_step), max(0, steps - 1)}:
            self._make_ready("_step", self._window(longest_prompt, step))

    @torch.inference_mode()
    def generate(self, prompts: Sequence[Sequence[int]], most_tokens: int | None = None, seed: int | None = None,
                 stops: bool = True) -> list[Generation]:
        """At most `most_tokens` tokens after each prompt; without `stops`, exactly as many, whatever they are."""
        most_tokens = self.most_tokens if most_tokens is None else most_tokens
        require(len(prompts) == len(self.lengths), f"{len(prompts)} prompts for a batch of {len(self.lengths)}")
        require(0 < most_tokens <= self.most_tokens, f"{most_tokens} tokens are asked for: there is room for {self.most_tokens}")
        longest = max(len(prompt) for prompt in prompts)
        require(min(len(prompt) for prompt in prompts) > 0, "a prompt is empty: it needs at least one token")
        require(longest <= self.context, f"a prompt of {longest} tokens does not fit the context of {self.context}")
        limit = self.token_limit(longest, most_tokens)
        self.prepare(longest, most_tokens)
        if seed is not None:
            self.generator.manual_seed(seed)
        self._reset()
        length = next_multiple(longest, PROMPT_STEP, self.context)
        padded = [list(prompt) + [0] * (length - len(prompt)) for prompt in prompts]
        self.prompt[:, :length] = torch.tensor(padded)
        self.lengths.copy_(torch.tensor([len(prompt) for prompt in prompts]))
        self.stop_token.fill_(self.end_of_text if stops else NO_TOKEN)
        self._run("_prefill", length)
        count = 1
        poll_interval = POLL_INTERVAL if self.captures else 1
        while count < limit:
            if stops and count % poll_interval == 0 and bool(self.finished.all()):
                break
            self._run("_step", self._window(longest, count - 1))
            count += 1
        return [self._generation(row, stops) for row in self.generated[:, :count].tolist()]

    def _generation(self, tokens: list[int], stops: bool) -> Generation:
        if stops and self.end_of_text in tokens:
            return Generation(tokens[:tokens.index(self.end_of_text) + 1], True)
        return Generation(tokens, False)
