"""What a task asks for, in tokens: responses with their ends, and pieces of texts whose likelihood is wanted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lm_eval.models.utils import normalize_gen_kwargs

from configuration import require
from sampling import Sampling

# Settings of other generators that change nothing at these values.
NEUTRAL = {"num_beams": 1, "repetition_penalty": 1.0, "num_return_sequences": 1}


@dataclass(frozen=True)
class ResponseSettings:
    stop_strings: tuple[str, ...]
    most_tokens: int
    sampling: Sampling

    @staticmethod
    def read(settings: dict[str, Any], most_tokens: int) -> ResponseSettings:
        """The likeliest token each time unless the task samples, and `most_tokens` unless it says how many."""
        rest = dict(normalize_gen_kwargs(settings, most_tokens))
        stop_strings = tuple(string for string in rest.pop("until") if string)
        wanted = rest.pop("max_gen_toks")
        require(wanted > 0, f"a task asks for {wanted} generated tokens")
        samples = rest.pop("do_sample")
        temperature, top_p, top_k = (rest.pop(name, default) for name, default in (("temperature", 1.0), ("top_p", 1.0), ("top_k", 0)))
        for name, value in rest.items():
            require(name in NEUTRAL and value == NEUTRAL[name], f"a task generates with {name} = {value!r}, which is not supported")
        sampling = Sampling(temperature, top_p, top_k) if samples else Sampling(temperature=0)
        return ResponseSettings(stop_strings, wanted, sampling)


def room_for(most_tokens: int, context: int) -> tuple[int, int]:
    """The tokens that a prompt may have, and those that follow: as lm-eval divides the context, where it can.

    A response as long as the context would leave nothing for the prompt. Each then gets half.
    """
    if most_tokens >= context:
        most_tokens = max(1, context // 2)
    return max(1, context - most_tokens), most_tokens


def up_to_first(text: str, stop_strings: Sequence[str]) -> str:
    """The text before the first of the strings."""
    for string in stop_strings:
        text = text.split(string, 1)[0]
    return text


@dataclass(frozen=True)
class Piece:
    """Tokens that a model reads, and the last ones of those that it should predict from them."""

    inputs: list[int]
    targets: list[int]


def pieces(before: Sequence[int], tokens: Sequence[int], context: int) -> Iterator[Piece]:
    """`tokens` after `before`, each token once and with as much before it as fits, from the left.

    There is one piece unless the tokens alone are longer than the context.
    """
    whole = [*before, *tokens]
    for start in range(0, len(tokens), context):
        count = min(context, len(tokens) - start)
        end = len(before) + start + count
        yield Piece(whole[max(0, end - 1 - context):end - 1], whole[end - count:end])
