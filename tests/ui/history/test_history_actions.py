"""What a row's menu and buttons ask of a chat's history: dialogs, commands, toasts."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QLabel, QPlainTextEdit, QWidget

from desktop.config.settings import Settings
from desktop.domain.chats.queue_events import Limits
from desktop.domain.chats.updates import CheckpointsCompared, LeavingEffect, RewindPreviewed
from desktop.domain.context.events import Rewound
from desktop.domain.core.event_base import EventBase
from desktop.domain.core.ids import new_command_id
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.core.work import ChangedFile
from desktop.domain.events import (
    AssistantMessage,
    InputRequested,
    InputResolved,
    SessionResumed,
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
    TurnEnded,
    TurnStarted,
)
from desktop.domain.gate.pending import Answer
from desktop.domain.updates import CommandFailed, SessionOpened, SettingsChanged
from desktop.ui.chats.transcript.menu import entries
from tests.ui import shell_samples
from tests.ui.card_scenes import approval
from tests.ui.shell_samples import IDLE, begun, chat_window, envelopes, said

CHAT = IDLE.session_id
FILES = (
    ChangedFile(path="app.py", status="modified", added=1, removed=2),
    ChangedFile(path="notes\u202e.md", status="deleted", added=4),
)


def answered(text: str) -> AssistantMessage:
    return AssistantMessage(message_id=f"msg_{text}", parts=({"type": "text", "text": text},), turn_id="trn_1")


def called(state: str = "") -> list[EventBase]:
    """A command; `state` finished: with its result."""
    decided = ToolCallDecided(
        call_id="c1", name_called="bash", verdict=Verdict.ALLOW, rule="r", mode=PermissionMode.EDIT, category="bash"
    )
    events: list[EventBase] = [decided, ToolCallStarted(call_id="c1", tool="bash")]
    return [*events, ToolCallFinished(call_id="c1", outcome="ok", content="out")] if state else events


@pytest.fixture
def window(qtbot, tmp_path, sink):
    return chat_window(qtbot, tmp_path, sink)


def shows(window, *events):
    """The chat with these events after its begin; the window's rows."""
    log = envelopes(CHAT, begun(), TurnStarted(turn_id="trn_1"), said("Explain it"), *events)
    window.apply_updates([SessionOpened(session_id=CHAT, envelopes=tuple(log))])
    return window.page.transcript.model.rows, log


def ended(status="completed", **more):
    return TurnEnded.model_validate({"turn_id": "trn_1", "status": status, **more})


def find(root, name, kind=QWidget):
    """The widget of that name that can be seen; a dialog that was closed just now cannot."""
    seen = next((w for w in root.findChildren(kind, name) if w.isVisible()), None)
    return seen or shell_samples.find(root, name, kind)


def titles(window, row, call_id=""):
    return {name: title for name, title, _ in entries(window.page.transcript, row, call_id)}


def choose(window, row, name, call_id=""):
    act = next(act for one, _, act in entries(window.page.transcript, row, call_id) if one == name)
    act()


def words(widget):
    return [label.text() for label in widget.findChildren(QLabel)]


def press(qtbot, widget, name):
    qtbot.mouseClick(find(widget, name), Qt.MouseButton.LeftButton)


def test_the_menu_of_a_message_leads_to_before_it_and_that_of_the_answer_to_the_end_of_the_turn(window, sink):
    rows, log = shows(window, answered("Because."), ended())
    user, answer = (next(row for row in rows if row.kind == kind) for kind in ("user", "assistant"))
    assert titles(window, user)["rewind"] == "Rewind to before this message…"
    assert titles(window, answer)["rewind"] == "Rewind to here…"
    assert "edit" not in titles(window, answer)
    choose(window, user, "rewind")
    assert (sink.last().type, sink.last().to_event_id) == ("preview_rewind", log[0].event_id)
    choose(window, answer, "rewind")
    assert sink.last().to_event_id == log[-1].event_id
    choose(window, answer, "fork")
    assert (sink.last().type, sink.last().at_event_id) == ("fork_session", log[-1].event_id)
    choose(window, user, "fork")
    assert sink.last().at_event_id == log[2].event_id


def test_a_row_that_is_being_written_offers_none_of_it(window):
    rows, _ = shows(window, *called())
    assert not {"fork", "rewind", "remove"} & set(titles(window, rows[-1], "c1"))


def test_a_fork_without_a_checkpoint_asks_for_head_and_then_for_no_lane(window, sink, qtbot):
    rows, _ = shows(window, answered("Because."), ended())
    choose(window, rows[-1], "fork")
    for code, next_one in (("no_checkpoint", "head"), ("no_lane", "none")):
        window.apply_updates([CommandFailed(command_id=sink.last().command_id, code=code, text="Not there.")])
        press(qtbot, find(window, "fork_dialog"), "fork_go")
        assert sink.last().lane_from == next_one
    window.apply_updates([CommandFailed(command_id=sink.last().command_id, code="session_exists", text="It exists.")])
    assert find(window, "toast").accessibleName() == "It exists."


