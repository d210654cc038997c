"""Text out of pages and packages, and the corpus made of it."""

from __future__ import annotations

import struct
import subprocess

import pytest

from examples.lm.data import corpus
from examples.lm.data.debian_packages import Document, Source, documents_of, read_bible, read_html, read_plain_text
from examples.lm.data.errors import DataError
from examples.lm.data.plain_text import text_of_html
from examples.lm.data.token_file import read_token_file
from examples.lm.data.vocabulary import load_vocabulary


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>One\n  two</p><p>three &amp; four&nbsp;five</p>", "One two\n\nthree & four five\n"),
        ("<head><title>x</title></head><body><h1>Title</h1><p>Text<br/>more", "Title\n\nText\nmore\n"),
        ("<pre>a\n   b  c\n</pre>after", "a\n   b  c\n\nafter\n"),
        ("a<script>var x = '<p>';</script>b<style>p {}</style>", "ab\n"),
        ('<div class="navheader"><div>Next</div><p>unclosed</div>Text', "Text\n"),
        ('<a class="headerlink" href="#">¶</a>Text <b>bold</b>, <i>it</i>.', "Text bold, it.\n"),
        ('<ul><li>one<li>two</ul><nav><a>x</a></nav>', "one\ntwo\n"),
        ("<p>a</p>\n\n\n\n<p>b</p>", "a\n\nb\n"),
        ("", "\n"),
    ],
)
def test_pages(page, text):
    assert text_of_html(page) == text


def test_pages_that_close_what_was_never_opened():
    assert text_of_html("</pre></div></nav>a</p>  b") == "a\n b\n"


def test_documents_of_a_cached_package(tmp_path):
    folder = tmp_path / "cache" / "some-doc" / "usr"
    (folder / "deep").mkdir(parents=True)
    (folder / "b.html").write_text("<p>Page</p>")
    (folder / "index.html").write_text("<p>Index</p>")
    (folder / "deep" / "a.txt").write_bytes(b"caf\xe9\r\n")
    found = list(documents_of(Source("some-doc", "usr/**/*.html", read_html, frozenset({"index.html"})), tmp_path / "cache"))
    assert found == [Document("some-doc", "some-doc/usr/b.html", "Page\n")]
    (text,) = documents_of(Source("some-doc", "usr/**/*.txt", read_plain_text), tmp_path / "cache")
    assert text.text == "café\n"
    with pytest.raises(DataError, match=r"no file matches usr/\*.pdf"):
        list(documents_of(Source("some-doc", "usr/*.pdf", read_plain_text), tmp_path / "cache"))


def test_failed_downloads_say_what_failed(tmp_path, monkeypatch):
    def fail(*_arguments, **_options):
        raise subprocess.CalledProcessError(100, "apt-get", stderr=b"W: something\nE: Unable to locate package some-doc\n")

    monkeypatch.setattr(subprocess, "run", fail)
    with pytest.raises(DataError, match="apt-get download some-doc failed: E: Unable to locate package some-doc"):
        list(documents_of(Source("some-doc", "*", read_plain_text), tmp_path / "cache"))

    def missing(*_arguments, **_options):
        raise FileNotFoundError

    monkeypatch.setattr(subprocess, "run", missing)
    with pytest.raises(DataError, match="apt-get was not found"):
        list(documents_of(Source("some-doc", "*", read_plain_text), tmp_path / "cache"))


def literal_window(text: bytes) -> bytes:
    """compress(1)'s format without its header, with nothing but literals: 9 bits each, the lowest bit first, groups of eight."""
    bits = sum(byte << (9 * number) for number, byte in enumerate(text))
    return bits.to_bytes((9 * len(text) + 7) // 8, "little")


def test_chapters_of_the_compressed_bible(tmp_path):
    windows = [b"Title line.\nGe1:1 In the beginning.\n", b"Ge1:2 And the earth.\nGe2:1 Thus the heavens.\nExo1:1 Now these.\n"]
    packed = [literal_window(window) for window in windows]
    begin = 92 + 4 * 3
    offsets = [begin, begin + len(packed[0]), begin + len(packed[0]) + len(packed[1])]
    path = tmp_path / "bible.data"
    path.write_bytes(bytes(88) + struct.pack(">4I", 2, *offsets) + b"".join(packed))
    assert list(read_bible(path)) == [
        ("Ge1", "In the beginning.\nAnd the earth.\n"), ("Ge2", "Thus the heavens.\n"), ("Exo1", "Now these.\n"),
    ]
    path.write_bytes(bytes(10))
    with pytest.raises(DataError, match="not the compressed text"):
        list(read_bible(path))


def documents(number: int) -> list[Document]:
    return [Document(f"package-{n % 3}", f"package-{n % 3}/{n}", f"Document {n} says the same as before. " * 10) for n in range(number)]


def test_corpus_is_split_by_document_and_is_the_same_in_any_order(tmp_path):
    vocabulary = load_vocabulary(500)
    texts = documents(60)
    counts = corpus.write_corpus(texts, vocabulary, tmp_path / "a", 1, 0.2)
    corpus.write_corpus(texts[::-1], vocabulary, tmp_path / "b", 1, 0.2)
    seen = []
    for part in corpus.PARTS:
        assert (tmp_path / "a" / f"{part}.bin").read_bytes() == (tmp_path / "b" / f"{part}.bin").read_bytes()
        ids, header = read_token_file(tmp_path / "a" / f"{part}.bin")
        assert header["tokens"] == sum(count["tokens"] for count in counts[part].values())
        seen += vocabulary.decode(ids).split("<|endoftext|>")[:-1]
    assert sorted(seen) == sorted(text.text for text in texts)
    assert 0 < sum(count["documents"] for count in counts["validation"].values()) < 30
    assert (tmp_path / "a" / "tokenizer.json").is_file()


def test_equal_and_short_documents_are_left_out():
    (first, second) = documents(2)
    given = [first, Document("other", "copy", first.text), second, Document("other", "short", "too short")]
    assert list(corpus.distinct_documents(given)) == [first, second]


def test_command(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(corpus, "documents_of", lambda source, cache: iter(documents(9)))
    out = ["-o", str(tmp_path / "out"), "--cache", str(tmp_path / "cache")]
    assert corpus.main([*out, "--merges", "7", "--package", "anarchism"]) == 0
    printed = capsys.readouterr().out
    assert "a vocabulary of 264, 263 is <|endoftext|>" in printed and "package-2" in printed
    for wrong in ([], ["--package", "none"], ["--merges", "-1"]):
        with pytest.raises(SystemExit) as ended:
            corpus.main([*out, *wrong])
        assert ended.value.code == 2
