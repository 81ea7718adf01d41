"""Texts are given in the language that is worn: `desktop/language.py`."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop import language
from desktop.language import figure, number, separated, tr, trn, wear, worn


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    yield
    wear("en", Path())


def german(folder: Path, **texts: object) -> None:
    (folder / "de").mkdir()
    (folder / "de" / "some.json").write_text(json.dumps(texts), encoding="utf-8")
    wear("de", folder)


def test_a_text_without_a_translation_stays_as_it_is_written(tmp_path: Path) -> None:
    assert (tr("Stop {name}?", name="{a}"), tr("{} stays"), worn()) == ("Stop {a}?", "{} stays", "en")
    german(tmp_path)
    assert (tr("Stop {name}?", name="{a}"), worn()) == ("Stop {a}?", "de")


def test_values_stand_where_the_language_puts_them(tmp_path: Path) -> None:
    german(tmp_path, **{"{part} of {whole}": "von {whole}: {part}"})
    assert tr("{part} of {whole}", part=1, whole=3) == "von 3: 1"


def test_one_word_of_several_meanings_has_one_text_for_each(tmp_path: Path) -> None:
    german(tmp_path, **{"Open": "Öffnen", "a state|Open": "Offen"})
    assert (tr("Open"), tr("Open", context="a state"), tr("Open", context="another")) == ("Öffnen", "Offen", "Open")


def test_what_is_counted_has_the_form_for_its_number(tmp_path: Path) -> None:
    assert [trn(n, "{n} file", "{n} files") for n in (0, 1, 1204)] == ["0 files", "1 file", "1,204 files"]
    german(tmp_path, **{"{n} files": ["{n} Datei", "{n} Dateien"]})
    assert [trn(n, "{n} file", "{n} files") for n in (0, 1, 1204)] == ["0 Dateien", "1 Datei", "1.204 Dateien"]
    assert trn(2, "{n} file in {lane}", "{n} files in {lane}", lane="a") == "2 files in a"


def test_figures_have_the_separators_of_the_language(tmp_path: Path) -> None:
    assert (number(-1204), separated("1,204.5")) == ("−1,204", "1,204.5")
    german(tmp_path)
    assert (number(-1204), separated("1,204.5")) == ("−1.204", "1.204,5")


def test_a_figure_is_read_as_the_language_writes_it(tmp_path: Path) -> None:
    written = ["1,204", "1,204.5", "0.25", "2,5", "many"]
    assert [figure(text) for text in written] == ["1204", "1204.5", "0.25", "2,5", "many"]
    german(tmp_path)
    written = ["1.204", "1.204,5", "0,25", "0.25", "1000", "many"]
    assert [figure(text) for text in written] == ["1204", "1204.5", "0.25", "0.25", "1000", "many"]


def test_what_nobody_translated_yet_is_given_in_english(tmp_path: Path) -> None:
    german(tmp_path, **{"Open": "", "a state|Open": "", "{n} files": ["", ""]})
    assert (tr("Open"), tr("Open", context="a state"), trn(1, "{n} file", "{n} files")) == ("Open", "Open", "1 file")


def test_texts_that_cannot_be_read_leave_the_language_that_was_worn(tmp_path: Path) -> None:
    german(tmp_path, **{"Stop": "Halt"})
    (tmp_path / "de" / "some.json").write_text("{", encoding="utf-8")
    with pytest.raises(json.JSONDecodeError):
        wear("de", tmp_path)
    assert (tr("Stop"), set(language.LANGUAGES)) == ("Halt", {"en", "de"})


def test_the_code_of_a_protection_is_a_detail() -> None:
    told = "Not run: It would delete the home folder. (D-root)"
    assert language.said(f"{told} Stop.") == "Not run: It would delete the home folder. Stop."
    assert language.said(told, codes=True) == told