def previewed(log, **changes):
    place = {"session_id": CHAT, "to_event_id": log[0].event_id}
    fields = {"command_id": new_command_id(), **place, "turns": 1, "messages": 2}
    return RewindPreviewed.model_validate({**fields, **changes})


def asked(window, sink, log, **changes):
    choose(window, window.page.transcript.model.rows[0], "rewind")
    window.apply_updates([previewed(log, **{"command_id": sink.last().command_id, **changes})])
    return find(window, "rewind_dialog")


@pytest.mark.promise("sessions-SF6")
def test_the_rewind_dialog_says_what_leaves_and_cancel_has_the_focus(window, sink, qtbot):
    _, log = shows(window, answered("Because."), ended())
    sent = len(sink.sent)
    dialog = asked(window, sink, log, checkpoint_id="ckp_1", files=FILES, outside=("app.py",),
                   not_undone=(LeavingEffect(event_id=log[3].event_id, title="Run <b>SQL</b> on\u202e staging"),),
                   commits=("1a2b3c Fix it",))  # fmt: skip
    assert "Rewind to before this message?" in words(dialog)
    assert any(text.startswith("1 turn and 2 messages leave the conversation.") for text in words(dialog))
    assert "Commits made since stay:\n1a2b3c Fix it" in words(dialog)
    assert find(dialog, "rewind_files", QCheckBox).text() == "Also put files back to that point (2 files)"
    assert not find(dialog, "rewind_files", QCheckBox).isChecked()
    listed = find(dialog, "rewind_file_list", QPlainTextEdit).toPlainText()
    assert listed.splitlines()[0] == "app.py is changed  +1 −2  not the agent’s work"
    assert "notes⟦U+202E⟧.md is deleted" in listed
    assert find(dialog, "rewind_outside").text().startswith("Some were not changed by the agent")
    assert find(dialog, "rewind_effect_1").text() == "Run <b>SQL</b> on⟦U+202E⟧ staging"
    assert dialog.focusWidget() is dialog.stay
    press(qtbot, dialog, "rewind_cancel")
    assert sink.kinds()[sent:] == ["preview_rewind"]


@pytest.mark.parametrize("files", [False, True])
def test_agreeing_rewinds_and_a_toast_offers_to_undo_it(window, sink, qtbot, files):
    _, log = shows(window, answered("Because."), ended())
    dialog = asked(window, sink, log, checkpoint_id="ckp_1", files=FILES)
    find(dialog, "rewind_files", QCheckBox).setChecked(files)
    press(qtbot, dialog, "rewind_go")
    assert (sink.last().type, sink.last().restore_files) == ("rewind_session", files)
    gone = Rewound(
        to_event_id=log[0].event_id, abandoned_head_id=log[-1].event_id, checkpoint_id="ckp_2" if files else ""
    )
    window.apply_updates(envelopes(CHAT, gone, first=len(log)))
    assert [row.text for row in window.page.transcript.model.rows] == ["2 rewound messages"]
    assert 5_000 < find(window, "toast").goes_in_ms() <= 10_500
    press(qtbot, find(window, "toast"), "toast_action")
    assert (sink.last().type, sink.last().restore_files) == ("undo_rewind", files)


def test_rewound_rows_open_by_a_click_and_are_brought_back_after_a_question_about_files(window, sink, qtbot):
    _, log = shows(window, answered("Because."), ended())
    gone = Rewound(to_event_id=log[0].event_id, abandoned_head_id=log[-1].event_id, checkpoint_id="ckp_2")
    [rewound] = envelopes(CHAT, gone, first=len(log))
    window.apply_updates([rewound])
    view = window.page.transcript
    key = view.model.rows[0].key
    assert view.activate(key, "rewound_toggle")
    assert [row.text for row in view.model.rows][1:3] == ["Explain it", "Because."]
    assert "rewind" not in titles(window, view.model.rows[1])
    assert view.activate(key, "rewound_toggle")
    assert len(view.model.rows) == 1
    assert view.activate(key, "bring_back")
    dialog = find(window, "bring_back_dialog")
    find(dialog, "bring_back_files", QCheckBox).setChecked(False)
    press(qtbot, dialog, "bring_back_go")
    sent = sink.last()
    assert (sent.type, sent.rewound_event_id, sent.restore_files) == ("undo_rewind", rewound.event_id, False)


def test_a_result_is_removed_after_a_question_and_put_back_from_its_row(window, sink, qtbot):
    rows, log = shows(window, *called("finished"), answered("Done."), ended())
    call = next(row for row in rows if row.kind == "calls")
    choose(window, call, "remove", "c1")
    press(qtbot, find(window, "remove_dialog"), "remove_go")
    assert (sink.last().type, sink.last().target_id) == ("remove_from_context", log[5].event_id)
    answer = next(row for row in rows if row.kind == "assistant")
    choose(window, answer, "remove")
    assert sink.last().target_id == answer.event_id


