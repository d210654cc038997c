from __future__ import annotations

import json
import math
import os
from dataclasses import replace
from pathlib import Path

# Before the libraries look at them: nothing here asks a network.
os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_OFFLINE"] = "1"

import pytest  # noqa: E402
import torch  # noqa: E402

pytest.importorskip("lm_eval")

from lm_eval import utils  # noqa: E402
from lm_eval.api.instance import Instance  # noqa: E402
from lm_eval.tasks import TaskManager  # noqa: E402

import decode  # noqa: E402
import evaluate  # noqa: E402
import evaluation_tasks  # noqa: E402
import generate  # noqa: E402
from checkpoint import load_model, save_checkpoint  # noqa: E402
from configuration import Configuration, ConfigurationError, TrainingConfiguration, read_configuration  # noqa: E402
from evaluation_model import EvaluationModel  # noqa: E402
from evaluation_programs import passes  # noqa: E402
from evaluation_requests import ResponseSettings, pieces, room_for  # noqa: E402
from evaluation_results import Estimate, ratio_error  # noqa: E402
from model import LanguageModel  # noqa: E402
from options import run_program  # noqa: E402
from processes import Processes  # noqa: E402
from sampling import Sampling  # noqa: E402
from text import Text  # noqa: E402
from train import make_optimizer  # noqa: E402

