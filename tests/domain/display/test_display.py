"""What people are shown of text from outside."""

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.display.text import Run, display_safe, display_text, has_tokens, stream_text

ONE_LINE = {"file_path", "window_title"}
FOLDER = Path(__file__).parents[2] / "cases"
CASES = [
    case
    for name in ("spoof_cases.json", "spoof_cases_2.json")
    for case in json.loads((FOLDER / name).read_text("utf-8"))
]
TOKEN_CASES = [case for case in CASES if case["escape_codepoints"]]
TEXTS = st.text(st.one_of(st.characters(), st.sampled_from(" \t\nab⟦⟧\u0301\u202e\ud83d\U000e0041")), max_size=40)


@pytest.mark.parametrize("text", ["", "ls -la", "naïve Grüße 日本語 😀", "x" * 500, "שלום"])
def test_ordinary_text_is_shown_as_it_is(text):
    assert display_text(text) == text
    assert display_safe(text, multiline=False) == ((Run(kind="text", text=text),) if text else ())
    assert not has_tokens(text, multiline=True)


@pytest.mark.promise("gate-V2")
@pytest.mark.parametrize(
    "char",
    "\x00\x07\x1b\r\x7f\x85\xa0\xad\u0300\u034f\u115f\u1160\u17b4\u180b\u2000\u200b\u200d\u202e\u2028\u2029\u2067\u2800"
    "\u3000\u3164\ufe0f\ufeff\uffa0\ufffc\uffff\ue000\ud83d\U000e0041\U000e0100\U0010ffff⟦⟧\n",
)
def test_what_would_not_be_seen_becomes_a_token(char):
    token = f"⟦U+{ord(char):04X}⟧"
    runs = display_safe(f"a{char}b", multiline=False)
    assert runs == (Run(kind="text", text="a"), Run(kind="token", text=token), Run(kind="text", text="b"))


def test_a_stream_is_as_it_was_written_but_for_what_a_terminal_obeys():
    code = "if a:\n            b\n\t\tc\n\n\n\nd\u00a0中\u200d⟦"
    assert stream_text(code) == code
    assert stream_text("a\r\nb\rc\x1b[2K\x9b\u202e\ud800") == "a\nb⟦U+000D⟧c⟦U+001B⟧[2K⟦U+009B⟧⟦U+202E⟧⟦U+D800⟧"


def test_tab_is_drawn_to_the_next_multiple_of_four():
    assert display_text("\ta\tab\tabc\tabcd\te") == "→   a→  ab→ abc→abcd→   e"
    assert display_text("ab\n\tc", multiline=True) == "ab\n→   c"
    assert not has_tokens("a\tb", multiline=False)


@pytest.mark.promise("gate-V3")
def test_long_runs_of_blanks_are_counted():
    assert display_text("a" + " " * 7 + "b") == "a" + " " * 7 + "b"
    assert display_text("a" + " " * 8 + "b") == "a⟦8 blanks⟧b"
    assert display_text("a" + " \t" * 6 + "b") == "a⟦12 blanks⟧b"
    assert display_text("a\n" + " " * 9 + "b", multiline=True) == "a\n⟦9 blanks⟧b"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb\n", "a\nb\n"),
        ("a\n\n\nb", "a\n\n\nb"),
        ("a\n\n\n\nb", "a\n⟦3 blank lines⟧\nb"),
        ("a\n" + " \n" * 9 + "b", "a\n⟦9 blank lines⟧\nb"),
        ("\n\n\n\nb", "⟦4 blank lines⟧\nb"),
        ("b\n\n\n\n", "b\n⟦3 blank lines⟧\n"),
        ("\n\n\n", "⟦3 blank lines⟧\n"),
        ("\n", "\n"),
        ("a\r\nb", "a⟦U+000D⟧\nb"),
        ("a\n  \nb", "a\n  \nb"),
    ],
)
def test_lines(text, shown):
    assert display_text(text, multiline=True) == shown


def test_combining_marks_on_ascii_are_tokens_and_the_fifth_on_any_letter():
    assert display_text("e\u0301") == "e⟦U+0301⟧"
    assert display_text("é\u0301\u0302\u0303\u0304\u0305\u0306") == "é\u0301\u0302\u0303\u0304⟦U+0305⟧⟦U+0306⟧"
    assert display_text("क्षि") == "क्षि"
    assert display_text("\u0301a") == "⟦U+0301⟧a"
    assert display_text("é \u0301") == "é ⟦U+0301⟧"
    assert display_text("é\t\u0301") == "é→  ⟦U+0301⟧"
    assert display_text("é" + " " * 8 + "\u0301") == "é⟦8 blanks⟧⟦U+0301⟧"
    assert display_text("é\u200b\u0301") == "é⟦U+200B⟧⟦U+0301⟧"


@pytest.mark.parametrize("case", TOKEN_CASES, ids=[case["id"] for case in TOKEN_CASES])
def test_sample_trick_is_seen(case):
    multiline = case["surface"] not in ONE_LINE
    shown = display_text(case["text"], multiline=multiline)
    for point in case["escape_codepoints"]:
        assert f"⟦{point}⟧" in shown
        assert chr(int(point[2:], 16)) not in shown
    for words in case["visible_must_contain"]:
        assert words in shown
    assert has_tokens(case["text"], multiline=multiline)


@pytest.mark.promise("gate-V2")
@given(TEXTS, st.booleans())
def test_nothing_hidden_is_left_and_tokens_cannot_be_forged(text, multiline):
    runs = display_safe(text, multiline=multiline)
    assert display_text(text, multiline=multiline) == "".join(run.text for run in runs)
    for run in runs:
        if run.kind == "text":
            kinds = {unicodedata.category(char) for char in run.text if char not in " \n"}
            assert not kinds & {"Cc", "Cf", "Zl", "Zp", "Zs", "Co", "Cs", "Cn"}
            assert "⟦" not in run.text
            assert multiline or "\n" not in run.text
            assert "        " not in run.text
        else:
            assert run.text.startswith("⟦")
            assert run.text.endswith("⟧")


@given(TEXTS)
def test_lines_stay_in_number_unless_counted(text):
    shown = display_text(text, multiline=True)
    if "blank lines" not in shown:
        assert shown.count("\n") == text.count("\n")
