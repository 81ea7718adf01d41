"""The row of a sub-agent in the transcript of its chat: how far it is, and its own rows below it."""

import pytest

from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.core.work import Activity
from desktop.domain.events import (
    AssistantMessage,
    Event,
    SessionStarted,
    ToolCallDecided,
    ToolCallFinished,
    TurnStarted,
)
from desktop.domain.updates import ActivityChanged, SessionOpened, ToolProgress
from desktop.ui.chats.folds.children_below import MOST_ROWS
from desktop.ui.chats.folds.model import TranscriptModel
from desktop.ui.chats.folds.row_words import group_title
from desktop.ui.chats.folds.rows import Call, Child, Row, default_expanded
from desktop.ui.chats.transcript.painting.text_piece import DocumentPiece
from desktop.ui.chats.transcript.view import TranscriptView
from tests.ui.chats.test_children import Logs, begun, ended
from tests.ui.shell_samples import NOW


def opened_chat(logs: Logs, *more: Event) -> TranscriptModel:
    """A chat on screen that began one sub-agent."""
    decided = ToolCallDecided(
        call_id="c0", name_called="task", tool="task", verdict=Verdict.ALLOW, rule="mode", mode=PermissionMode.EDIT
    )
    model = TranscriptModel()
    model.open("parent")
    events = (SessionStarted(), TurnStarted(turn_id="t"), decided, begun(0), *more)
    model.hearing.take([SessionOpened(session_id="parent", envelopes=tuple(logs.say("parent", *events)))])
    return model


def the_child(model: TranscriptModel) -> Child:
    child = next(call.child for row in model.rows for call in row.calls)
    assert child is not None
    return child


def progress(tail: str, elapsed_ms: int = 0) -> ToolProgress:
    return ToolProgress(session_id="parent", call_id="c0", tail=tail, output_bytes=0, elapsed_ms=elapsed_ms)


@pytest.mark.promise("memory-SU12")
def test_the_row_of_a_child_says_how_far_it_is_and_what_it_came_to() -> None:
    logs = Logs()
    model = opened_chat(logs)
    assert (the_child(model).state, the_child(model).figure) == ("running", "")
    model.hearing.take([progress("waits for room")])
    assert (the_child(model).state, the_child(model).figure) == ("queued", "waits for room")
    model.hearing.take([progress("3 steps · 900 tokens\nSearch token", 12_000)])
    told = the_child(model)
    assert (told.state, told.figure, told.now) == ("running", "3 steps · 900 tokens · 12 s", "Search token")
    model.hearing.take([progress("waiting for you · 3 steps · 900 tokens\nRun make", 13_000)])
    assert the_child(model).state == "waiting"
    finished = ToolCallFinished(call_id="c0", outcome="ok", content="t1 done")
    model.hearing.take(list(logs.say("parent", ended(0).model_copy(update={"files_changed": 2}), finished)))
    told = the_child(model)
    assert (told.state, told.figure, told.now) == ("completed", "6 steps · 12k tokens · 41 s · 2 files", "")
    model.hearing.take([progress("7 steps")])
    assert the_child(model) == told, "what comes late changes nothing"


def test_the_line_of_the_chat_says_that_a_child_waits_for_room() -> None:
    model = opened_chat(Logs())
    title = next(call.title for row in model.rows for call in row.calls)
    model.hearing.take([ActivityChanged(session_id="parent", activity=Activity.RUNNING, detail=title, since=NOW)])
    assert model.live_line == f"Running {title}"
    model.hearing.take([progress("waits for room")])
    assert model.live_line == f"{title} · waits for room"
    model.hearing.take([progress("1 step · 9 tokens")])
    assert model.live_line == f"Running {title}"


