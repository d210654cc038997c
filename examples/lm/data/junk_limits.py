"""The thresholds of the junk filters. They are this project's own: the paper names the filters and not their numbers."""

from __future__ import annotations

import dataclasses
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from .contamination import CODING_DOMAIN
from .errors import DataError

AT_LEAST_ONE = frozenset({"maximum_character_run", "repetition_phrase_words", "compression_minimum_bytes"})


@dataclass(frozen=True, slots=True)
class JunkLimits:
    """What a record must keep to. Shares are between 0 and 1; a record exactly at a limit stays."""

    minimum_query_characters: int = 3
    """Without the white space around it. Three keep "2+2" and throw out what asks nothing."""
    minimum_response_characters: int = 1
    """Without the white space around it. One, because the letter of a choice and a digit are answers."""
    maximum_character_run: int = 200
    """Of one character other than white space. Rules of 80 or 120 dashes are ordinary, 200 of one character are not."""
    repetition_minimum_words: int = 50
    """Shorter responses are not checked for repeated phrases: a short list repeats its words honestly."""
    repetition_phrase_words: int = 5
    """Words in a phrase, at least one."""
    maximum_repeated_phrases: float = 0.6
    """Share of the phrases that occurred before in the response."""
    compression_minimum_bytes: int = 1000
    """Shorter responses are not checked by compression."""
    minimum_compressed_share: float = 0.05
    """Size after zlib over size before. Text and code are between 0.2 and 0.6; this finds repetition in text without blanks too."""
    repetition_minimum_lines: int = 20
    """Code with fewer lines of at least three letters or digits is not checked for repeated lines."""
    maximum_repeated_lines: float = 0.6
    """Share of those lines that occurred before in the code."""
    maximum_parsed_characters: int = 100_000
    """Longer blocks of Python are taken as they are: parsing needs some hundred times their memory."""


@dataclass(frozen=True, slots=True)
class JunkLimitsByDomain:
    """Limits for every domain, and those of domains that have their own."""

    general: JunkLimits = JunkLimits()
    domains: dict[str, JunkLimits] = field(default_factory=lambda: {CODING_DOMAIN: default_coding_limits(JunkLimits())})

    def of(self, domain: str) -> JunkLimits:
        return self.domains.get(domain, self.general)


def default_coding_limits(general: JunkLimits) -> JunkLimits:
    """Code in fewer than 10 characters answers nothing."""
    return dataclasses.replace(general, minimum_response_characters=10)


def read_limits(path: Path) -> JunkLimitsByDomain:
    """Limits from a TOML file: names at its top are for all domains, and a table [domain.NAME] is for one of them.

    What is not named keeps its default. Raises DataError for names that do not exist and values of another type.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: {error}") from error
    domains = table.pop("domain", {})
    if not isinstance(domains, dict) or not all(isinstance(values, dict) for values in domains.values()):
        raise DataError(f"{path}: limits of a domain are a table [domain.NAME]")
    general = _changed(JunkLimits(), table, f"{path}")
    limits = {CODING_DOMAIN: default_coding_limits(general)}
    if "minimum_response_characters" in table:
        limits[CODING_DOMAIN] = general
    for domain, values in domains.items():
        limits[domain] = _changed(limits.get(domain, general), values, f"{path}: [domain.{domain}]")
    return JunkLimitsByDomain(general, limits)


def _changed(limits: JunkLimits, values: dict[str, object], place: str) -> JunkLimits:
    for name, value in values.items():
        if name not in JunkLimits.__dataclass_fields__:
            raise DataError(f"{place}: no limit is called {name}; there are {', '.join(JunkLimits.__dataclass_fields__)}")
        default = getattr(JunkLimits(), name)
        allowed = (int, float) if isinstance(default, float) else (int,)
        smallest = 1 if name in AT_LEAST_ONE else 0
        if isinstance(value, bool) or not isinstance(value, allowed) or not value >= smallest:
            kind = "a number" if isinstance(default, float) else "a whole number"
            raise DataError(f"{place}: {name} is {kind} of at least {smallest}, not {value!r}")
    return dataclasses.replace(limits, **values)  # type: ignore[arg-type]  # Checked above, name by name.
