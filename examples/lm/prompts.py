"""Prompts of several domains: from a file, cut out of the validation text, or random."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from configuration import ConfigurationError, require
from generate import read_prompts
from text import Text
from tokens import TokenFile

# Mean tokens of a prompt in the paper's domains.
PAPER_LENGTHS = {"code": 42.9, "math": 54.3, "qa": 17.1, "wmt ru-en": 263.8}
SHORTEST, LONGEST = 0.5, 1.5  # lengths are uniform between these parts of the mean


@dataclass(frozen=True)
class Prompt:
    """As text where there is a tokenizer, whose time then counts, and as tokens."""

    text: str | None
    tokens: list[int]


def prompts_of_file(path: Path, text: Text, count: int) -> dict[str, list[Prompt]]:
    """The first `count` different prompts of each `domain` of a file of JSON lines."""
    domains: dict[str, dict[str, Prompt]] = {}
    for record in read_prompts(path):
        chosen = domains.setdefault(record.get("domain", "all"), {})
        if len(chosen) < count and record["prompt"] not in chosen:
            chosen[record["prompt"]] = Prompt(record["prompt"], text.encode(record["prompt"]))
    require(bool(domains), f"{path} has no prompts")
    for domain, chosen in domains.items():
        require(len(chosen) == count, f"{path} has {len(chosen)} different prompts of {domain}, {count} are wanted")
    return {domain: list(chosen.values()) for domain, chosen in domains.items()}


def random_prompts(length: int, count: int, vocabulary: int, longest: int, seed: int = 0) -> dict[str, list[Prompt]]:
    """Any tokens but the last of the vocabulary, which ends a text."""
    require(0 < length < longest, f"--random-prompts is {length}: it has to be from 1 to {longest - 1}")
    tokens = np.random.default_rng(seed).integers(vocabulary - 1, size=(count, length))
    return {"random": [Prompt(None, prompt) for prompt in tokens.tolist()]}


def prompts_of_validation(file: TokenFile, text: Text | None, count: int, longest: int, scale: float = 1.0,
                          seed: int = 0) -> dict[str, list[Prompt]]:
    """Pieces of the validation text with `scale` times the paper's mean lengths. The domains differ in length alone."""
    generator = np.random.default_rng(seed)
    result = {}
    for domain, paper_mean in PAPER_LENGTHS.items():
        mean = scale * paper_mean
        require(mean * SHORTEST >= 1 and mean * LONGEST < longest,
                f"prompts of {domain} would have {mean * SHORTEST:.1f} to {mean * LONGEST:.0f} tokens, of 1 to {longest - 1} that fit: "
                "--prompt-scale changes that")
        require(len(file) > mean * LONGEST * count, f"{file.path} is too short for {count} prompts of {domain}")
        # Lengths come in pairs around the mean, so that their own mean is the paper's.
        half = generator.uniform(SHORTEST, 1, (count + 1) // 2)
        lengths = np.rint(mean * np.concatenate([half, 2 - half])[:count]).astype(int)
        chosen: dict[tuple[int, ...], Prompt] = {}
        for _ in range(100 * count):
            if len(chosen) == count:
                break
            start = int(generator.integers(len(file) - lengths.max()))
            tokens = file.tokens[start:start + lengths[len(chosen)]].tolist()
            if file.header.end_of_text not in tokens:
                chosen.setdefault(tuple(tokens), Prompt(text.decode(tokens) if text else None, tokens))
        if len(chosen) < count:
            raise ConfigurationError(f"{file.path} has too few different pieces of {mean:.0f} tokens without an end of text")
        result[domain] = list(chosen.values())
    return result
