from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch

from lm_evaluation_pair import CONTEXT, LAWS, SENTENCE, checkpoints, small_steps, text, tokenizer  # noqa: F401 (fixtures)

from lm_eval import utils  # (after the line above, which sees to it that there is no network)
from lm_eval.api.instance import Instance

import decode
import generate
from checkpoint import load_model
from configuration import ConfigurationError
from evaluation_model import EvaluationModel
from evaluation_requests import ResponseSettings, pieces, room_for
from model import LanguageModel
from sampling import Sampling
from text import Text


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
    assert len(response_of(evaluated, "One")) == 5
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
    given = {"temperature": 0.5, "top_p": 0.9, "max_new_tokens": 7}
    assert ResponseSettings.read(given, 512) == ResponseSettings((), 7, Sampling(0.5, 0.9, 0))
    for wrong, message in (({"num_beams": 4}, "num_beams = 4"), ({"max_gen_toks": 0}, "asks for 0")):
        with pytest.raises(ConfigurationError, match=message):
            ResponseSettings.read(wrong, 512)


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
