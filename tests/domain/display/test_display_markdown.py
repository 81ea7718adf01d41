"""Foreign Markdown as it is drawn."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.display import prose as display_prose
from desktop.domain.display.markdown import block_tokens, read_markdown
from desktop.domain.display.own_use import own_use
from desktop.domain.display.prose import Link, Veil
from desktop.domain.display.text import is_hidden

MARKS = '*_`~[]()<>!#-+1.|:"\\&;> \n\tab\u202e⟦⟧'
TEXTS = st.text(st.sampled_from(MARKS) | st.characters(), max_size=60)


def markdown_shown(text: str) -> str:
    """A Markdown text as it is drawn."""
    return "\n".join(part.text for part in read_markdown(text).parts if part.kind != "rule")


@pytest.mark.promise("gate-V7")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[a](javascript:1) [b](https://x.y/)", "a (javascript:1) b (https://x.y/)"),
        ("<https://x.y> <a@b.c> [https://x.y](https://x.y)", "https://x.y a@b.c https://x.y"),
        ("<std::string> <javascript:x>", "<std::string> <javascript:x>"),
        ('[a](https://x.y "t") [](https://x.y)', 'a (https://x.y "t") (https://x.y)'),
        ("![x](file:///etc) ![](u) ![a [b](c)](d)", "x — file:///etc u a b (c) — d"),
        ("a <b>x</b>\n<img src=x>", "a <b>x</b> <img src=x>"),
        ("a  \nb\\\nc\nd", "a\nb\nc d"),
        ("# T\nS\n===\n\n---\n", "T\nS"),
        ("- [x] a\n- [ ] b\n- [x]c\n3) d\n4) e", "☑ a\n☐ b\n• [x]c\n3) d\n4) e"),
        ("1. a\n1. b\n\n   c\n\n-\n- > q", "1. a\n2. b\nc\n•\n• q"),
        ("**b** *i* ~~s~~ `c  d`", "b i s c  d"),
        ("|a|b|\n|-|-|\n|1||", "a | b\n1 | "),
        ("|a|\n|-|\n|1|hidden|", "|a|\n|-|\n|1|hidden|"),
        (">" * 40 + " deep", ">" * 40 + " deep"),
        ("```\n```\n~~~py x\na\n~~~\n\n    b", "\npy x\na\nb"),
        ("&#x202e; &#x27e6;U+0041&#x27e7; \\⟦ \x00 a\r\nb",
         "⟦U+202E⟧ ⟦U+27E6⟧U+0041⟦U+27E7⟧ \\⟦U+27E6⟧ ⟦U+0000⟧ a⟦U+000D⟧ b"),
        ("&#x100000; &#1048577; `&#x100001;`", "&#x100000; &#1048577; &#x100001;"),
        ("[x][1]\n\n[1]: https://x.y", "[x][1]\n[1]: https://x.y"),
        ("g*\u03bf*ogle", "g\u03bfogle"),
        ("", ""),
    ],
)  # fmt: skip
def test_markdown_is_drawn(text, shown):
    assert markdown_shown(text) == shown


def test_links_and_pictures_are_gathered_references_too():
    found = read_markdown("[a](b) ![c](d)\n\n[e][1]\n\n[1]: https://x.y")
    once = [Link("a", "b"), Link("c", "d", picture=True)]
    assert found.links == [*once, *once, Link("e", "https://x.y")]


def test_words_over_several_styles_are_underlined_whole():
    found = read_markdown("g*\u03bf*ogle and |")
    assert [(span.run.text, span.run.marked) for span in found.spans()] == [
        ("g", True), ("\u03bf", True), ("ogle", True), (" and |", False),
    ]  # fmt: skip
    assert [mark.why for mark in found.marks]
    assert [span.style.italic for span in found.spans()] == [False, True, False, False]
    cells = read_markdown("|a|\n|-|\n|b|").spans()
    assert [span.run.text for span in cells] == ["a", "b"]


def test_a_text_with_more_odd_characters_than_can_stand_aside_is_plain(monkeypatch):
    monkeypatch.setattr(display_prose, "_LAST", display_prose._FIRST)
    assert Veil("\u202e").text is None
    assert markdown_shown("**a**\u202e") == "**a**⟦U+202E⟧"


@given(TEXTS)
def test_nothing_is_lost_and_nothing_is_hidden(text):
    shown = markdown_shown(text)
    belongs = {text[place] for place in own_use(text)} | {shown[place] for place in own_use(shown)}
    for char in shown:
        assert char in "\n⟦⟧" or not is_hidden(char) or char in belongs
    if "&" not in text:
        letters = iter(shown)
        wanted = re.sub(r"(?m)^[\s>*+-]*(?:\d{1,9}[.)])?|\[[xX ]\]", "", text)
        assert all(char in letters for char in wanted if char in "ab")


def test_lines_end_with_lf_alone():
    tokens = block_tokens("a\u2028b\rc\n\nd")
    assert [token.map for token in tokens if token.map and not token.level] == [[0, 1], [2, 3]]
