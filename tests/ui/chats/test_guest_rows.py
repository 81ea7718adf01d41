"""Rows of calls of other agents: below the call that they are part of, with what really held them."""

import pytest

from desktop.domain.core.content import Card
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import SessionStarted, ToolCallDecided, TurnStarted
from desktop.domain.guests.events import GuestNoticed
from desktop.domain.updates import SessionOpened
from desktop.ui.chats.folds.decisions import decision_sentence, held_sentence
from desktop.ui.chats.folds.model import TranscriptModel
from desktop.ui.chats.folds.rows import Call
from desktop.ui.chats.transcript.painting.pieces import LinePiece
from desktop.ui.chats.transcript.painting.text_piece import DocumentPiece
from desktop.ui.chats.transcript.view import TranscriptView
from tests.ui.chats.test_children import Logs


def decided(call_id: str, part_of: str = "", verdict: Verdict = Verdict.ALLOW, **more: object) -> ToolCallDecided:
    return ToolCallDecided(
        call_id=call_id,
        name_called=call_id,
        tool="bash",
        verdict=verdict,
        rule="mode",
        mode=PermissionMode.EDIT,
        part_of=part_of,
        **more,
    )


def shown(*events: ToolCallDecided | GuestNoticed, view: TranscriptView | None = None) -> TranscriptModel:
    model = TranscriptModel() if view is None else view.model
    model.open("chat")
    card = lambda one: {"card": Card(title=one.call_id)} if isinstance(one, ToolCallDecided) else {}  # noqa: E731
    titled = (one.model_copy(update=card(one)) for one in events)
    told = Logs().say("chat", SessionStarted(), TurnStarted(turn_id="t"), *titled)
    model.hearing.take([SessionOpened(session_id="chat", envelopes=tuple(told))])
    return model


def calls(model: TranscriptModel) -> list[Call]:
    return [call for row in model.rows for call in row.calls]


@pytest.mark.promise("guests-A33")
def test_parts_of_a_call_stand_below_it_four_deep_at_most() -> None:
    chain = [decided(str(n), str(n - 1)) for n in range(1, 7)]
    model = shown(decided("0"), decided("b"), *chain, decided("b1", "b"), decided("a1", "0"), decided("x", "nowhere"))
    assert [(one.title, one.depth) for one in calls(model)] == [
        *zip(map(str, range(7)), (0, 1, 2, 3, 4, 4, 4), strict=True),
        ("a1", 1),
        ("b", 0),
        ("b1", 1),
        ("x", 0),
    ]


@pytest.mark.promise("guests-A33")
def test_a_part_is_drawn_to_the_right_of_what_it_is_part_of(qtbot) -> None:
    view = TranscriptView()
    qtbot.addWidget(view)
    view.resize(600, 400)
    view.show()
    model = shown(decided("0"), decided("1", "0"), view=view)
    index = next(at for at, row in enumerate(model.rows) if row.calls)
    layout = view.layouts.layout_of(index)
    lines = [piece for piece in layout.pieces if isinstance(piece, LinePiece)]
    above, below = (next(one for one in lines if one.title == title) for title in "01")
    assert below.x > above.x
    assert below.x + below.width == above.x + above.width


@pytest.mark.promise("guests-A21")
def test_of_a_call_that_was_asked_about_twice_the_stricter_judgement_stands() -> None:
    model = shown(
        decided("1", verdict=Verdict.ASK, reason="It may write."), decided("2", supersedes="1", reason="It reads.")
    )
    assert [(one.verdict, one.why) for one in calls(model)] == [(Verdict.ASK, "It may write.")] * 2
    model = shown(decided("1"), decided("2", verdict=Verdict.ASK, supersedes="1", reason="It may write."))
    assert [one.verdict for one in calls(model)] == [Verdict.ALLOW, Verdict.ASK]


@pytest.mark.promise("guests-A41")
def test_each_row_says_what_really_held_the_call() -> None:
    held = [held_sentence(Call("1", "x", held_by=by)) for by in ("gate", "guest", "sandbox", "none", "")]
    assert [sentence.partition(":")[0] for sentence in held] == [
        "Held by the gate",
        "Held by the agent",
        "Held by the sandbox alone",
        "No call of the agent says so. It did this, or you or another program did meanwhile.",
        "",
    ]
    assert "is its word" in held[1]


@pytest.mark.promise("guests-A40")
def test_what_changed_without_a_reported_call_is_one_row_and_no_more() -> None:
    found = {"kind": "unexplained_change", "text": "Changed without a reported call: app.py."}
    model = shown(
        decided("1", held_by="none", reason="Edit mode allows changes to files."),
        GuestNoticed(**found, data={"call_id": "1", "files": ["app.py"]}),
    )
    assert [row.kind for row in model.rows if row.kind != "interrupted"] == ["calls"]
    assert decision_sentence(calls(model)[0]) == ""
    model = shown(GuestNoticed(**found))
    assert (model.rows[0].kind, model.rows[0].level) == ("notice", "warning")


def test_a_warning_is_there_as_a_whole_and_other_long_lines_open(qtbot) -> None:
    view = TranscriptView()
    qtbot.addWidget(view)
    view.resize(500, 400)
    text = "Fake Agent ran this without asking. Banksman would have asked. No rule covers this command."
    model = shown(GuestNoticed(kind="unasked", text=text), GuestNoticed(kind="version", text=text), view=view)
    view.show()
    warning, told = (view.layouts.layout_of(index) for index in range(2))
    assert [row.level for row in model.rows[:2]] == ["warning", "info"]
    (piece,) = (piece for piece in warning.pieces if isinstance(piece, DocumentPiece))
    assert piece.document.toPlainText() == text
    assert [hit.name for hit in warning.hits] == []
    assert [hit.name for hit in told.hits] == ["row_toggle"]
