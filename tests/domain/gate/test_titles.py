"""Whose words the title of a call is: `desktop/domain/gate/titles.py`."""

import pytest

from desktop.domain.core.content import Card
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import ToolCallDecided
from desktop.domain.gate.titles import is_verbatim, title_of


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
