from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import torch

import generate
import throughput
from checkpoint import save_checkpoint
from configuration import Configuration, ConfigurationError, TrainingConfiguration, read_configuration
from lm_token_files import write_tokens
from margins import mean_and_margin
from model import LanguageModel
from options import run_program
from processes import Processes
from prompts import PAPER_LENGTHS, prompts_of_file, prompts_of_validation
from text import Text
from tokens import TokenFile
from train import make_optimizer


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """255 words and the end of a text."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    words = {f"w{number}": number for number in range(255)} | {"<|endoftext|>": 255}
    made = Tokenizer(models.WordLevel(words, unk_token="w0"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    made.save(str(path))
    return path


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Untrained models, as a run would have saved them."""
    pytest.importorskip("algctl")
    directory = tmp_path_factory.mktemp("checkpoints")
    group = Processes(0, 1, torch.device("cpu"), None)
    for law in ("dense", "q2x2"):
        model = LanguageModel(read_configuration(f"tiny-{law}").model)
        configuration = Configuration(model.configuration, TrainingConfiguration(sequence_length=64))
        save_checkpoint(directory / law / "checkpoints", configuration, model, make_optimizer(model, configuration.training),
                        {"step": torch.tensor(0)}, group, 1)
    return {law: directory / law for law in ("dense", "q2x2")}


