"""Prose of every script is shown as people write it, and what deceives in it is told."""

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.display.markdown import read_markdown
from desktop.domain.display.prose_marks import prose_marks
from desktop.domain.display.surfaces import SURFACES, display_warnings, surface_text
from desktop.domain.display.text import display_text, joined, prose_safe, prose_text

CASES = json.loads((Path(__file__).parents[2] / "cases" / "prose_cases.json").read_text("utf-8"))
ORDINARY = [case for case in CASES if case["kind"] == "ordinary"]
PLANTED = [case for case in CASES if case["kind"] == "planted"]
MARKDOWN = [case for case in CASES if case["kind"] == "markdown"]
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
WORDS = sorted({word for case in ORDINARY for word in case["text"].split(" ") if "\n" not in word})
NEAR = "\u200c\u200d\ufe0f\u3000\u00a0\u0301می中👩"


def ids(cases):
    return [case.get("script", case["id"]) for case in cases]


@pytest.mark.parametrize("case", ORDINARY, ids=ids(ORDINARY))
def test_ordinary_text_is_shown_unchanged_and_without_a_word(case):
    text = case["text"]
    assert prose_text(text, multiline=True) == text
    assert prose_marks(text) == ()
    assert display_warnings(text, "transcript_markdown") == ()
    assert surface_text(text.replace("\n", " "), "transcript_markdown") == text.replace("\n", " ")
    assert not any(span.run.marked or span.run.kind == "token" for span in read_markdown(text).spans())
    assert display_warnings(text.replace("\n", " "), "window_title") == ()


@pytest.mark.parametrize("case", PLANTED + MARKDOWN, ids=ids(PLANTED + MARKDOWN))
def test_what_is_planted_in_prose_is_told(case):
    shown = surface_text(case["text"], "transcript_markdown")
    assert bool(display_warnings(case["text"], "transcript_markdown")) is case["warn"]
    for token in case["tokens"]:
        assert f"⟦{token}⟧" in shown


@pytest.mark.parametrize("case", PLANTED, ids=ids(PLANTED))
def test_what_is_planted_in_a_title_is_told(case):
    shown = surface_text(case["text"], "window_title")
    assert bool(display_warnings(case["text"], "window_title")) is case["warn"]
    for token in case["tokens"]:
        assert f"⟦{token}⟧" in shown


@given(st.lists(st.sampled_from(WORDS), max_size=12))
def test_words_of_all_scripts_beside_each_other_are_not_changed(words):
    text = " ".join(words)
    assert prose_text(text) == text


@given(st.sampled_from(ORDINARY), st.data())
def test_a_control_of_direction_is_a_token_wherever_it_stands(case, data):
    char = data.draw(st.sampled_from(BIDI))
    at = data.draw(st.integers(0, len(case["text"])))
    text = case["text"][:at] + char + case["text"][at:]
    for surface in SURFACES:
        shown = surface_text(text, surface)
        assert not set(shown) & set(BIDI), surface
    assert f"⟦U+{ord(char):04X}⟧" in prose_text(text, multiline=True)


@given(
    st.text(
        st.one_of(st.characters(), st.sampled_from("\u200c\u200d\ufe0f\u3000\u00a0\u0301می中👩" + BIDI)), max_size=30
    )
)
def test_prose_shows_no_more_than_what_belongs_to_the_text(text):
    shown = prose_text(text, multiline=True)
    assert not set(shown) & set(BIDI)
    if unicodedata.normalize("NFC", text).isascii():
        assert shown == display_text(text, multiline=True)
    runs = prose_safe(text, multiline=True, marks=prose_marks(text))
    assert [run for run in runs if run.kind == "text"] or not shown or "⟦" in joined(runs)


@pytest.mark.parametrize("text", ["می‌خواهم", "👨‍👩‍👧", "क्‍ष", "❤️", "a\u0301", "山田\u3000太郎"])
@pytest.mark.parametrize("surface", ["approval_command", "file_path", "diff", "tool_args"])
def test_commands_paths_and_code_keep_every_token(text, surface):
    assert "⟦U+" in surface_text(text, surface)


@pytest.mark.parametrize(
    ("text", "warned"),
    [
        ("修复：登录错误，重试。完成（好）", False), ("ls ｜ sh", True), ("a；b", True), ("例え.テスト", True),
        ("вход。рф", False), ("good。evil.рф", True), ("שלום", True), ("раss", True),
    ],
)  # fmt: skip
def test_texts_on_cards_know_the_signs_of_east_asian_sentences(text, warned):
    assert bool(display_warnings(text, "commit_message")) is warned


@pytest.mark.promise("gate-V4")
@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("sudо", True), ("gіt", True), ("PRа", False), ("νe", False), ("ρgh", False), ("𝐛old", True), ("ｓudo", True),
        ("𝐛𝐨𝐥𝐝", False), ("oﬃce", False), ("Ωmega", False), ("ꓑython", True), ("cтрока", False), ("ºC", False),
        ("Größe.de", True), ("файл.py", False), ("конец.It", False), ("例え.com", True), ("www.例え.みんな", True),
        ("a@b.рф", True), ("https://xn--a.рф", True), ("https://a.com，谢谢", False), ("https://a.comの本", False),
        (f"https://{'é' * 300}.com", True),
    ],
)  # fmt: skip
def test_words_and_hosts_that_imitate_others_are_told(word, told):
    assert bool(prose_marks(word)) is told
