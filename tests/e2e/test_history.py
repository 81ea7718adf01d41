"""A person goes back in a chat, looks at what left, brings it back, forks, takes a message out, finds words."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox

from desktop.ui.chats.folds.rows import Row
from desktop.ui.chats.transcript.menu import entries
from desktop.ui.history.timeline import TimelinePanel
from tests.e2e.conftest import Desk
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

Start = Callable[[], Desk]


def row(desk: Desk, kind: str, text: str = "") -> Row:
    """The last row of a kind that holds a text."""
    rows = desk.window.page.transcript.model.rows
    return next(one for one in reversed(rows) if one.kind == kind and text in one.text)


def choose(desk: Desk, of: Row, name: str) -> None:
    """Pick an entry of a row's menu."""
    next(act for one, _, act in entries(desk.window.page.transcript, of) if one == name)()


def activate(desk: Desk, of: Row, name: str) -> None:
    """Press a button of a row."""
    assert desk.window.page.transcript.activate(of.key, name)


def lane(desk: Desk) -> Path:
    """Where the chat on screen works."""

    def found() -> list[str]:
        lane_id = desk.window.book.facts(desk.window.page.session_id).lane_id
        return [one.worktree_path for one in desk.window.book.lanes if one.id == lane_id]

    desk.until(lambda: bool(found()), what="the lane")
    return Path(found()[0])


def two_turns(start: Start, model_api: FakeModelApi) -> Desk:
    desk = start()
    model_api.script(text_turn("It is 41."))
    desk.send("What is the total?")
    desk.until(lambda: "It is 41." in desk.transcript_text())
    desk.idle()
    model_api.script(
        tool_turn("read_file", file_path="app.py"),
        tool_turn("edit_file", file_path="app.py", old_string="41", new_string="42"), text_turn("It is 42 now."),
    )  # fmt: skip
    desk.send("Make it 42")
    desk.until(lambda: "It is 42 now." in desk.transcript_text())
    desk.idle()
    return desk


def test_a_rewind_takes_messages_and_files_back_and_brings_both_back(start: Start, model_api: FakeModelApi) -> None:
    desk = two_turns(start, model_api)
    choose(desk, row(desk, "user", "Make it 42"), "rewind")
    desk.see("rewind_dialog")
    files = desk.see("rewind_files")
    assert isinstance(files, QCheckBox)
    files.setChecked(True)
    desk.click("rewind_go")
    desk.until(lambda: "2 rewound messages" in desk.transcript_text())
    assert "It is 42 now." not in desk.transcript_text()
    desk.until(lambda: "41" in (lane(desk) / "app.py").read_text())
    desk.until(lambda: "1 file put back" in desk.transcript_text())
    shown = row(desk, "rewound")
    activate(desk, shown, "rewound_toggle")
    assert "It is 42 now." in desk.transcript_text()
    activate(desk, row(desk, "rewound"), "bring_back")
    desk.click("bring_back_go")
    desk.until(lambda: "rewound message" not in desk.transcript_text() and "It is 42 now." in desk.transcript_text())
    desk.until(lambda: "42" in (lane(desk) / "app.py").read_text())
    desk.close()


def test_a_fork_from_a_row_opens_and_names_its_source(start: Start, model_api: FakeModelApi) -> None:
    desk = two_turns(start, model_api)
    source = desk.window.page.session_id
    choose(desk, row(desk, "assistant", "It is 41."), "fork")
    desk.until(lambda: desk.window.page.session_id not in ("", source), what="the fork")
    desk.until(lambda: "Forked from" in desk.transcript_text())
    text = desk.transcript_text()
    assert "It is 41." in text
    assert "It is 42 now." not in text
    assert "41" in (lane(desk) / "app.py").read_text()
    model_api.script(text_turn("Still 41 here."))
    desk.send("And here?")
    desk.until(lambda: "Still 41 here." in desk.transcript_text())
    desk.close()


