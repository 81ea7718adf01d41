"""Sentences that were recorded in English are told in another language: `desktop/sayings.py`."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop import language
from desktop.language import said, wear
from desktop.sayings import Sayings, read

GERMAN = Sayings({
    "It would delete the home folder.": "Der persönliche Ordner würde gelöscht.",
    "{} leads to a place outside the lane.": "{0} führt aus der Lane hinaus.",
    "{} for it, and {} by the rule.": "{1} laut Regel, {0} dafür.",
    "the command": "der Befehl",
    "Write {{path}} in it, not {}.": "Schreib {{path}} hinein, nicht {0}.",
    "{}: {}.": "nie",
    "It runs {} first.": "",
    "It is the {} of {}.": "Das {0} von {1}.",
    "it is longer than {} bytes": "er ist länger als {0} Bytes",
    "This path is invalid: {}.": "Dieser Pfad ist ungültig: {0}.",
    "Not run: {}.": "Nicht ausgeführt: {0}.",
    "The rule {} was not saved: {}": "Die Regel {0} wurde nicht gespeichert: {1}",
    "It holds {} for each.": "Es hält je {0}.",
    "{} per turn": "{0} je Runde",
    "{} of the chat “{}”": "{0} des Chats „{1}“",
    "Lanes stack on it: {}. Delete them first.": "Auf ihr bauen Lanes auf: {0}. Löschen Sie sie zuerst.",
}, lambda text: text.replace(",", " "), "{} und {} weitere".format, quoted=lambda it: it.replace("”", "“"),
    begun=lambda it: it[:1].upper() + it[1:])  # fmt: skip


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("It would delete the home folder.", "Der persönliche Ordner würde gelöscht."),
        ("It would delete the home folder. (D-root)", "Der persönliche Ordner würde gelöscht. (D-root)"),
        (
            "Not run: It would delete the home folder. (D-root).",
            "Nicht ausgeführt: Der persönliche Ordner würde gelöscht. (D-root).",
        ),
        ("'../a {b}' leads to a place outside the lane.", "'../a {b}' führt aus der Lane hinaus."),
        ("A for it, and B by the rule.", "B laut Regel, A dafür."),
        ("the command leads to a place outside the lane.", "der Befehl führt aus der Lane hinaus."),
        ("Write {path} in it, not x.", "Schreib {path} hinein, nicht x."),
        ("a: b.", "a: b."),
        ("It runs ls first.", "It runs ls first."),
        ("", ""),
        (
            "It would delete the home folder. ls leads to a place outside the lane. Unknown.",
            "Der persönliche Ordner würde gelöscht. ls führt aus der Lane hinaus. Unknown.",
        ),
        ("Unknown.\nIt would delete the home folder.", "Unknown.\nDer persönliche Ordner würde gelöscht."),
        ("It is the of it.", "It is the of it."),
        (
            "Lanes stack on it: “A b”, “C”. Delete them first.",
            "Auf ihr bauen Lanes auf: “A b“, “C“. Löschen Sie sie zuerst.",
        ),
        ("This path is invalid: it is longer than 9 bytes.", "Dieser Pfad ist ungültig: Er ist länger als 9 Bytes."),
        ("This path is invalid: It runs ls first.", "Dieser Pfad ist ungültig: It runs ls first."),
        (
            "Not run: It would delete the home folder. It runs ls first.",
            "Nicht ausgeführt: Der persönliche Ordner würde gelöscht. It runs ls first.",
        ),
        (
            "The rule x was not saved: It would delete the home folder. ls leads to a place outside the lane.",
            "Die Regel x wurde nicht gespeichert: Der persönliche Ordner würde gelöscht. ls führt aus der Lane hinaus.",
        ),
        ("The rule x was not saved: Look at it. Now.", "Die Regel x wurde nicht gespeichert: Look at it. Now."),
        ("It holds 20,000 for each.", "Es hält je 20 000."),
        ("It holds 20,00 for each.", "Es hält je 20,00."),
        ("It holds $1,000.50 per turn for each.", "Es hält je $1 000.50 je Runde."),
        ("It holds $0.10 per turn of the chat “A” for each.", "Es hält je $0.10 je Runde des Chats „A“."),
        ("It holds the command; the command for each.", "Es hält je der Befehl; der Befehl."),
        ("It holds the command; a thing for each.", "Es hält je the command; a thing."),
        ("It holds 2,000 apples for each.", "Es hält je 2,000 apples."),
        ("It holds a.py, b.py and 1,200 more for each.", "Es hält je a.py, b.py und 1 200 weitere."),
        ("It holds the command and 3 more for each.", "Es hält je der Befehl und 3 weitere."),
        ("“It would delete the home folder.” was said.", "“It would delete the home folder.” was said."),
    ],
)
def test_a_sentence_is_told_with_its_parts(english: str, german: str) -> None:
    assert GERMAN.of(english) == german


def test_a_form_is_told_with_parts_that_are_known_or_stay() -> None:
    assert GERMAN.filled("{} for it, and {} by the rule.", ("the command", "B")) == "B laut Regel, der Befehl dafür."
    assert GERMAN.filled("Unknown {}", ("A",)) == "Unknown A"
    assert language.filled("Unknown {}", "A") == "Unknown A"


@given(st.text(alphabet="abc .\n{}'", max_size=60))
def test_what_nobody_translated_stays_as_it_is(text: str) -> None:
    assert Sayings({"It would delete the home folder.": "x", "{} leads to nowhere at all.": "y {0}"}).of(text) == text


@given(st.text(alphabet="ab/{}' ", min_size=1, max_size=30), st.text(alphabet='cd{}"', min_size=1, max_size=30))
def test_parts_stand_in_the_translation_as_they_were_said(first: str, second: str) -> None:
    assert GERMAN.of(f"{first} for it, and {second} by the rule.") == f"{second} laut Regel, {first} dafür."


@pytest.mark.parametrize(
    ("english", "german"),
    [
        (
            "files.example.org:443 is allowed, and could not be reached: connection refused.",
            "files.example.org:443 ist erlaubt und war nicht zu erreichen: Verbindung verweigert.",
        ),
        (
            "It fails: it answered 'allow', and a hook cannot allow (1,212 ms).",
            "Er scheitert: er hat „allow“ geantwortet, und ein Hook kann nicht erlauben (1.212 ms).",
        ),
        (
            "Stop: “make”, as its matcher 'Bash' has no equal here.",
            "Stop: “make”, da sein Matcher 'Bash' hier keine Entsprechung hat.",
        ),
        ("Possible again at 14:00 on 2026-09-02.", "Wieder möglich um 14:00 am 2. Sep. 2026."),
        ("New files: a.py, b.py and 3 more", "Neue Dateien: a.py, b.py and 3 more"),
    ],
)
def test_a_sentence_of_the_record_is_german_with_its_reason_and_what_it_names(english: str, german: str) -> None:
    shipped = (Path(__file__).parents[1] / "resources/languages/de/said").glob("*.json")
    days = {"2026-09-02": "2. Sep. 2026"}
    german_of = read(sorted(shipped), lambda figure: figure.replace(",", "."), day=days.__getitem__)
    assert german_of.of(english) == german


def test_said_gives_sentences_of_the_language_that_is_worn(tmp_path: Path) -> None:
    folder = tmp_path / "de" / language.SAID
    folder.mkdir(parents=True)
    (folder / "policy.json").write_text(json.dumps({"It is {} here.": "Hier ist es {0}."}), encoding="utf-8")
    assert said("It is dark here.") == "It is dark here."
    wear("de", tmp_path)
    try:
        assert said("It is dark here.") == "Hier ist es dark."
    finally:
        wear("en", tmp_path)
