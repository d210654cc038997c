"""The whole command: what it writes, what it reports, how it fails, how much memory it needs."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from examples.lm.data.prepare import main
from examples.lm.data.report import STEPS
from examples.lm.data.token_file import read_token_file

MEMORY_PROGRAM = """
import resource, sys
from examples.lm.data.contamination import Decontamination
from examples.lm.data.junk_limits import JunkLimitsByDomain
from examples.lm.data.pipeline import filtered
from examples.lm.data.records import Record
from examples.lm.data.report import Report

def records():
    for number in range(1, 200_001):
        yield Record(f"question {number}", f"{number:09d}" * 50, "general", f"in:{number}")
        if number % 10 == 0:
            yield Record(f"question {number}", f"{number:09d}" * 50, "general", f"in:{number}")

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

report = Report(3)
kept = 0
for record, digest in filtered(records(), Decontamination([]), JunkLimitsByDomain(), report):
    kept += 1
    if kept == 1000:
        before = peak()
print(kept, report.counts()["total"]["duplicate"], peak() - before)
"""


def record(query: str, response: str, domain: str = "general") -> dict[str, str]:
    return {"query": query, "response": response, "domain": domain}


@pytest.fixture
def planted(write_lines):
    """An input with two duplicates, a contaminated query, contaminated code, two kinds of junk, and five good records."""
    code = "def solve(values):\n    return sorted(values)[0] + max(values)\n"
    records = [
        record("What is the capital of France?", "Paris is."),
        record("What is the capital of France?", "Paris is."),
        record("What is the capital of France?", "Paris."),
        record("How many legs have three horses? Answer with a number.", "12", "math"),
        record("Write a solution.", f"```python\n{code}```", "coding"),
        record("Write a function.", "```python\ndef f(x):\n    return x\n```", "coding"),
        record("Write a function.", "```python\ndef f(x:\n```", "coding"),
        record("Tell me a story.", ""),
        record("Skажи что-нибудь.", "Что-нибудь. 😀"),
        record("What is the capital of France?", "Paris is.", "math"),
        record("Say <|endoftext|>", "no"),
    ]
    evaluation = [{"query": "How many legs have three horses? Answer with a number!"}, {"query": "Smallest and largest.", "code": code}]
    return write_lines("in.jsonl", records), write_lines("eval.jsonl", evaluation)


def run(planted, out, *more: str) -> int:
    return main([str(planted[0]), "--evaluation", str(planted[1]), "-o", str(out), *more])


def test_every_step_removes_what_was_planted(planted, tmp_path, vocabulary, capsys):
    assert run(planted, tmp_path / "out") == 0
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    total = report["total"]
    assert [total[name] for name in ("read", "duplicate", "contaminated", "junk", "kept")] == [11, 2, 2, 2, 5]
    assert total["reasons"] == {"contaminated: code": 1, "contaminated: query": 1, "duplicate: exact": 2, "junk: does not parse": 1,
                                "junk: empty": 1}
    ids, header = read_token_file(tmp_path / "out" / "train.bin")
    texts = ["What is the capital of France?\nParis is.", "What is the capital of France?\nParis.",
             "Write a function.\n```python\ndef f(x):\n    return x\n```", "Skажи что-нибудь.\nЧто-нибудь. 😀", "Say <|endoftext|>\nno"]
    assert vocabulary.decode(ids) == "".join(text + "<|endoftext|>" for text in texts)
    assert (ids == vocabulary.end_of_text).sum() == 5 == header["documents"]
    assert header["tokens"] == total["tokens"] and header["text_bytes"] == sum(len(text.encode()) for text in texts)
    example = report["examples"]["contaminated: query"][0]
    assert example["place"] == f"{planted[0]}:4" and example["evaluation"] == f"{planted[1]}:1" and 0.8 < example["jaccard"] < 1
    printed = capsys.readouterr().out
    assert "contaminated: code" in printed and "train.bin: " in printed
    assert sorted(path.name for path in tmp_path.iterdir()) == ["eval.jsonl", "in.jsonl", "out"]


def test_report_adds_up_on_random_data(write_lines, tmp_path):
    source = random.Random(2)
    words = "one two three four five six seven eight".split()
    values = []
    for _ in range(3000):
        query = " ".join(source.choices(words, k=source.randrange(4)))
        values.append(record(query, " ".join(source.choices(words, k=source.randrange(3))), source.choice(["math", "coding", "b"])))
    values += ["broken", "[]"]
    evaluation = write_lines("eval.jsonl", [{"query": "one two three"}, {"query": "four five"}])
    assert run((write_lines("in.jsonl", values), evaluation), tmp_path / "out", "--skip-malformed", "--validation-fraction", "0.3") == 0
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["malformed_lines"] == 2 and report["total"]["read"] == 3000
    for numbers in [report["total"], *report["domains"].values()]:
        assert numbers["read"] == numbers["kept"] + sum(numbers[step] for step in STEPS)
        for step in STEPS:
            assert numbers[step] == sum(number for name, number in numbers["reasons"].items() if name.startswith(step))
    for name in ("read", "kept", "tokens", *STEPS):
        assert report["total"][name] == sum(numbers[name] for numbers in report["domains"].values())
    parts = [read_token_file(tmp_path / "out" / f"{part}.bin")[1] for part in ("train", "validation")]
    assert sum(part["documents"] for part in parts) == report["total"]["kept"] and all(part["documents"] for part in parts)
    assert sum(part["tokens"] for part in parts) == report["total"]["tokens"]
    assert all(len(examples) <= 3 for examples in report["examples"].values())


def test_runs_are_equal_and_the_order_of_records_changes_no_split(planted, tmp_path, write_lines):
    for name in ("a", "b"):
        assert run(planted, tmp_path / name, "--validation-fraction", "0.4", "--merges", "1000") == 0
    for file in ("train.bin", "validation.bin", "train.json", "tokenizer.json", "report.json"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    backwards = write_lines("backwards.jsonl", planted[0].read_text().splitlines()[::-1])
    assert run((backwards, planted[1]), tmp_path / "c", "--validation-fraction", "0.4", "--merges", "1000") == 0
    for part in ("train", "validation"):
        a, c = (read_token_file(tmp_path / name / f"{part}.bin") for name in "ac")
        assert sorted(a[0].tolist()) == sorted(c[0].tolist()) and a[1]["vocabulary"]["size"] == 1257


def test_malformed_input_leaves_nothing(write_lines, tmp_path, capsys):
    path = write_lines("in.jsonl", [record("a question", "answer"), '{"query": 1}'])
    assert main([str(path), "-o", str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err == f'error: {path}:2: the field "query" is a string, not a number\n'
    assert [entry.name for entry in tmp_path.iterdir()] == ["in.jsonl"]


@pytest.mark.parametrize(
    "arguments", [[], ["none.jsonl"], ["--merges", "50001"], ["--merges", "x"], ["--threshold", "1"], ["--seed", "-1"], ["--what"],
                  ["--evaluation", "none.jsonl"], ["--validation-fraction", "1.5"]]
)
def test_usage_errors_have_exit_code_2(planted, tmp_path, arguments, capsys):
    output = ["-o", str(tmp_path / "out")] if arguments else []
    with pytest.raises(SystemExit) as ended:
        main([str(planted[0]), *output, *arguments])
    assert ended.value.code == 2 and "usage:" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_folder_with_content_is_a_usage_error(planted, tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        run(planted, tmp_path)
    assert ended.value.code == 2 and "something already" in capsys.readouterr().err


def test_it_runs_as_a_script_from_any_folder(planted, tmp_path, repository):
    program = repository / "examples/lm/data/prepare.py"
    command = [sys.executable, str(program), str(planted[0]), "-o", str(tmp_path / "out"), "--merges", "0"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "train.bin").is_file()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_an_interrupted_run_leaves_nothing(tmp_path, repository, number, code):
    """The input is a pipe that never ends, so that the run is in the middle of its work when the signal comes."""
    os.mkfifo(tmp_path / "in.jsonl")
    pipe = os.open(tmp_path / "in.jsonl", os.O_RDWR)
    os.write(pipe, "".join(json.dumps(record(f"a question {n}", "an answer to it")) + "\n" for n in range(500)).encode())
    command = [sys.executable, "-m", "examples.lm.data", str(tmp_path / "in.jsonl"), "-o", str(tmp_path / "out"), "--merges", "10"]
    # Who runs the tests in the background may ignore interruptions, and what they start would, too.
    process = subprocess.Popen(command, cwd=repository, stderr=subprocess.DEVNULL, preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob(".out.partial-*/train.bin")) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(number)
    assert process.wait(timeout=60) == code
    os.close(pipe)
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_memory_does_not_grow_with_the_records(repository):
    """90 MB of records stream through; the table of digests is 8 MiB of the growth that is allowed."""
    done = subprocess.run([sys.executable, "-c", MEMORY_PROGRAM], cwd=repository, capture_output=True, text=True, check=True)
    kept, duplicates, growth = done.stdout.split()
    assert (int(kept), int(duplicates)) == (200_000, 20_000)
    assert float(growth) < 40, f"{growth} MiB"