def test_a_removed_message_no_longer_goes_to_the_model_until_it_is_put_back(
    start: Start, model_api: FakeModelApi
) -> None:
    desk = two_turns(start, model_api)
    choose(desk, row(desk, "user", "What is the total?"), "remove")
    desk.until(lambda: row(desk, "user", "What is the total?").muted)
    model_api.script(text_turn("First."))
    desk.send("Go on")
    desk.until(lambda: "First." in desk.transcript_text())
    desk.idle()
    assert "What is the total?" not in str(model_api.requests[-1].messages)
    activate(desk, row(desk, "user", "What is the total?"), "put_back")
    desk.until(lambda: not row(desk, "user", "What is the total?").muted)
    desk.close()


def test_an_earlier_message_is_edited_and_sent_from_there_and_the_former_draft_is_back(
    start: Start, model_api: FakeModelApi
) -> None:
    desk = two_turns(start, model_api)
    field = desk.window.page.composer.text
    field.setPlainText("a draft")
    choose(desk, row(desk, "user", "Make it 42"), "edit")
    desk.see("edit_bar")
    assert field.toPlainText() == "Make it 42"
    desk.click("edit_cancel")
    desk.gone("edit_bar")
    assert field.toPlainText() == "a draft"
    choose(desk, row(desk, "user", "Make it 42"), "edit")
    desk.see("edit_bar")
    field.setPlainText("Make it 43")
    model_api.script(text_turn("I would make it 43."))
    desk.click("composer_send")
    desk.until(lambda: "I would make it 43." in desk.transcript_text())
    desk.gone("edit_bar")
    text = desk.transcript_text()
    assert "2 rewound messages" in text
    assert "Make it 42" not in text
    assert "Make it 42" not in str(model_api.requests[-1].messages)
    desk.until(lambda: field.toPlainText() == "a draft")
    desk.close()


def test_a_checkpoint_is_taken_compared_and_put_back_in_the_timeline(start: Start, model_api: FakeModelApi) -> None:
    desk = two_turns(start, model_api)
    desk.window.page.tab_asked.emit("timeline")
    desk.see("timeline_list")
    panel = desk.see("timeline_panel")
    assert isinstance(panel, TimelinePanel)
    desk.until(lambda: bool(panel.model.rows), what="checkpoints")
    desk.click("timeline_new")
    name = desk.see("checkpoint_name")
    QTest.keyClicks(name, "as agreed")
    desk.click("checkpoint_go")
    desk.until(lambda: panel.row(0).title == "as agreed", what="the new checkpoint")
    (lane(desk) / "app.py").write_text("print('lost')\n")
    panel.select(0)
    desk.click("timeline_compare")
    desk.until(lambda: bool(panel.comparison.model.rows), what="the comparison")
    assert [row.title for row in panel.comparison.model.rows] == ["app.py"]
    desk.click("timeline_restore")
    desk.see("restore_file_list")
    desk.click("restore_go")
    desk.until(lambda: "42" in (lane(desk) / "app.py").read_text(), what="the file")
    desk.until(lambda: "1 file put back" in desk.transcript_text())
    started = next(at for at, one in enumerate(panel.model.rows) if one.title == "Before turn 1")
    panel.select(started)
    desk.click("timeline_rewind")
    desk.see("rewind_dialog")
    desk.click("rewind_go")
    desk.until(lambda: "4 rewound messages" in desk.transcript_text())
    assert "It is 41." not in desk.transcript_text()
    desk.close()


def test_words_are_found_in_the_whole_chat(start: Start, model_api: FakeModelApi) -> None:
    desk = two_turns(start, model_api)
    find = desk.window.page.row_actions.find
    QTest.keyClick(desk.window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(desk.see("find_text"), "41")
    desk.until(lambda: find.count.text() not in ("", "No matches"), what="matches")
    rows = desk.window.page.transcript.model.rows
    found = {desk.window.page.transcript.found_row}
    for _ in range(6):
        find.step(1)
        found.add(desk.window.page.transcript.found_row)
    kinds = {row.kind for row in rows if row.key in found}
    assert kinds == {"assistant", "calls"}
    desk.close()
