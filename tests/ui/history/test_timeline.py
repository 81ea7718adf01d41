"""The Timeline tab: what it lists, compares and asks for."""

from datetime import timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QListView, QPushButton

from desktop.domain.chats.updates import CheckpointInfo, CheckpointMark, CheckpointsCompared, CheckpointsListed
from desktop.domain.core.checkpoint_events import CheckpointMade
from desktop.domain.core.work import ChangedFile
from desktop.domain.reports.events import EvidenceRecorded
from desktop.domain.updates import CommandFailed, SessionOpened
from desktop.ui.changes.diff.view import DiffView
from desktop.ui.history.timeline import EMPTY, TimelinePanel
from tests.ui.shell_samples import IDLE, NOW, begun, chat_window, envelopes, find, said

CHAT = IDLE.session_id


def info(n: int, reason: str = "call", **changes: object) -> CheckpointInfo:
    fields = {"checkpoint_id": f"ckp_{n}", "at": NOW - timedelta(minutes=10 - n), "reason": reason, "session_id": CHAT,
              "event_id": f"evt_{n}", "changed": n}  # fmt: skip
    return CheckpointInfo.model_validate({**fields, **changes})


LISTED = (
    info(4, "manual", name="as agreed\u202e"), info(3, "turn_end", turn=2),
    info(2, call_title="Run pytest", turn=2, partial="one file is too large"),
    info(1, "turn_start", turn=1, session_id="ses_other"),
)  # fmt: skip


@pytest.fixture
def window(qtbot, tmp_path, sink):
    return chat_window(qtbot, tmp_path, sink)


@pytest.fixture
def panel(window, sink, qtbot):
    window.apply_updates([SessionOpened(session_id=CHAT, envelopes=tuple(envelopes(CHAT, begun(), said("go"))))])
    window.page.tab_asked.emit("timeline")
    qtbot.waitUntil(lambda: "load_checkpoints" in sink.kinds())
    window.apply_updates([CheckpointsListed(session_id=CHAT, checkpoints=LISTED)])
    return find(window, "timeline_panel", TimelinePanel)


def button(panel, name):
    return find(panel, f"timeline_{name}", QAbstractButton)


def test_checkpoints_are_named_by_what_they_were_taken_for(panel):
    assert [row.title for row in panel.model.rows] == [
        "as agreed⟦U+202E⟧", "After turn 2", "Before: Run pytest", "Before turn 1",
    ]  # fmt: skip
    assert panel.model.rows[2].detail.endswith("turn 2 · 2 files · partial")
    assert find(panel, "timeline_figure", QLabel).text() == "4 checkpoints"


def test_what_was_proved_of_a_checkpoint_is_marked_and_told_and_follows_new_evidence(panel, window, sink):
    marks = (
        CheckpointMark(kind="passed", text="pytest -q (120 passed)"),
        CheckpointMark(kind="failed", text="make\u202e"),
    )
    window.apply_updates([CheckpointsListed(session_id=CHAT, checkpoints=(info(2, marks=marks), info(1)))])
    marked, plain = (panel.model.index(at, 0) for at in (0, 1))
    words = "Passed: pytest -q (120 passed)", "Failed: make⟦U+202E⟧"
    assert marked.data(Qt.ItemDataRole.AccessibleTextRole).endswith(", ".join(words))
    assert marked.data(Qt.ItemDataRole.ToolTipRole).splitlines()[-2:] == list(words)
    view = find(panel, "timeline_list", QListView)
    taken = [view.itemDelegate().reserved(index) for index in (marked, plain)]
    assert taken[0] > 0 == taken[1]
    asked = sink.kinds().count("load_checkpoints")
    run = EvidenceRecorded(evidence_id="ev_1", started_at=NOW)
    window.apply_updates(envelopes(CHAT, run, first=2))
    assert sink.kinds().count("load_checkpoints") == asked + 1


def test_buttons_follow_what_is_chosen(panel):
    assert not any(button(panel, name).isEnabled() for name in ("compare", "restore", "rewind", "fork"))
    panel.select(1)
    assert all(button(panel, name).isEnabled() for name in ("compare", "restore", "rewind", "fork"))
    panel.select(3)
    assert not button(panel, "rewind").isEnabled()
    assert button(panel, "rewind").toolTip() == "This checkpoint was taken by another chat."
    panel.select(0, 2)
    assert (button(panel, "compare").text(), button(panel, "restore").isEnabled()) == ("Compare two", False)


