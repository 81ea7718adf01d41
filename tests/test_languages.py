"""Each text of the window has a translation that says the same values: `resources/languages`, `tests/languages.py`."""

from string import Formatter

import pytest

from desktop.ui.text.call_titles import TITLES
from tests import languages
from tests.languages import CODES, Text, Told, fields

ON_PURPOSE = (
    "A {} of this lane ({}) stopped because files are in conflict. Please resolve them.",  # a message to the agent
    "Which remote holds the pull requests?",  # what a recorded problem begins with
    "Plan how to take the discount once. Change nothing before I agree.",  # what the demo sends
    "Nothing happened for {} s.",  # on the terminal of the demo
)
"""Sentences of the window that are English in every language."""


def forms(told: Told) -> list[str]:
    """The text, or both forms of one that counts."""
    return [told] if isinstance(told, str) else told


def same_values(text: Text, told: str) -> bool:
    """Whether a translation names what the text names; the number may be left out where it counts one."""
    return fields(told) == text.fields or (text.one is not None and fields(told) | {"n"} == text.fields | {"n"})


@pytest.mark.parametrize("code", CODES)
def test_the_files_hold_what_the_window_says_and_nothing_else(code: str) -> None:
    folder = languages.FOLDER / code
    held = {str(file.relative_to(folder)): file.read_text(encoding="utf-8") for file in folder.rglob("*.json")}
    wanted = languages.written(code)
    assert {name for name in wanted.keys() | held.keys() if wanted.get(name) != held.get(name)} == set(), (
        languages.STALE
    )


@pytest.mark.parametrize("code", CODES)
def test_nothing_is_left_untranslated(code: str) -> None:
    assert [key for key, told in languages.kept(code).items() if not all(forms(told))] == []


@pytest.mark.parametrize("code", CODES)
def test_a_translation_names_the_same_values(code: str) -> None:
    held = languages.kept(code)
    wrong = {text.key for text in languages.texts() for told in forms(held[text.key]) if not same_values(text, told)}
    assert wrong == set()


@pytest.mark.parametrize("code", CODES)
def test_a_sentence_of_the_record_names_all_that_differs(code: str) -> None:
    held = languages.kept(code)
    wrong = {}
    for layer in languages.sayings().values():
        for key in layer:
            differing = sum(field is not None for _, field, _, _ in Formatter().parse(key))
            parts = {str(number) for number in range(differing)}
            if held[key] and fields(str(held[key])) != parts:
                wrong[key] = held[key]
    assert wrong == {}


@pytest.mark.parametrize("code", CODES)
def test_a_piece_of_a_text_stays_a_piece(code: str) -> None:
    held = languages.kept(code)
    english = {text.key: text.key.rpartition("|")[2] for text in languages.texts() if text.one is None}
    ends = {key: (plain[:1].isspace(), plain[-1:].isspace()) for key, plain in english.items()}
    told = {key: (str(held[key])[:1].isspace(), str(held[key])[-1:].isspace()) for key in english}
    assert {key for key in english if told[key] != ends[key]} == set()


def test_every_text_stands_where_it_is_asked_for() -> None:
    assert [place.rpartition(":")[0] for place in languages.strays()] == ["desktop/ui/text/format.py"]


def test_the_window_holds_no_sentence_that_nobody_can_translate() -> None:
    assert [one for one in languages.bare() if one.partition(" ")[2] not in ON_PURPOSE] == []


def test_every_title_of_a_call_is_known() -> None:
    begun = list(languages.call_titles())
    unknown = [(place, text) for place, text in begun if not any(title.startswith(text) for title in TITLES)]
    assert begun
    assert unknown == []
