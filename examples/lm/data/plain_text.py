"""Text out of HTML: what a reader of the page sees, without navigation, one line per block."""

from __future__ import annotations

import re
from html.parser import HTMLParser

BLOCKS = frozenset(
    "address article aside blockquote body br caption dd div dl dt fieldset figure form h1 h2 h3 h4 h5 h6 hr html li main ol p pre"
    " section table tbody td tfoot th thead tr ul".split()
)
INVISIBLE = frozenset("script style head nav header footer noscript template svg button select".split())
NAVIGATION_CLASSES = frozenset("navheader navfooter related sphinxsidebar toc footer headerlink nosearch docnav".split())


class _Reader(HTMLParser):
    """Collects visible text. While an element is skipped, only tags of its own name are counted, because others may be unclosed."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._skipped_tag = ""
        self._skipped_depth = 0
        self._preformatted = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._skipped_tag:
            self._skipped_depth += tag == self._skipped_tag
            return
        classes = next((value or "" for name, value in attrs if name == "class"), "").split()
        if tag in INVISIBLE or not NAVIGATION_CLASSES.isdisjoint(classes):
            self._skipped_tag, self._skipped_depth = tag, 1
            return
        self._preformatted += tag == "pre"
        if tag in BLOCKS:
            self.parts.append("\n")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in BLOCKS and not self._skipped_tag:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if self._skipped_tag:
            self._skipped_depth -= tag == self._skipped_tag
            if self._skipped_depth == 0:
                self._skipped_tag = ""
            return
        if tag == "pre" and self._preformatted:
            self._preformatted -= 1
        if tag in BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._skipped_tag:
            self.parts.append(data if self._preformatted else re.sub(r"\s+", " ", data))


def text_of_html(page: str) -> str:
    """The visible text of a page. Lines of <pre> keep their indentation; elsewhere white space is one blank."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    lines = [line.rstrip() for line in "".join(reader.parts).replace("\xa0", " ").split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"