def test_what_could_not_be_done_with_a_checkpoint_is_told(panel, window, sink):
    panel.select(0, 2)
    button(panel, "compare").click()
    text = "The checkpoint is gone."
    window.apply_updates([CommandFailed(command_id=sink.last().command_id, code="gone", text=text)])
    assert [note.text.text() for note in window.notes.area.toasts] == [text]


def test_two_are_compared_older_first_and_an_answer_about_others_is_not_shown(panel, window, sink):
    panel.select(0, 2)
    button(panel, "compare").click()
    assert (sink.last().checkpoint_id, sink.last().other) == ("ckp_2", "ckp_4")
    file = ChangedFile(path="app.py", status="modified", added=1, removed=1, unified="@@ -1 +1 @@\n-a\n+b\n")
    window.apply_updates([CheckpointsCompared(session_id=CHAT, checkpoint_id="ckp_1", other="", files=(file,))])
    assert not panel.comparison.model.rows
    window.apply_updates([CheckpointsCompared(session_id=CHAT, checkpoint_id="ckp_2", other="ckp_4", files=(file,))])
    said_words = find(panel, "comparison_said", QLabel).text()
    assert said_words == "Before: Run pytest → as agreed⟦U+202E⟧: 1 file +1 −1"
    (hunk,) = find(panel, "comparison_diff", DiffView).diff.hunks
    assert [(line.kind, line.text) for line in hunk.lines] == [("-", "a"), ("+", "b")]


def test_putting_back_and_rewinding_are_asked_for_by_the_chosen_one(panel, window, sink):
    panel.select(2)
    button(panel, "restore").click()
    assert (sink.last().type, sink.last().checkpoint_id) == ("compare_checkpoints", "ckp_2")
    button(panel, "rewind").click()
    assert find(window, "toast").accessibleName().startswith("This part of the chat is not loaded yet.")


def test_a_lane_from_here_is_a_fork_at_the_checkpoint(panel, sink):
    panel.select(3)
    assert not button(panel, "fork").isEnabled()
    panel.select(2)
    button(panel, "fork").click()
    assert (sink.last().type, sink.last().at_event_id, sink.last().lane_from) == ("fork_session", "evt_2", "checkpoint")


def test_one_file_is_put_back_alone_and_only_beside_the_files_of_now(panel, window, sink):
    file = ChangedFile(path="new.py", old_path="app.py", status="renamed", unified="@@ -1 +1 @@\n-a\n+b\n")
    back = panel.findChild(QPushButton, "comparison_put_back")
    panel.select(2)
    button(panel, "compare").click()
    window.apply_updates([CheckpointsCompared(session_id=CHAT, checkpoint_id="ckp_2", other="", files=(file,))])
    assert back.isVisible()
    back.click()
    sent = sink.last()
    assert (sent.type, sent.checkpoint_id, sent.paths) == ("restore_checkpoint", "ckp_2", ("new.py", "app.py"))
    panel.select(0, 2)
    button(panel, "compare").click()
    window.apply_updates([CheckpointsCompared(session_id=CHAT, checkpoint_id="ckp_2", other="ckp_4", files=(file,))])
    assert not back.isVisible()


def test_a_new_one_gets_a_name_and_the_list_is_loaded_again_when_one_was_made(panel, window, sink, qtbot):
    button(panel, "new").click()
    find(window, "checkpoint_name", QLineEdit).setText(" before the merge ")
    find(window, "checkpoint_go").click()
    assert (sink.last().type, sink.last().name) == ("make_checkpoint", "before the merge")
    window.apply_updates(envelopes(CHAT, CheckpointMade(checkpoint_id="ckp_5"), first=2))
    assert sink.last().type == "load_checkpoints"


def test_an_empty_list_and_a_problem_are_said(panel, window):
    window.apply_updates([CheckpointsListed(session_id=CHAT, checkpoints=())])
    assert EMPTY in [label.text() for label in panel.findChildren(QLabel)]
    window.apply_updates([CheckpointsListed(session_id=CHAT, checkpoints=(), problem="The lane is gone.")])
    assert "The lane is gone." in [label.text() for label in panel.findChildren(QLabel)]
    assert not button(panel, "new").isEnabled()
