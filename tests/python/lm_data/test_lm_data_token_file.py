"""Token files, and folders that appear whole."""

from __future__ import annotations

import json

import numpy as np
import pytest

from examples.lm.data.errors import DataError
from examples.lm.data.output_folder import is_free, whole_folder
from examples.lm.data.split import is_validation, place
from examples.lm.data.token_file import TokenFileWriter, read_token_file


def test_documents_end_with_the_marker(tmp_path, vocabulary):
    writer = TokenFileWriter(tmp_path, "train", vocabulary, seed=4)
    for text in ("Hello world", "", "héllo"):
        writer.append(vocabulary.encode([text])[0], len(text.encode()))
    writer.close({"records": 3})
    ids, header = read_token_file(tmp_path / "train.bin")
    assert ids[:4].tolist() == [15496, 995, 50256, 50256] and ids[-1] == 50256
    assert header["tokens"] == len(ids) == (tmp_path / "train.bin").stat().st_size // 2
    assert header["documents"] == 3 and header["text_bytes"] == 17 and header["seed"] == 4
    assert header["vocabulary"] == {"name": "gpt2", "merges": 50000, "size": 50257, "end_of_text": 50256}
    assert (tmp_path / "train.bin").read_bytes()[:2] == (15496).to_bytes(2, "little")


def test_foreign_ids_are_refused(tmp_path, vocabulary):
    writer = TokenFileWriter(tmp_path, "train", vocabulary, seed=1)
    with pytest.raises(ValueError, match="60000"):
        writer.append(np.array([60000], dtype=np.uint16), 1)
    writer.abandon()


def test_files_that_do_not_belong_together_are_refused(tmp_path, vocabulary):
    writer = TokenFileWriter(tmp_path, "train", vocabulary, seed=1)
    writer.append(vocabulary.encode(["Hello world"])[0], 11)
    writer.close({})
    with open(tmp_path / "train.bin", "ab") as file:
        file.write(b"x")
    with pytest.raises(DataError, match="7 bytes are not the 3 tokens"):
        read_token_file(tmp_path / "train.bin")
    (tmp_path / "train.json").write_text(json.dumps({"format": "other"}))
    with pytest.raises(DataError, match="format"):
        read_token_file(tmp_path / "train.bin")
    with pytest.raises(DataError, match=r"no\.bin"):
        read_token_file(tmp_path / "no.bin")


def test_folder_appears_at_the_end(tmp_path):
    with whole_folder(tmp_path / "a" / "out") as partial:
        (partial / "file").write_text("x")
        assert not (tmp_path / "a" / "out").exists()
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["out"]
    assert (tmp_path / "a" / "out" / "file").read_text() == "x"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_folder_does_not_appear_after_an_error(tmp_path, error):
    with pytest.raises(error), whole_folder(tmp_path / "out") as partial:
        (partial / "file").write_text("x")
        raise error
    assert not list(tmp_path.iterdir())


def test_folder_with_content_is_left_alone(tmp_path):
    (tmp_path / "mine").write_text("x")
    assert not is_free(tmp_path) and not is_free(tmp_path / "mine") and is_free(tmp_path / "new")
    with pytest.raises(DataError, match="something already"), whole_folder(tmp_path):
        pass
    with pytest.raises(DataError, match="when this command began"), whole_folder(tmp_path / "out") as partial:
        (partial / "file").write_text("x")
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "theirs").write_text("y")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "out"]
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["theirs"]


def test_split_is_even_and_depends_on_the_seed():
    keys = [str(number).encode() for number in range(20_000)]
    chosen = [is_validation(key, 1, 0.1) for key in keys]
    assert 0.09 < sum(chosen) / len(keys) < 0.11
    assert chosen != [is_validation(key, 2, 0.1) for key in keys]
    assert all(0 <= place(key, 3) < 1 for key in keys)
    assert not any(is_validation(key, 1, 0) for key in keys)
