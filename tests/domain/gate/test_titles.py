"""Whose words the title of a call is: `desktop/domain/gate/titles.py`."""

from datetime import UTC, datetime

import pytest

from desktop.domain.core.content import Card, TouchedFile
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.display.marks import mixed_letters
from desktop.domain.events import ToolCallDecided
from desktop.domain.gate.pending import PlanReview, Question, QuestionRequest, is_verbatim_title
from desktop.domain.gate.titles import is_verbatim, title_of
from desktop.domain.handover.fold import effect_words
from desktop.domain.ledger.effects import Effect


@pytest.mark.parametrize(
    ("tool", "given", "verbatim"),
    [
        ("write_file", {"file_path": "a"}, False),
        ("read_file", {"file_path": "a"}, False),
        ("read_file", {"title": "", "paths": ["a"]}, False),
        ("read_file", {"title": "Read the plan", "paths": ["a"]}, True),
        ("read_file", "no object", False),
        ("bash", {"command": "ls"}, True),
        ("guest_call", {"title": "Write it"}, True),
        ("think", {}, True),
        ("mcp__notes__find", {}, True),
    ],
)
def test_commands_and_words_of_others_are_told_letter_by_letter(tool: str, given: object, verbatim: bool) -> None:
    assert is_verbatim(tool, given) is verbatim  # type: ignore[arg-type]  # JSON as it comes


def decided(tool: str, card: Card | None) -> ToolCallDecided:
    return ToolCallDecided(
        call_id="c",
        name_called="Write",
        tool=tool,
        verdict=Verdict.ALLOW,
        rule="mode",
        mode=PermissionMode.EDIT,
        card=card,
    )


def test_a_call_is_called_as_its_card_is_or_by_the_name_that_was_called() -> None:
    assert title_of(decided("write_file", Card(title="Write a"))) == ("Write a", False)
    assert title_of(decided("bash", Card(title="Write a"))) == ("Write a", True)
    assert title_of(decided("", None)) == ("Write", True)


def test_a_question_of_the_program_and_titles_of_tools_are_in_its_words() -> None:
    asked = Question(id="q", text="Which?", header="Which", options=())
    assert is_verbatim_title(QuestionRequest(call_id="c", questions=(asked,)))
    assert not is_verbatim_title(QuestionRequest(call_id="c", questions=(asked,), during=True))
    assert not is_verbatim_title(QuestionRequest(call_id="", questions=(asked,)))
    assert not is_verbatim_title(PlanReview(call_id="c", plan="1. Look"))


def test_a_word_of_three_scripts_and_an_effect_on_many_files_are_told() -> None:
    assert mixed_letters("aбγ").startswith("“aбγ” mixes Cyrillic and Greek and Latin letters")
    files = tuple(TouchedFile(path=f"{name}.py", kind="modify") for name in "abcde")
    effect = Effect(
        effect_id="e",
        session_id="s",
        seq=1,
        at=datetime(2026, 11, 21, tzinfo=UTC),
        kind="files",
        what="Edit",
        files=files,
    )
    assert str(effect_words(effect)) == "Edit (a.py, b.py, c.py and 2 more), cannot be taken back"
