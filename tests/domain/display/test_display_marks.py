"""Letters that are not what they look like."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.display.marks import command_marks, host_name, mark_sentences, path_marks, text_marks
from desktop.domain.display.text import code_runs, display_safe, display_text, is_hidden, joined

ANY = st.text(st.one_of(st.characters(), st.sampled_from(" .@/:-ab⟦ο\u0440א\uff41\u202e\t\n")), max_size=60)


def marked(text, marks):
    return [run.text for run in display_safe(text, multiline=True, marks=marks) if run.marked]


@pytest.mark.promise("gate-V4")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ls -la", []), ("Grüße 日本語 abc使用Python", []), ("5 µm", []), ("привет, мир", []),
        ("g\u03bfogle", ["g\u03bfogle"]), ("pаypal x", ["pаypal"]), ("echo אב", ["אב"]), ("ｏ a", ["ｏ"]),
        ("𝐚𝐛c", ["𝐚𝐛"]), ("a… b", ["…"]), ("日я", ["日я"]), ("snake_имя", ["snake_имя"]), ("IT-компания", []),
    ],
)  # fmt: skip
def test_words_are_underlined(text, words):
    assert marked(text, text_marks(text)) == words
    assert bool(mark_sentences(text_marks(text))) == bool(words)


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("сат x", "сат"), ("a | сат", "сат"), ('echo "$(сат)"', "сат"), ("A=1 sudo сат", "сат"), ("a\nсат", "сат"),
        ("echo 'сат; мяу'", ""), ("echo сат", ""),
        ("echo сат x", ""), ("echo \\\nсат", ""), ("ls # сат; мяу", ""), ("a#b; сат", "сат"),
        ('"сат" x', '"сат"'), ("x > сат", ""), ("'a b сат' x", ""), ("echo `сат`", "сат"),
    ],
)  # fmt: skip
def test_program_names_are_ascii_or_underlined(text, program):
    names = [text[mark.start : mark.end] for mark in command_marks(text) if "program name" in mark.why]
    assert names == ([program] if program else [])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://g\u03bfogle.com/x", "https://g\u03bfogle.com⟦xn--gogle-rce.com⟧/x"),
        ("curl пример.рф", "curl пример.рф⟦xn--e1afmkfd.xn--p1ai⟧"),
        ("scp a@g\u03bfogle.com:x", "scp a@g\u03bfogle.com⟦xn--gogle-rce.com⟧:x"),
        ("http://u@faß.de:80", "http://u@faß.de⟦xn--fa-hia.de⟧:80"),
        ("https://ｇoogle.com", "https://ｇoogle.com⟦google.com⟧"),
        ("файл.txt имя.py", "файл.txt имя.py"),
        ("a.b…c", "a.b…c"),
        ("a\u0663.com", "a\u0663.com"),
        ("имя.х9", "имя.х9"),
    ],
)
def test_hosts_are_followed_by_the_name_they_are_looked_up_by(text, shown):
    assert joined(display_safe(text, multiline=True, marks=text_marks(text))) == shown


def test_a_host_that_cannot_be_one_is_underlined_without_a_name():
    text = f"https://{'я' * 300}/"
    (mark,) = [mark for mark in text_marks(text) if "host" in mark.why]
    assert mark.note == ""
    assert host_name("a\u200bb") == ""


def test_parts_of_paths_that_mix_scripts_are_underlined():
    assert marked("docs/отчёт-final.md", path_marks("docs/отчёт-final.md")) == ["отчёт-final"]
    assert path_marks("docs/отчёт.md") == path_marks("a.md") == ()


def test_at_most_five_sentences_are_said_and_the_rest_counted():
    text = " ".join(f"a\u0440{n}" for n in range(9))
    sentences = mark_sentences(text_marks(text))
    assert (len(sentences), sentences[-1]) == (6, "And 4 more like these.")
    assert "…" in mark_sentences(text_marks("aяшзхцф"))[0]


def test_code_keeps_its_indentation_and_nothing_else():
    shown = joined(code_runs("+" + " " * 12 + "x" + " " * 12 + "y\n" + " " * 70 + "z\n\t\tw\n" + " " * 9))
    assert shown == "+" + " " * 12 + "x⟦12 blanks⟧y\n⟦70 blanks⟧z\n→   →   w\n⟦9 blanks⟧"


def test_is_hidden_knows_what_becomes_a_token():
    assert [is_hidden(char) for char in "a \t\u202e⟦"] == [False, False, False, True, True]


@given(ANY)
def test_marks_add_notes_and_change_nothing_else(text):
    for find in (text_marks, command_marks, path_marks):
        marks = find(text)
        runs = display_safe(text, multiline=True, marks=marks)
        notes = [run for run in runs if run.kind == "token" and run.text[1:-1] in {mark.note for mark in marks}]
        plain = joined([run for run in runs if run not in notes])
        if not notes:
            assert plain == display_text(text, multiline=True)
        assert all(mark.note.isascii() for mark in marks)


@given(ANY)
def test_every_character_that_can_be_seen_is_seen_in_order(text):
    seen = iter(joined(display_safe(text, multiline=True, marks=text_marks(text))))
    for char in text:
        if not is_hidden(char) and char not in " \t\n" and not unicodedata.category(char).startswith("M"):
            assert char in seen
