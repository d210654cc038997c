"""A tiny pair whose texts are ASCII, as runs leave it, and a tokenizer for it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

# Before the libraries look at them: nothing here asks a network.
os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_OFFLINE"] = "1"

import pytest  # noqa: E402
import torch  # noqa: E402

pytest.importorskip("lm_eval")

import decode  # noqa: E402
from checkpoint import save_checkpoint  # noqa: E402
from configuration import Configuration, TrainingConfiguration, read_configuration  # noqa: E402
from model import LanguageModel  # noqa: E402
from processes import Processes  # noqa: E402
from text import Text  # noqa: E402
from train import make_optimizer  # noqa: E402

CONTEXT = 128  # all four types of rows, and several windows
LAWS = ["dense", "q2x2"]
PRINTABLE = 94  # the first tokens of the tokenizer
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
    made.add_special_tokens(["<|endoftext|>"])
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    made.save(str(path))
    return path


@pytest.fixture(scope="module")
def text(tokenizer: Path) -> Text:
    return Text.read(tokenizer, 256)


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Models as a run saves them, with weights so large that their likeliest tokens differ, and that write in ASCII."""
    pytest.importorskip("algctl")
    directory = tmp_path_factory.mktemp("checkpoints")
    group = Processes(0, 1, torch.device("cpu"), None)
    for law in LAWS:
        model = LanguageModel(replace(read_configuration(f"tiny-{law}").model, context=CONTEXT, row_types="interval(32)"))
        generator = torch.Generator().manual_seed(1)
        with torch.no_grad():
            for parameter in model.parameters():
                if parameter.dim() > 1:
                    parameter.copy_(torch.randn(parameter.shape, generator=generator) * 0.2)
            model.token_embedding.weight[PRINTABLE:] = 0
        configuration = Configuration(model.configuration, TrainingConfiguration(sequence_length=CONTEXT))
        save_checkpoint(directory / law / "checkpoints", configuration, model, make_optimizer(model, configuration.training),
                        {"step": torch.tensor(0)}, group, 1)
    return {law: directory / law for law in LAWS}