def test_protocol_from_prompts_to_a_file(checkpoints: dict[str, Path], tokenizer: Path, tmp_path: Path,
                                         capsys: pytest.CaptureFixture[str]) -> None:
    lines = [{"prompt": f"w{number} w7", "domain": domain} for domain in ("code", "math") for number in range(3)]
    (tmp_path / "prompts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = tmp_path / "result.json"
    throughput.main(throughput.make_parser().parse_args([
        "--dense", str(checkpoints["dense"]), "--algebraic", str(checkpoints["q2x2"]), "--tokenizer", str(tokenizer), "--device", "cpu",
        "--prompts", str(tmp_path / "prompts.jsonl"), "--number", "2", "--runs", "3", "--most-tokens", "4", "--dtype", "f32",
        "--output", str(result)]))
    content = json.loads(result.read_text())
    rows = [(row["length"], row["domain"]) for row in content["summary"]]
    assert rows == [("free", "code"), ("free", "math"), ("fixed", "code"), ("fixed", "math")]
    assert all(run["tokens"] == 2 * 4 for run in content["runs"] if run["length"] == "fixed")
    assert [(run["model"], run["run"]) for run in content["runs"][:6]] == [
        ("dense", 0), ("algebraic", 0), ("algebraic", 1), ("dense", 1), ("dense", 2), ("algebraic", 2)]
    row = content["summary"][0]
    counted = [run["tokens"] / run["seconds"] for run in content["runs"] if run["model"] == "dense" and run["domain"] == "code"
               and run["length"] == "free" and run["run"] > 0]
    assert row["dense"]["runs"] == counted and row["dense"]["mean"] == pytest.approx(sum(counted) / 2)
    assert content["macs_per_token"]["algebraic"]["feed_forward"] == content["macs_per_token"]["dense"]["feed_forward"] * 9 / 16
    assert "| fixed | math |" in capsys.readouterr().out


def test_generate(checkpoints: dict[str, Path], tokenizer: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--checkpoint", str(checkpoints["q2x2"]), "--tokenizer", str(tokenizer), "--prompt", "w3 w4", "--device", "cpu",
                 "--most-tokens", "5"]
    outputs = []
    for more in (["--dtype", "f32"], ["--dtype", "f32"], ["--dtype", "bf16", "--temperature", "0"], ["--dtype", "f32", "--no-pack"]):
        generate.main(generate.make_parser().parse_args(arguments + more))
        outputs.append(capsys.readouterr().out.splitlines()[1])
    assert outputs[0] == outputs[1] and all(output.startswith("w3 w4") for output in outputs)


@pytest.mark.parametrize("arguments, message", [
    ([], "nothing to continue"),
    (["--prompt", ""], "prompt is empty"),
    (["--prompt", "w1", "--top-p", "2"], "top_p"),
    (["--prompts", "/nowhere"], "no /nowhere"),
    (["--prompt", "w1", "--checkpoint", "/nowhere"], "no complete checkpoint"),
])
def test_generate_errors_end_with_2(checkpoints: dict[str, Path], tokenizer: Path, arguments: list[str], message: str,
                                    capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--checkpoint", str(checkpoints["dense"]), "--tokenizer", str(tokenizer), "--device", "cpu", *arguments]
    with pytest.raises(SystemExit) as exit_code:
        run_program(generate.main, generate.make_parser().parse_args(options))
    assert exit_code.value.code == 2 and message in capsys.readouterr().err


def test_prompts_of_validation_have_the_paper_s_lengths(tmp_path: Path, tokenizer: Path) -> None:
    write_tokens(tmp_path, "validation", torch.randint(255, (30_000,), generator=torch.Generator().manual_seed(0)).numpy())
    file, text = TokenFile(tmp_path / "validation.bin", 256), Text.read(tokenizer, 256)
    prompts = prompts_of_validation(file, text, 50, 1536)
    assert set(prompts) == set(PAPER_LENGTHS)
    for domain, chosen in prompts.items():
        assert sum(len(prompt.tokens) for prompt in chosen) / 50 == pytest.approx(PAPER_LENGTHS[domain], abs=0.5)
        assert len({tuple(prompt.tokens) for prompt in chosen}) == 50
        assert all(text.encode(prompt.text) == prompt.tokens for prompt in chosen)
    assert prompts == prompts_of_validation(file, text, 50, 1536)
    with pytest.raises(ConfigurationError, match="--prompt-scale"):
        prompts_of_validation(file, text, 50, 64)


def test_wrong_prompt_files(tmp_path: Path, tokenizer: Path) -> None:
    path = tmp_path / "prompts.jsonl"
    cases = {'{"prompt": 3}': ":1: an object with a prompt", "[": ":1: ", "": "no prompts",
             '{"prompt": "w1"}\n{"prompt": "w1"}': "1 different prompts of all"}
    for content, message in cases.items():
        path.write_text(content)
        with pytest.raises(ConfigurationError, match=message):
            prompts_of_file(path, Text.read(tokenizer, 256), 2)
    with pytest.raises(ConfigurationError, match="256 tokens, more than the 100 of the model"):
        Text.read(tokenizer, 100)


def test_margins_are_the_paper_s() -> None:
    mean, margin = mean_and_margin([990.1, 993.7, 990.3])
    assert mean == pytest.approx(991.37, abs=0.01) and margin == pytest.approx(5.03, abs=0.01)
    assert math.isnan(mean_and_margin([3.0])[1])
    assert mean_and_margin([1.0] * 50) == (1.0, 0.0)


def test_fixed_lengths_after_random_prompts(tmp_path: Path) -> None:
    pytest.importorskip("algctl")
    arguments = ["--dense", "tiny-dense", "--algebraic", "tiny-q2x2", "--device", "cpu", "--dtype", "f32", "--length", "fixed",
                 "--number", "1", "--most-tokens", "4", "--runs", "2", "--output", str(tmp_path / "result.json")]
    throughput.main(throughput.make_parser().parse_args([*arguments, "--random-prompts", "3"]))
    content = json.loads((tmp_path / "result.json").read_text())
    assert [(row["length"], row["domain"]) for row in content["summary"]] == [("fixed", "random")]
    assert content["prompt_tokens"] == {"random": 3} and not content["compiled"]
    with pytest.raises(ConfigurationError, match="--random-prompts is 64"):
        throughput.main(throughput.make_parser().parse_args([*arguments, "--random-prompts", "64"]))