def test_a_child_in_the_background_is_shown_after_its_call_ended_and_when_it_goes_on() -> None:
    logs = Logs()
    finished = ToolCallFinished(call_id="c0", outcome="ok", content="Task t1 runs.")
    model = opened_chat(logs, finished)
    model.hearing.take([progress("1 step · 9 tokens", 2_000)])
    assert the_child(model).figure == "1 step · 9 tokens · 2.0 s"
    stopped = ended(0).model_copy(update={"outcome": "stopped"})
    model.hearing.take(list(logs.say("parent", stopped)))
    assert the_child(model).figure == "stopped · 6 steps · 12k tokens · 41 s"
    model.hearing.take(list(logs.say("parent", begun(0).model_copy(update={"again": True}))))
    assert the_child(model).state == "running"


@pytest.mark.promise("memory-SU12")
def test_the_rows_of_a_child_are_shown_once_they_are_asked_for_and_follow_it() -> None:
    logs = Logs()
    model = opened_chat(logs)
    above = SessionStarted(kind="subagent", parent_session_id="parent")
    said = [AssistantMessage(parts=({"type": "text", "text": f"word {number}"},)) for number in range(250)]
    entries = tuple(logs.say("child0", above, *said))
    model.hearing.take([SessionOpened(session_id="child0", envelopes=entries)])
    assert the_child(model).below is None, "nobody asked for them"
    assert model.below.follow("child0")
    assert not model.below.follow("child0")
    model.hearing.take([SessionOpened(session_id="child0", envelopes=entries)])
    below = the_child(model).below
    assert below is not None
    assert len(below) == MOST_ROWS
    assert the_child(model).earlier
    assert below[-1].text == "word 249"
    model.hearing.take(list(logs.say("child0", AssistantMessage(parts=({"type": "text", "text": "newest"},)))))
    below = the_child(model).below
    assert below is not None
    assert below[-1].text == "newest"
    assert [row.kind for row in model.rows] == ["calls", "interrupted"], "they are no rows of the chat above"


def test_what_a_child_did_is_opened_in_its_row_and_leads_to_its_page(qtbot) -> None:
    logs = Logs()
    view = TranscriptView()
    qtbot.addWidget(view)
    view.resize(800, 600)
    view.show()
    view.model.open("parent")
    decided = ToolCallDecided(
        call_id="c0", name_called="task", tool="task", verdict=Verdict.ALLOW, rule="mode", mode=PermissionMode.EDIT
    )
    events = (SessionStarted(), TurnStarted(turn_id="t"), decided, begun(0))
    view.hearing.take([SessionOpened(session_id="parent", envelopes=tuple(logs.say("parent", *events)))])
    row = view.model.rows[0].key
    asked: list[str] = []
    view.row_action.connect(lambda _key, action: asked.append(action))
    assert view.activate(row, "row_toggle")
    assert asked == ["follow_child:child0"]
    for name in ("open_child:child0", "stop_child:child0"):
        assert view.target(row, name) is not None
        assert view.activate(row, name)
    assert asked[1:] == ["open_child:child0", "stop_child:child0"]
    view.model.below.follow("child0")
    said = AssistantMessage(parts=({"type": "text", "text": "seen in app.py"},))
    above = SessionStarted(kind="subagent", parent_session_id="parent")
    view.hearing.take([SessionOpened(session_id="child0", envelopes=tuple(logs.say("child0", above, said)))])
    pieces = view.layouts.layout_of(0).pieces
    assert any(isinstance(one, DocumentPiece) and "seen in app.py" in one.document.toPlainText() for one in pieces)
    assert view.target(row, "follow_child:child0") is None


def test_a_group_of_children_says_how_many_are_how_far() -> None:
    calls = [
        Call(f"c{number}", "explorer: look", child=Child(f"child{number}", state))
        for number, state in enumerate(("running", "waiting", "queued", "completed", "failed"))
    ]
    row = Row("r", "calls", 0, calls=(*calls, Call("c9", "explorer: look")))
    assert group_title(row) == "6 sub-agents · 1 waiting for you · 1 running · 2 not begun · 2 ended"
    assert default_expanded(row, "row")