CONTEXT = 128  # two types of rows, and several windows
LAWS = ["dense", "q2x2"]
SENTENCE = "The quick brown fox jumps over the lazy dog, and then over another one. "


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode, "WINDOW_STEP", 32)
    monkeypatch.setattr(decode, "PROMPT_STEP", 16)


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A token for each byte but one, and the end of a text."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())[:255]
    made = Tokenizer(models.BPE({letter: index for index, letter in enumerate(letters)} | {"<|endoftext|>": 255}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    made.save(str(path))
    return path


@pytest.fixture(scope="module")
def text(tokenizer: Path) -> Text:
    return Text.read(tokenizer, 256)


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Models as a run saves them, with weights so large that their likeliest tokens differ."""
    pytest.importorskip("algctl")
    directory = tmp_path_factory.mktemp("checkpoints")
    group = Processes(0, 1, torch.device("cpu"), None)
    for law in LAWS:
        model = LanguageModel(replace(read_configuration(f"tiny-{law}").model, context=CONTEXT))
        generator = torch.Generator().manual_seed(1)
        with torch.no_grad():
            for parameter in model.parameters():
                if parameter.dim() > 1:
                    parameter.copy_(torch.randn(parameter.shape, generator=generator) * 0.2)
        configuration = Configuration(model.configuration, TrainingConfiguration(sequence_length=CONTEXT))
        save_checkpoint(directory / law / "checkpoints", configuration, model, make_optimizer(model, configuration.training),
                        {"step": torch.tensor(0)}, group, 1)
    return {law: directory / law for law in LAWS}


@pytest.fixture(scope="module")
def loaded(checkpoints: dict[str, Path]) -> dict[str, LanguageModel]:
    return {law: load_model(path, torch.device("cpu"), torch.float32) for law, path in checkpoints.items()}


def instances(kind: str, arguments: list[tuple]) -> list[Instance]:
    return [Instance(kind, {}, argument, index) for index, argument in enumerate(arguments)]


def plain_likelihood(model: LanguageModel, tokens: list[int], count: int) -> tuple[float, bool]:
    """Of the last tokens, from one pass of the model over what fits."""
    inputs, targets = tokens[-CONTEXT - 1:-1], torch.tensor(tokens[-count:])
    logits = model(torch.tensor([inputs]))[0, -count:].double()
    return float(logits.log_softmax(1).gather(1, targets[:, None]).sum()), bool((logits.argmax(1) == targets).all())


def lines(path: Path, records: list[dict]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


@pytest.mark.parametrize("law", LAWS)
def test_likelihoods_are_those_of_a_plain_pass(law: str, loaded: dict[str, LanguageModel], text: Text) -> None:
    model = loaded[law]
    contexts = ["Is it?", SENTENCE * 3, "A", "", "An answer: ", SENTENCE, "The "]
    arguments = [(context, continuation) for context in contexts for continuation in (" yes", " no, it is not")]
    # What the model itself says is greedy.
    greedy = EvaluationModel(model, text).generate_until(instances("generate_until", [("Is it?", {"max_gen_toks": 3})]))[0]
    assert text.decode(text.encode(greedy)) == greedy
    arguments.append(("Is it?", greedy))
    expected = []
    for context, continuation in arguments:
        before = text.encode(context) or [text.end_of_text]
        after = text.encode(continuation)
        # Spaces at the end of a context are part of the continuation.
        count = len(after) + len(context) - len(context.rstrip(" "))
        expected.append(plain_likelihood(model, before + after, count))
    for batch in (1, 4):
        evaluated = EvaluationModel(model, text, batch=batch)
        results = evaluated.loglikelihood(instances("loglikelihood", arguments), disable_tqdm=True)
        assert [value for value, _ in results] == pytest.approx([value for value, _ in expected], rel=1e-5)
        assert [likeliest for _, likeliest in results] == [likeliest for _, likeliest in expected]
        assert evaluated.counts.likelihoods == len(arguments) and evaluated.counts.shortened_contexts == 2
    assert results[-1][1] and not results[0][1]


@pytest.mark.parametrize("law", LAWS)
def test_whole_texts_in_pieces(law: str, loaded: dict[str, LanguageModel], text: Text) -> None:
    model = loaded[law]
    texts = ["", "a", SENTENCE, (SENTENCE * 2)[:CONTEXT], (SENTENCE * 2)[:CONTEXT + 1], SENTENCE * 5]
    results = EvaluationModel(model, text, batch=2).loglikelihood_rolling(
        instances("loglikelihood_rolling", [(item,) for item in texts]), disable_tqdm=True)
    for item, result in zip(texts, results, strict=True):
        tokens = text.encode(item)
        windows = list(utils.get_rolling_token_windows(tokens, text.end_of_text, CONTEXT, 1))
        assert [(piece.inputs, piece.targets) for piece in pieces([text.end_of_text], tokens, CONTEXT)] == windows
        total = sum(plain_likelihood(model, inputs + targets[-1:], len(targets))[0] for inputs, targets in windows)
        assert result == pytest.approx(total, rel=1e-5)


def test_a_continuation_longer_than_the_context() -> None:
    found = list(pieces([1, 2], list(range(10, 20)), 4))
    assert [token for piece in found for token in piece.targets] == list(range(10, 20))
    assert [piece.inputs for piece in found] == [[2, 10, 11, 12], [13, 14, 15, 16], [15, 16, 17, 18]]


@pytest.mark.parametrize("law", LAWS)
def test_responses_are_the_greedy_texts_of_generate(law: str, checkpoints: dict[str, Path], loaded: dict[str, LanguageModel],
                                                    tokenizer: Path, text: Text, capsys: pytest.CaptureFixture[str]) -> None:
    prompts = ["One", "A longer prompt than the first one", "42 = "]
    written = []
    for prompt in prompts:
        generate.main(generate.make_parser().parse_args([
            "--checkpoint", str(checkpoints[law]), "--tokenizer", str(tokenizer), "--prompt", prompt, "--device", "cpu", "--dtype", "f32",
            "--temperature", "0", "--most-tokens", "30"]))
        header, _, rest = capsys.readouterr().out.partition("\n")
        assert header.startswith("---")
        written.append(rest.removesuffix("\n"))
    arguments = [(prompt, {"until": [], "do_sample": False, "max_gen_toks": 30}) for prompt in prompts]
    for batch in (1, 2):
        responses = EvaluationModel(loaded[law], text, batch=batch).generate_until(instances("generate_until", arguments))
        assert [prompt + response for prompt, response in zip(prompts, responses)] == written
    assert len(set(responses)) == 3


def response_of(evaluated: EvaluationModel, prompt: str, **settings: object) -> str:
    return evaluated.generate_until(instances("generate_until", [(prompt, settings)]), disable_tqdm=True)[0]


def test_responses_end_at_strings(loaded: dict[str, LanguageModel], text: Text) -> None:
    evaluated = EvaluationModel(loaded["q2x2"], text)
    whole = response_of(evaluated, "One", max_gen_toks=40)
    end = whole[9:11]
    for until in ([end], end, ["nowhere", "", end]):
        evaluated.counts.generated_tokens = 0
        assert response_of(evaluated, "One", until=until, max_gen_toks=40) == whole[:whole.index(end)]
        assert evaluated.counts.generated_tokens < 30
    together = EvaluationModel(loaded["q2x2"], text, batch=3)
    arguments = [(prompt, {"until": [end], "max_gen_toks": 40}) for prompt in ("One", "Two and three", "4", "55555")]
    assert together.generate_until(instances("generate_until", arguments)) == [
        response_of(evaluated, prompt, **settings) for prompt, settings in arguments]


def test_strings_are_looked_for_as_seldom_as_the_device_is_asked(loaded: dict[str, LanguageModel], text: Text,
                                                                 monkeypatch: pytest.MonkeyPatch) -> None:
    """A captured graph is stood in for by the calls that it has."""
    evaluated = EvaluationModel(loaded["dense"], text)
    whole = response_of(evaluated, "One", max_gen_toks=40)
    decoder = evaluated.decoder()

    class Graph:
        def __init__(self, name: str, size: int) -> None:
            self.name, self.size = name, size

        def replay(self) -> None:
            decoder._call(self.name, self.size)

    decoder.captures = True
    monkeypatch.setattr(decoder, "_capture", lambda name, size: decoder._graphs.setdefault((name, size), Graph(name, size)))
    end = whole[9:12]
    generations = decoder.generate_until([text.encode("One")], [end], 40, 0)
    stop = len(text.encode(whole[:whole.index(end) + len(end)]))
    assert len(generations[0].tokens) == math.ceil(stop / decode.POLL_INTERVAL) * decode.POLL_INTERVAL < 40
    assert response_of(evaluated, "One", until=end, max_gen_toks=40) == whole[:whole.index(end)]
    assert decoder._graphs and evaluated.loglikelihood(instances("loglikelihood", [("One", " more")]))[0][0] < 0
    assert ("_read", 16) in decoder._graphs


def test_lengths_and_samples(loaded: dict[str, LanguageModel], text: Text) -> None:
    evaluated = EvaluationModel(loaded["dense"], text, most_tokens=5)
    assert len(response_of(evaluated, "One").encode()) <= 5 * 3
    assert evaluated.counts.generated_tokens == 5
    long = SENTENCE * 3
    cut = response_of(evaluated, long, max_gen_toks=28)
    assert cut == response_of(EvaluationModel(loaded["dense"], text), long[-100:], max_gen_toks=28)
    assert evaluated.counts.shortened_prompts == 1 and evaluated.counts.shortened_responses == 0
    response_of(evaluated, "One", max_gen_toks=1280)
    assert evaluated.counts.shortened_responses == 1
    assert response_of(evaluated, "") == response_of(evaluated, "<|endoftext|>")
    settings = {"do_sample": True, "temperature": 2.0, "max_gen_toks": 30}
    repeats = evaluated.generate_until(instances("generate_until", [("One", settings)] * 3))
    assert len(set(repeats)) == 3 and repeats == evaluated.generate_until(instances("generate_until", [("One", settings)] * 3))
    assert (room_for(512, 1536), room_for(1280, 1536), room_for(512, 512)) == ((1024, 512), (256, 1280), (256, 256))


def test_settings_of_tasks() -> None:
    assert ResponseSettings.read({}, 512) == ResponseSettings((), 512, Sampling(temperature=0))
    given = {"until": "\n", "do_sample": False, "temperature": 0.0, "max_gen_toks": 1280, "num_beams": 1}
    assert ResponseSettings.read(given, 512) == ResponseSettings(("\n",), 1280, Sampling(temperature=0))
    assert ResponseSettings.read({"temperature": 0.5, "top_p": 0.9, "max_new_tokens": 7}, 512) == ResponseSettings((), 7, Sampling(0.5, 0.9, 0))
    for wrong, message in (({"num_beams": 4}, "num_beams = 4"), ({"max_gen_toks": 0}, "asks for 0")):
        with pytest.raises(ConfigurationError, match=message):
            ResponseSettings.read(wrong, 512)


@pytest.mark.parametrize("program, expected", [
    ("def double(x):\n    return 2 * x\nassert double(3) == 6", True),
    ("assert 1 == 2", False),
    ("this is no program", False),
    ("while True: pass", False),
    ("import time; time.sleep(100)", False),
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
    assert passes(program, processor_seconds=1, wall_seconds=3, memory_bytes=1 << 29) is expected


def test_what_a_program_starts_ends_with_it(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    assert passes(f"import subprocess; open({str(pid)!r}, 'w').write(str(subprocess.Popen(['/bin/sleep', '60']).pid))")
    status = Path(f"/proc/{pid.read_text()}/stat")
    assert not status.exists() or status.read_text().split(") ")[1][0] == "Z"


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
            "--device", "cpu", "--dtype", "f32", *(part for name in ("gsm8k", "mbpp", "ifeval") for part in ("--local", f"{name}={data / name}"))]


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
    options = ["--dense", str(checkpoints["dense"]), "--algebraic", str(checkpoints["q2x2"]), "--tokenizer", str(tokenizer), "--device", "cpu"]
    with pytest.raises(SystemExit) as exit_code:
        run_program(evaluate.main, evaluate.make_parser().parse_args(options + given))
    error = capsys.readouterr().err
    assert exit_code.value.code == 2 and message in error and error.count("\n") == 1


@pytest.mark.parametrize("change, message", [
    (lambda directory: (directory / "gsm8k" / "test.jsonl").unlink(), "no test.jsonl with the questions of gsm8k"),
    (lambda directory: (directory / "gsm8k" / "train.jsonl").write_text('{"question": "", "answer": ""}\n'), "no train.jsonl with the 5"),
    (lambda directory: (directory / "gsm8k" / "test.jsonl").write_text('{"question": 1}\n'), "test.jsonl:1: an object with question, answer"),
    (lambda directory: (directory / "gsm8k" / "test.jsonl").write_text("["), "test.jsonl:1: "),
    (lambda directory: (directory / "gsm8k" / "test.jsonl").write_text(""), "has no records"),
])
def test_wrong_local_data(change: object, message: str, data: Path) -> None:
    change(data)
    with pytest.raises(ConfigurationError, match=message):
        evaluation_tasks.prepare_tasks(["gsm8k"], {"gsm8k": data / "gsm8k"}, False, data)


def test_data_that_is_not_here(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match="--local NAME=DIRECTORY gives its data"):
        evaluation_tasks.prepare_tasks(["gsm8k"], {}, False, data)
    monkeypatch.setattr("nltk.data.path", [])
    with pytest.raises(ConfigurationError, match="punkt_tab"):
        evaluation_tasks.prepare_tasks(["ifeval"], {"ifeval": data / "ifeval"}, False, data)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("law", LAWS)
def test_captured_evaluation_is_that_of_plain_calls(law: str, checkpoints: dict[str, Path], text: Text) -> None:
    model = load_model(checkpoints[law], torch.device("cuda"), torch.bfloat16)
    captured, plain = (EvaluationModel(model, text, batch=2, capture=capture) for capture in (True, False))
    pairs = instances("loglikelihood", [(SENTENCE * count, " yes") for count in range(3)])
    prompts = instances("generate_until", [(prompt, {"until": ["q"], "max_gen_toks": 60}) for prompt in ("One", "Two and more", SENTENCE)])
    for _ in range(2):
        assert captured.loglikelihood(pairs) == plain.loglikelihood(pairs)
        assert captured.generate_until(prompts) == plain.generate_until(prompts)
