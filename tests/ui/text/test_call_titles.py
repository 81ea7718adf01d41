"""The titles of calls: English as they were recorded, and with their verb in the language."""

import subprocess
import sys
from pathlib import Path

from desktop.ui.text.call_titles import TITLES, call_title

ROOT = Path(__file__).resolve().parents[3]
SHOWN = {
    "Read app.py": "Lesen: app.py",
    "Read app.py, from line 40": "Lesen: app.py, ab Zeile 40",
    "Read the todo list": "Todos lesen",
    "Search “def tax” in src": "Suchen: „def tax“ in src",
    "Edit app.py (every occurrence)": "Bearbeiten: app.py (jede Stelle)",
    "Commit 3 paths": "Committen: 3 Pfade",
    "Move {a} to b": "Verschieben: {a} nach b",
    "Changed without a reported call: app.py": "Geändert ohne gemeldeten Aufruf: app.py",
    "npm test": "npm test",
}
_ASK = (
    "import sys; from pathlib import Path; from desktop.language import wear; "
    "wear('de', Path('resources/languages')); from desktop.ui.text.call_titles import call_title; "
    "sys.stdout.buffer.write(chr(10).join(map(call_title, sys.argv[1:])).encode())"
)


def test_in_english_a_title_stays_as_it_was_recorded() -> None:
    titles = [*SHOWN, *(title.replace("{", "").replace("}", "") for title in TITLES)]
    assert [call_title(title) for title in titles] == titles


def test_in_german_the_verb_is_german_and_what_it_names_stays() -> None:
    told = subprocess.run([sys.executable, "-c", _ASK, *SHOWN], cwd=ROOT, capture_output=True, check=True).stdout
    assert told.decode().split("\n") == list(SHOWN.values())


def test_a_boundary_is_told_in_german_too() -> None:
    ask = _ASK.replace("call_title", "boundary_title")
    titles = ["Don’t push", "Ask before you change src/**", "Spend at most $1,200.50", "Something else"]
    told = subprocess.run([sys.executable, "-c", ask, *titles], cwd=ROOT, capture_output=True, check=True).stdout
    wanted = ["Nicht pushen", "Vor dem Ändern fragen: src/**", "Höchstens 1.200,50 $ ausgeben", "Something else"]
    assert told.decode().split("\n") == wanted


_LINES = """
import sys; from datetime import UTC, datetime; from pathlib import Path
from desktop.language import wear
wear('de', Path('resources/languages'))
from desktop.domain.handover.told import OPEN_TOLD, RULED_TOLD
from desktop.domain.handover.values import Line, Words
from desktop.domain.ledger.effects import Effect
from desktop.domain.events import TurnEnded
from desktop.ui.chats.folds.note_words import note_words
from desktop.ui.chats.folds.turn_words import restart_sentence
from desktop.ui.guests.words import control_words
from desktop.ui.text.record_lines import effect_title, line_text
now = datetime(2026, 11, 21, tzinfo=UTC)
cut = TurnEnded(turn_id='t', status='interrupted', detail='Not answered: Read a.py; Read b.py.')
def line(words, text=''):
    return line_text(Line(at=now, text=text, words=words, session_id='s', seq=1))
def effect(what, kind='other', **more):
    return effect_title(Effect(effect_id='e', session_id='s', seq=1, at=now, kind=kind, what=what, **more))
told = [
    line(Words(OPEN_TOLD['waits'], ('Write a.py',), 'call')),
    line(Words(OPEN_TOLD['waits'], ('Write a.py',))),
    line(Words('{}', ('Write a.py',), 'call', 'taken back')),
    line(Words(RULED_TOLD['refused'], ('2', 'mode', 'Not run: the mode changed to plan.'), 'words', at=2)),
    line(None, 'Write a.py'),
    effect('Write a.py', tool='write_file'),
    effect('Write a.py', tool='guest_call', verbatim=True),
    effect('Undo: Write a.py and 1 more', 'undo'),
    effect('Undo: Write a.py', 'undo', verbatim=True),
    effect('Rule saved: allow npm test', 'rule'),
    control_words('Commands: asks first (its word) · not contained'),
    note_words('reverted', 'The user took back: Edit a.py; npm test and 2 more. These files changed: a.py. Read them '
        'before you rely on them.'),
    restart_sentence(cut, [], {'Read a.py': False, 'Read b.py': True}),
]
sys.stdout.buffer.write(chr(10).join(told).encode())
"""


def test_lines_of_a_record_are_german_but_for_commands_and_words_of_others() -> None:
    told = subprocess.run([sys.executable, "-c", _LINES], cwd=ROOT, capture_output=True, check=True).stdout
    assert told.decode().split("\n") == [
        "Wartet auf Antwort: Schreiben: a.py",
        "Wartet auf Antwort: Write a.py",
        "Schreiben: a.py, zurückgenommen",
        "2 × der Modus des Chats: Nicht ausgeführt: Der Modus wechselte zu plan.",
        "Write a.py",
        "Schreiben: a.py",
        "Write a.py",
        "Rückgängig: Schreiben: a.py und 1 weitere",
        "Rückgängig: Write a.py",
        "Regel gespeichert: erlaubt npm test",
        "Befehle: fragt zuerst (nach eigener Aussage) · nicht gehalten",
        "Sie nahmen zurück: Bearbeiten: a.py; npm test und 2 weitere. Diese Dateien wurden dadurch geändert: a.py.",
        "Nicht beantwortet: Lesen: a.py; Read b.py.",
    ]