def test_a_limit_of_steps_goes_on_with_fifty_and_a_budget_asks_how_much(window, sink, qtbot):
    rows, _ = shows(window, answered("So far."), ended("limit", reason="steps", detail="Stopped at the limit."))
    row = next(row for row in rows if row.kind == "error")
    assert [label for _, label in row.actions] == ["Go on with 50 more steps", "Stop here"]
    view = window.page.transcript
    assert view.activate(row.key, "more_steps")
    assert (sink.last().type, sink.last().limits.steps) == ("raise_limits", 50)
    assert view.activate(row.key, "stop_here")
    assert not view.model.rows[view.model.index_of(row.key)].actions


def test_a_budget_is_raised_in_a_dialog(window, sink, qtbot):
    rows, _ = shows(window, answered("So far."), ended("limit", reason="chat_cost", detail="$1.00 for this chat"))
    window.apply_updates([SettingsChanged(settings=Settings(limits=Limits(chat_microusd=1_000_000)))])
    row = next(row for row in rows if row.kind == "error")
    assert row.text == "Stopped at the limit of $1.00 for this chat. The task may be unfinished."
    assert window.page.transcript.activate(row.key, "raise_limit")
    dialog = find(window, "limit_dialog")
    assert find(dialog, "limit_value", QDoubleSpinBox).value() == 2
    find(dialog, "limit_value", QDoubleSpinBox).setValue(3.5)
    press(qtbot, dialog, "limit_go")
    assert sink.last().limits.chat_microusd == 3_500_000


def test_a_call_that_nobody_saw_the_end_of_is_asked_about_until_it_is_settled(window, sink):
    rows, log = shows(window, *called(), ended("interrupted", reason="restart"))
    row = next(row for row in rows if row.kind == "interrupted")
    assert row.text == "Banksman closed while this turn was running. Outcome unknown: bash."
    assert [label for _, label in row.actions] == ["Run it again", "It took effect", "Continue", "Leave it"]
    view = window.page.transcript
    assert view.activate(row.key, "took_effect:c1")
    assert (sink.last().type, sink.last().call_id, sink.last().how) == ("resolve_unknown_call", "c1", "took_effect")
    done = ToolCallFinished(call_id="c1", outcome="ok", content="The user confirmed that this call took effect.")
    window.apply_updates(envelopes(CHAT, done, first=len(log)))
    row = view.model.rows[view.model.index_of(row.key)]
    assert [label for _, label in row.actions] == ["Continue", "Leave it"]


def test_where_a_card_offers_to_go_on_the_row_does_not(window, sink):
    asks = approval()
    waited = InputRequested(input_id="inp_1", call_id=asks.call_id, request=asks)
    closed = InputResolved(input_id="inp_1", answer=Answer(outcome="cancelled"), reason="restart")
    over = ended("interrupted", reason="restart")
    rows, log = shows(window, *called(), waited, closed, over)
    find(window, "interrupted_continue")
    row = next(row for row in rows if row.kind == "interrupted")
    assert [label for _, label in row.actions] == ["Run it again", "It took effect"]
    view = window.page.transcript
    view.activate(row.key, "run_again:c1")
    again = SessionResumed(unfinished_turn_id="trn_1")
    later = envelopes(
        CHAT, again, TurnStarted(turn_id="trn_2"), ended("interrupted", turn_id="trn_2", reason="restart")
    )
    window.apply_updates(
        [one.model_copy(update={"seq": one.seq + len(log), "event_id": f"later_{one.seq}"}) for one in later]
    )
    last = [row for row in view.model.rows if row.kind == "interrupted"][-1]
    assert [label for _, label in last.actions] == ["Continue", "Leave it"]


def test_files_are_put_back_after_a_look_at_what_changes(window, sink, qtbot):
    shows(window)
    window.page.row_actions.history.ask_restore("ckp_1")
    assert sink.last().type == "compare_checkpoints"
    window.apply_updates([CheckpointsCompared(session_id=CHAT, checkpoint_id="ckp_1", other="", files=FILES)])
    dialog = find(window, "restore_dialog")
    assert "Put 2 files back?" in words(dialog)
    assert find(dialog, "restore_file_list", QPlainTextEdit).toPlainText().startswith("app.py is changed  +2 −1")
    press(qtbot, dialog, "restore_go")
    assert (sink.last().type, sink.last().checkpoint_id) == ("restore_checkpoint", "ckp_1")
    window.page.row_actions.history.ask_restore("ckp_1")
    window.apply_updates([CheckpointsCompared(session_id=CHAT, checkpoint_id="ckp_1", other="", files=())])
    assert not find(find(window, "restore_dialog"), "restore_go").isEnabled()
