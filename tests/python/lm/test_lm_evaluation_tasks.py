from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from lm_evaluation_pair import checkpoints, small_steps, tokenizer  # noqa: F401 (fixtures)

from lm_eval.api.instance import Instance  # (after the line above, which sees to it that there is no network)
from lm_eval.tasks import TaskManager

import evaluate
import evaluation_tasks
from configuration import ConfigurationError
from evaluation_model import EvaluationModel
from evaluation_programs import passes
from evaluation_results import Estimate, ratio_error
from options import run_program


def lines(path: Path, records: list[dict]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


@pytest.mark.parametrize("program, expected", [
    ("def double(x):\n    return 2 * x\nassert double(3) == 6", True),
    ("assert 1 == 2", False),
    ("this is no program", False),
    ("while True: pass", False),
    ("x = bytearray(1 << 30)", False),
    ("import sys; sys.exit(0)", False),
    ("import os; os._exit(0)", False),
    ("import os; os.kill(os.getpid(), 9)", False),
    ("open('file', 'w').write('x' * (1 << 22))", False),
    ("import os; assert 'HOME' not in os.environ; assert os.listdir() == []", True),
    ("x = '\0'", False),
    ("input()", False),
])
def test_programs_in_their_limits(program: str, expected: bool) -> None:
    assert passes(program, processor_seconds=1, wall_seconds=20, memory_bytes=1 << 29) is expected


def test_what_a_program_starts_ends_with_it(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    assert passes(f"import subprocess; open({str(pid)!r}, 'w').write(str(subprocess.Popen(['/bin/sleep', '60']).pid))")
    status = Path(f"/proc/{pid.read_text()}/stat")
    until = time.monotonic() + 5
    while status.exists() and status.read_text().split(") ")[1][0] != "Z":
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_program_that_waits_ends() -> None:
    started = time.monotonic()
    assert not passes("import time; time.sleep(100)", wall_seconds=0.5)
    assert time.monotonic() - started < 20


def test_standard_errors() -> None:
    hits = [(1, 1)] * 42 + [(0, 1)] * (1319 - 42)
    assert ratio_error(hits) == pytest.approx(0.004836, abs=5e-7)
    # Prompts whose instructions all succeed or fail together count once.
    assert ratio_error([(2 * hit, 2) for hit, _ in hits]) == pytest.approx(0.004836, abs=5e-7)
    assert ratio_error([(1, 1)]) is None
    assert (str(Estimate(0.5)), str(Estimate(0.066, 0.011115))) == ("0.5000", "0.0660 ± 0.0111")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A handful of records for each task of the paper, and a task of multiple choice."""
    questions = [{"question": f"Tom has {number} apples and buys 2. How many?", "answer": f"{number} + 2 #### {number + 2}"}
                 for number in range(10, 16)]
    lines(tmp_path / "gsm8k" / "train.jsonl", questions)
    lines(tmp_path / "gsm8k" / "test.jsonl", questions[:4])
    lines(tmp_path / "mbpp" / "test.jsonl", [
        {"task_id": number, "text": f"Write a function to add {number}.", "code": "",
         "test_list": [f"assert add({value}) == {value + number}" for value in range(3)]} for number in range(3)])
    lines(tmp_path / "ifeval" / "test.jsonl", [
        {"key": 1, "prompt": "Say hello.", "instruction_id_list": ["punctuation:no_comma", "length_constraints:number_words"],
         "kwargs": [{}, {"num_words": 3, "relation": "less than"}]},
        {"key": 2, "prompt": "Say goodbye.", "instruction_id_list": ["length_constraints:number_sentences"],
         "kwargs": [{"num_sentences": 2, "relation": "at least"}]}])
    lines(tmp_path / "choice" / "test.jsonl", [{"question": f"{number} + 1 =", "choices": [str(number + 1), "no number"], "answer": 0}
                                               for number in range(3)])
    (tmp_path / "choice.yaml").write_text(json.dumps({
        "task": "choice", "dataset_path": "json", "output_type": "multiple_choice", "test_split": "test", "doc_to_text": "{{question}}",
        "doc_to_target": "answer", "doc_to_choice": "choices", "metric_list": [{"metric": "acc"}],
        "dataset_kwargs": {"data_files": {"test": str(tmp_path / "choice" / "test.jsonl")}, "cache_dir": str(tmp_path / "cache")}}))
    # English without abbreviations is enough to tell sentences apart.
    english = tmp_path / "nltk" / "tokenizers" / "punkt_tab" / "english"
    english.mkdir(parents=True)
    for name in ("collocations.tab", "sent_starters.txt", "abbrev_types.txt", "ortho_context.tab"):
        (english / name).write_text("")
    monkeypatch.setattr("nltk.data.path", [str(tmp_path / "nltk")])
    return tmp_path


@pytest.fixture
def arguments(checkpoints: dict[str, Path], tokenizer: Path, data: Path) -> list[str]:
    return ["--dense", str(checkpoints["dense"]), "--algebraic", str(checkpoints["q2x2"]), "--tokenizer", str(tokenizer),
            "--device", "cpu", "--dtype", "f32", "--local", f"gsm8k={data / 'gsm8k'}", "--local", f"mbpp={data / 'mbpp'}",
            "--local", f"ifeval={data / 'ifeval'}"]


def test_a_pair_on_all_tasks(arguments: list[str], data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result, samples = data / "result.json", data / "samples.jsonl"
    evaluate.main(evaluate.make_parser().parse_args([
        *arguments, "--tasks", f"gsm8k,mbpp,ifeval,{data / 'choice.yaml'}", "--allow-code", "--most-tokens", "24", "--batch", "2",
        "--output", str(result), "--samples", str(samples)]))
    content = json.loads(result.read_text())
    rows = {row["task"]: row for row in content["summary"]}
    assert list(rows) == ["gsm8k", "mbpp", "ifeval", "choice"]
    assert {task: row["counts"]["algebraic"] for task, row in rows.items()} == {"gsm8k": 4, "mbpp": 3, "ifeval": 3, "choice": 3}
    shots = {task: content["results"]["dense"]["n-shot"][task] for task in rows}
    assert shots == {"gsm8k": 5, "mbpp": 0, "ifeval": 0, "choice": 0}
    assert rows["gsm8k"]["paper"]["dense"]["value"] == 0.0318423 and rows["choice"]["paper"] == {}
    counts = content["counts"]["dense"]
    assert counts["responses"] == 9 and counts["likelihoods"] == 6
    # Five examples do not fit, and IFEval's 1280 tokens neither.
    assert counts["shortened_prompts"] >= 4 and counts["shortened_responses"] == 2
    written = [json.loads(line) for line in samples.read_text().splitlines()]
    assert {(sample["model"], sample["task"]) for sample in written} == {(model, task) for model in ("dense", "algebraic") for task in rows}
    prompts = [sample["arguments"][0][0] for sample in written if sample["task"] == "gsm8k"]
    assert all(prompt.count("Question:") == 6 for prompt in prompts)
    output = capsys.readouterr().out
    assert "| task | metric | n | dense | algebraic | paper: dense | paper: algebraic |" in output
    assert "0.0318 ± 0.0048 | 0.0220 ± 0.0040 |" in output and "| 0.3453 | 0.3106 |" in output


def test_right_answers_count(arguments: list[str], data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Responses of which it is known what they are worth: one of the questions of each task is answered wrongly."""
    answers = {"buys 2": " It is #### 12", "to add 2": "def add(x):\n    return x", "to add": "def add(x):\n    return x + {number}",
               "hello": "Hello there", "goodbye": "One sentence, no more"}

    def respond(self: EvaluationModel, requests: list[Instance], disable_tqdm: bool = False) -> list[str]:
        responses = []
        for request in requests:
            question = request.args[0].rpartition("Question:")[2]
            answer = next(answer for part, answer in answers.items() if part in question)
            responses.append(answer.replace("{number}", question.partition("to add ")[2][:1]))
        return responses

    monkeypatch.setattr(EvaluationModel, "generate_until", respond)
    result = data / "result.json"
    evaluate.main(evaluate.make_parser().parse_args([*arguments, "--allow-code", "--output", str(result)]))
    rows = {row["task"]: row["estimates"]["dense"] for row in json.loads(result.read_text())["summary"]}
    assert rows["gsm8k"]["value"] == 1 / 4 and rows["gsm8k"]["standard_error"] == pytest.approx(math.sqrt(1 / 4 * 3 / 4 / 3))
    assert rows["mbpp"]["value"] == pytest.approx(2 / 3) and rows["mbpp"]["standard_error"] == pytest.approx(1 / 3)
    # Two instructions of one prompt, and one of the other: 2 of 3, with an error from two parts.
    assert rows["ifeval"]["value"] == pytest.approx(2 / 3)
    assert rows["ifeval"]["standard_error"] == pytest.approx(math.sqrt(2 * ((2 / 3) ** 2 + (2 / 3) ** 2)) / 3)


@pytest.mark.parametrize("more, message", [
    (["--tasks", "mbpp"], "--allow-code"),
    (["--tasks", "gsm9k"], "no task 'gsm9k'"),
    (["--tasks", ""], "nothing to evaluate"),
    (["--tasks", "ifeval,ifeval"], "named twice"),
    (["--tasks", "mbpp", "--local", "choice=/nowhere"], "which --tasks does not name"),
    (["--tasks", "none.yaml"], "no task file none.yaml"),
    (["--local", "nothing"], "NAME=DIRECTORY"),
    (["--local", "a=b", "--local", "a=c"], "data of a twice"),
    (["--tokenizer", "{data}/large.json"], "300 tokens, more than the 256 of the model"),
    (["--tokenizer", "/nowhere"], "no /nowhere"),
    (["--dense", "/nowhere"], "/nowhere is neither a checkpoint"),
    (["--dense", "{algebraic}"], "--dense is a model with the products of Q(2)^2"),
    (["--dense", "small-dense"], "differ in vocabulary or context"),
    (["--batch", "0"], "--batch is 0"),
    (["--output", "/nowhere/result.json"], "no directory for /nowhere/result.json"),
])
def test_errors_end_with_2(more: list[str], message: str, checkpoints: dict[str, Path], tokenizer: Path, data: Path,
                           capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    large = json.loads(tokenizer.read_text())
    large["model"]["vocab"] |= {f"token {number}": number for number in range(256, 300)}
    (data / "large.json").write_text(json.dumps(large))
    # Reading all tasks takes long, and none is wanted.
    monkeypatch.setattr(evaluation_tasks, "TaskManager", lambda include_defaults: TaskManager(include_defaults=False))
    given = [part.format(data=data, algebraic=checkpoints["q2x2"]) for part in more]
    options = ["--dense", str(checkpoints["dense"]), "--algebraic", str(checkpoints["q2x2"]), "--tokenizer", str(tokenizer),
               "--device", "cpu"]
    with pytest.raises(SystemExit) as exit_code:
        run_program(evaluate.main, evaluate.make_parser().parse_args(options + given))
    error = capsys.readouterr().err
    assert exit_code.value.code == 2 and message in error and error.count("\n") == 1


@pytest.mark.parametrize("change, message", [
    (lambda directory: (directory / "gsm8k" / "test.jsonl").unlink(), "no test.jsonl with the questions of gsm8k"),
    (lambda directory: (directory / "gsm8k" / "train.jsonl").write_text('{"question": "", "answer": ""}\n'), "no train.jsonl with the 5"),
    (lambda directory: (directory / "gsm8k" / "test.jsonl").write_text('{"question": 1}\n'), "test.jsonl:1: an object with question"),
    (lambda directory: (directory / "gsm8k" / "test.jsonl").write_text("["), "test.jsonl:1: "),
    (lambda directory: (directory / "gsm8k" / "test.jsonl").write_text(""), "has no records"),
])
def test_wrong_local_data(change: Callable[[Path], object], message: str, data: Path) -> None:
    change(data)
    with pytest.raises(ConfigurationError, match=message):
        evaluation_tasks.prepare_tasks(["gsm8k"], {"gsm8k": data / "gsm8k"}, False, data)


def test_a_task_of_lm_eval_that_the_paper_does_not_have(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes the place of one in lm-eval's index, and names a split that the local data do not have."""
    index = data / "index"
    index.mkdir()
    content = json.loads((data / "choice.yaml").read_text()) | {
        "task": "other", "dataset_path": "an/other", "training_split": "train", "validation_split": "validation", "test_split": None}
    (index / "other.yaml").write_text(json.dumps(content))
    monkeypatch.setattr(evaluation_tasks, "TaskManager", lambda include_defaults: TaskManager(include_path=index, include_defaults=False))
    tasks = evaluation_tasks.prepare_tasks(["other"], {"other": data / "choice"}, False, data)
    (task,) = tasks.manager.load(tasks.specifications)["tasks"].values()
    assert task.config.task == "other" and len(list(task.validation_docs())) == 3


def test_data_that_is_not_here(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match="--local NAME=DIRECTORY gives its data"):
        evaluation_tasks.prepare_tasks(["gsm8k"], {}, False, data)
    monkeypatch.setattr("nltk.data.path", [])
    with pytest.raises(ConfigurationError, match="punkt_tab"):
        evaluation_tasks.prepare_tasks(["ifeval"], {"ifeval": data / "ifeval"}, False, data)
