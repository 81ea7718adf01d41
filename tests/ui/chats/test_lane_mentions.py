"""What can be named with an `@`, listed while a message is written; and what became of it in the transcript."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from desktop.domain.chats.commands import FindMentions
from desktop.domain.chats.mentions import NAMED_HEAD, MentionGiven
from desktop.domain.chats.updates import MentionRow, MentionsFound
from desktop.domain.events import UserMessage
from desktop.domain.updates import CommandFailed
from tests.ui.compose_place import Place, place

__all__ = ["place"]
FILE = MentionRow("file", "@auth/middleware.py", "middleware.py", "auth")
BLANK = MentionRow("file", '@"docs/a b.md"', "a b.md", "docs")
FOLDER = MentionRow("folder", "@auth/", "auth/", "")
LANE = MentionRow("lane", "@lane:fix-login", "fix-login", "lane/fix-login")


@pytest.fixture
def here(qtbot, place: Place) -> Place:
    place.field.setFocus()
    qtbot.waitUntil(place.field.hasFocus)
    return place


def asked(place: Place) -> list[FindMentions]:
    return [one for one in place.sink.sent if isinstance(one, FindMentions)]


def keys(place: Place) -> list[str]:
    return place.window.page._writing.mentions.popup.keys


def found(place: Place, *rows: MentionRow, more: bool = False, number: int = -1) -> None:
    command_id = asked(place)[number].command_id
    place.window.apply_updates([MentionsFound(rows=rows, more=more, command_id=command_id)])


def test_an_at_lists_what_is_likeliest_and_letters_are_asked_for_once_the_hand_rests(qtbot, here):
    qtbot.keyClicks(here.field, "see @")
    assert [(one.kind, one.query) for one in asked(here)] == [("", "")]
    found(here, FILE, LANE)
    assert keys(here)[:2] == ["@auth/middleware.py", "@lane:fix-login"]
    assert "@symbol:" in keys(here)
    qtbot.keyClicks(here.field, "aumi")
    qtbot.waitUntil(lambda: len(asked(here)) == 2)
    assert asked(here)[-1].query == "aumi"


@pytest.mark.promise("ui-U123")
def test_an_answer_to_what_is_written_no_more_is_not_shown(qtbot, here):
    qtbot.keyClicks(here.field, "@a")
    qtbot.waitUntil(lambda: len(asked(here)) == 1)
    qtbot.keyClicks(here.field, "uxyz")
    qtbot.waitUntil(lambda: len(asked(here)) == 2)
    found(here, FILE, number=-1)
    found(here, LANE, number=-2)
    assert keys(here) == ["@auth/middleware.py"]


def test_an_address_of_a_mailbox_opens_no_list(qtbot, here):
    qtbot.keyClicks(here.field, "mail a@b.com about it")
    assert asked(here) == []
    assert keys(here) == []


def test_keys_choose_and_a_name_with_blanks_is_in_quotes(qtbot, here):
    qtbot.keyClicks(here.field, "see @")
    found(here, FILE, BLANK)
    qtbot.keyClick(here.field, Qt.Key.Key_Down)
    qtbot.keyClick(here.field, Qt.Key.Key_Return)
    assert here.field.toPlainText() == 'see @"docs/a b.md" '
    assert keys(here) == []
    assert [one.type for one in here.sink.sent if one.type == "send_message"] == []
    here.field.undo()
    assert here.field.toPlainText() == "see @"


def test_escape_closes_the_list_and_keeps_the_words(qtbot, here):
    qtbot.keyClicks(here.field, "see @")
    found(here, FILE)
    qtbot.keyClick(here.field, Qt.Key.Key_Escape)
    assert keys(here) == []
    assert here.field.toPlainText() == "see @"
    found(here, LANE)
    assert keys(here) == []


def test_a_kind_restricts_what_is_asked_for_and_nothing_found_is_said(qtbot, here):
    qtbot.keyClicks(here.field, "@lane:")
    assert (asked(here)[-1].kind, asked(here)[-1].query) == ("lane", "")
    found(here, more=True)
    popup = here.window.findChild(QWidget, "mention_popup")
    assert [item.title for item in popup._list.items] == ["Reading the lane's files…"]
    qtbot.waitUntil(lambda: len([one for one in asked(here) if one.kind == "lane"]) == 2)
    found(here)
    assert [item.title for item in popup._list.items] == ["No lane has these letters."]
    failed = CommandFailed(command_id=asked(here)[-1].command_id, code="x", text="no")
    here.window.apply_updates([failed])
    qtbot.keyClick(here.field, Qt.Key.Key_Tab)
    assert here.field.toPlainText() == "@lane:"


def test_a_folder_that_is_taken_can_be_gone_into(qtbot, here):
    qtbot.keyClicks(here.field, "@")
    found(here, FOLDER)
    qtbot.keyClick(here.field, Qt.Key.Key_Tab)
    assert here.field.toPlainText() == "@auth/"
    assert keys(here) == []
    qtbot.keyClicks(here.field, "m")
    qtbot.waitUntil(lambda: asked(here)[-1].query == "auth/m")


def test_the_button_writes_an_at_and_lists(qtbot, here):
    qtbot.keyClicks(here.field, "see")
    qtbot.mouseClick(here.button("composer_mention"), Qt.MouseButton.LeftButton)
    assert here.field.toPlainText() == "see @"
    assert len(asked(here)) == 1


def test_what_became_of_each_mention_stands_below_the_message(here):
    text = {"type": "text", "text": "Compare @a.py with @.env"}
    told = {"type": "text", "text": f"{NAMED_HEAD}\n@a.py\nx = 1"}
    given = (
        MentionGiven(written="@a.py", words="1 line"),
        MentionGiven(written="@.env", words="named only: reading it asks", given=False),
    )
    here.show(UserMessage(parts=(text, told), mentions=given))
    row = next(row for row in here.window.page.transcript.model.rows if row.kind == "user")
    assert row.text == "Compare @a.py with @.env"
    assert row.mentions == given
