"""Makes flat token files out of JSON-lines records: exact duplicates, contamination and junk are removed, the rest is tokenised.

    python -m examples.lm.data INPUT.jsonl... --evaluation EVALUATION.jsonl... -o OUT_FOLDER

OUT_FOLDER then holds train.bin and train.json, validation.bin and validation.json if asked for, tokenizer.json and report.json.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from pathlib import Path

if not __package__:
    # Run as a script: the package that the relative imports below need is found from the root of the repository.
    sys.path[0] = str(Path(__file__).resolve().parents[3])
    __package__ = "examples.lm.data"
    import examples.lm.data  # noqa: F401

from . import command_line
from .contamination import BANDS, DEFAULT_THRESHOLD, PERMUTATIONS, ROWS, Decontamination
from .junk_limits import JunkLimitsByDomain, read_limits
from .output_folder import is_free, whole_folder
from .pipeline import filtered, write_tokens
from .records import read_evaluation_entries, read_records
from .report import Report
from .token_file import write_json
from .vocabulary import GPT2_MERGES, load_vocabulary


def parsed(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m examples.lm.data", description=__doc__.split("\n", 1)[0])
    parser.add_argument("input", type=Path, nargs="+", metavar="INPUT.jsonl", help='records {"query", "response", "domain"}, one a line')
    parser.add_argument("--evaluation", type=Path, nargs="+", action="extend", default=[], metavar="EVALUATION.jsonl",
                        help='evaluation sets to keep out of the data: {"query"} and, for sets about code, {"query", "code"}')
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="OUT_FOLDER", help="the folder to make")
    parser.add_argument("--threshold", type=command_line.fraction, default=DEFAULT_THRESHOLD, metavar="JACCARD",
                        help="remove what is more similar than this to an evaluation set (default: %(default)s)")
    parser.add_argument("--limits", type=Path, metavar="LIMITS.toml", help="limits of the junk filters (see README.md)")
    parser.add_argument("--merges", type=command_line.merges, default=GPT2_MERGES, metavar="N",
                        help="take only GPT-2's first N merges: a vocabulary of 256 + N + 1 (default: all 50000)")
    parser.add_argument("--vocabulary", type=Path, metavar="FOLDER", help="folder of GPT-2's encoder.json and vocab.bpe")
    parser.add_argument("--validation-fraction", type=command_line.fraction, default=0.0, metavar="SHARE",
                        help="share of the records that goes into validation.bin (default: none)")
    parser.add_argument("--seed", type=command_line.seed, default=1, help="of MinHash and the split (default: %(default)s)")
    parser.add_argument("--examples", type=command_line.count, default=3, metavar="N",
                        help="removed records shown in the report for each reason (default: %(default)s)")
    parser.add_argument("--skip-malformed", action="store_true", help="count lines that are no records and go on")
    options = parser.parse_args(arguments)
    for path in [*options.input, *options.evaluation, *([options.limits] if options.limits else [])]:
        # Pipes are welcome: nothing is read twice.
        if not path.exists() or path.is_dir():
            parser.error(f"{path}: no such file")
    if not is_free(options.output):
        parser.error(f"{options.output}: there is something already; name another folder or remove it")
    return options


def run(options: argparse.Namespace) -> None:
    limits = read_limits(options.limits) if options.limits else JunkLimitsByDomain()
    vocabulary = load_vocabulary(options.merges, options.vocabulary)
    report = Report(options.examples)
    with whole_folder(options.output) as partial:
        decontamination = Decontamination(read_evaluation_entries(options.evaluation), options.threshold, options.seed)
        records = read_records(options.input, report.skip if options.skip_malformed else None)
        kept = filtered(records, decontamination, limits, report)
        tokens = write_tokens(kept, vocabulary, partial, options.seed, options.validation_fraction, report)
        vocabulary.save(partial / "tokenizer.json")
        write_json(partial / "report.json", {"settings": _settings(options, limits, decontamination), **report.as_json()})
    print(report.table())
    print()
    for part, number in tokens.items():
        print(f"{options.output / part}.bin: {number:,} tokens of a vocabulary of {vocabulary.size}")


def _settings(options: argparse.Namespace, limits: JunkLimitsByDomain, decontamination: Decontamination) -> dict[str, object]:
    """Everything that the result depends on."""
    return {
        "input": [str(path) for path in options.input],
        "evaluation": [str(path) for path in options.evaluation],
        "evaluation_queries": len(decontamination.queries),
        "evaluation_code": len(decontamination.code),
        "threshold": options.threshold,
        "minhash": {"permutations": PERMUTATIONS, "bands": BANDS, "rows": ROWS},
        "merges": options.merges,
        "validation_fraction": options.validation_fraction,
        "seed": options.seed,
        "limits": dataclasses.asdict(limits),
    }


def main(arguments: list[str] | None = None) -> int:
    options = parsed(arguments)
    return command_line.exit_code_of(lambda: run(options))


if __name__ == "__main__":
    sys.exit(main())
