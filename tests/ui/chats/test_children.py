"""The sub-agents of a chat in its window: their cards in the tray, the chips of the header, the menu."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from PySide6.QtWidgets import QMenu, QWidget

from desktop.domain.children.events import ChildBegun, ChildEnded
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.core.usage import Usage
from desktop.domain.events import (
    Envelope,
    Event,
    InputRequested,
    InputResolved,
    SessionStarted,
    TitleChanged,
    ToolCallDecided,
    TurnStarted,
    UserMessage,
)
from desktop.domain.gate.pending import Answer
from desktop.domain.updates import SessionOpened
from desktop.ui.chats.book import ChatBook
from desktop.ui.chats.children import MOST_SHOWN, show_children
from desktop.ui.chats.folds.model import TranscriptModel
from desktop.ui.chats.header_chips import chips_of
from desktop.ui.gate.pending_model import PendingModel
from tests.ui.card_scenes import approval

AT = datetime(2026, 1, 5, 14, 2, tzinfo=UTC)


class Logs:
    """Envelopes of several chats, numbered in each."""

    def __init__(self) -> None:
        self._seqs: dict[str, int] = {}

    def say(self, session_id: str, *events: Event) -> list[Envelope]:
        said = []
        for event in events:
            seq = self._seqs.get(session_id, -1) + 1
            self._seqs[session_id] = seq
            said.append(
                Envelope(
                    event_id=f"{session_id}-{seq}", session_id=session_id, seq=seq, parent_id=None, at=AT, event=event
                )
            )
        return said

    def family(self, children: int) -> Iterator[Envelope]:
        """A chat that began so many children, of which the first four run and the fifth waits for room."""
        yield from self.say("parent", SessionStarted(), TitleChanged(title="Mend it"), TurnStarted(turn_id="t"))
        for number in range(children):
            yield from self.say("parent", begun(number))
            if number < 4:
                started = SessionStarted(kind="subagent", parent_session_id="parent", depth=1)
                yield from self.say(f"child{number}", started, TitleChanged(title=f"look {number}"))
                yield from self.say(f"child{number}", TurnStarted(turn_id=f"t{number}"))
            elif number > 4:
                yield from self.say("parent", ended(number))


def begun(number: int) -> ChildBegun:
    task_id = f"t{number + 1}"
    return ChildBegun(
        child_id=f"child{number}", task_id=task_id, call_id=f"c{number}", agent="explorer", description=f"look {number}"
    )


def ended(number: int) -> ChildEnded:
    used = Usage(input=11_000, output=1_000)
    return ChildEnded(
        child_id=f"child{number}",
        task_id=f"t{number + 1}",
        call_id=f"c{number}",
        outcome="completed",
        steps=6,
        usage=used,
        duration_ms=41_000,
    )


def asks(input_id: str) -> InputRequested:
    return InputRequested(input_id=input_id, call_id="c", request=approval())


@pytest.mark.promise("memory-SU8")
def test_a_card_of_a_child_stands_in_the_tray_of_its_chat_until_it_is_answered(qtbot) -> None:
    logs, model = Logs(), PendingModel()
    model.show_session("parent")
    model.apply([*logs.family(2), *logs.say("parent", asks("own")), *logs.say("child1", asks("below"))])
    assert [(item.input_id, item.session_id) for item in model.inputs()] == [("own", "parent"), ("below", "child1")]
    with qtbot.waitSignal(model.resolved) as left:
        model.apply(logs.say("child1", InputResolved(input_id="below", answer=Answer(outcome="reject"))))
    assert left.args == ["below"]
    assert [item.input_id for item in model.inputs()] == ["own"]


def test_a_card_of_a_strangers_child_stands_elsewhere() -> None:
    logs, model = Logs(), PendingModel()
    model.show_session("other")
    model.apply([*logs.family(1), *logs.say("child0", asks("below"))])
    assert model.inputs() == ()
    model.show_session("parent")
    assert [item.input_id for item in model.inputs()] == ["below"]


def test_a_chat_with_a_waiting_child_waits() -> None:
    logs, book = Logs(), ChatBook()
    for envelope in [*logs.family(2), *logs.say("child1", asks("below"))]:
        book.hearing.take([envelope])
    assert book.facts("parent").waiting == 1
    assert "waiting for you" in book.facts("parent").children[0].words + book.facts("parent").children[1].words
    above = book.facts("child1")
    assert (above.parent_id, above.parent_title) == ("parent", "Mend it")
    assert chips_of(above, None)["header_parent"].text == "‹ Mend it"


def test_the_call_that_began_a_child_opens_it_and_the_child_says_who_speaks() -> None:
    logs, model = Logs(), TranscriptModel()
    decided = ToolCallDecided(
        call_id="c0", name_called="task", tool="task", verdict=Verdict.ALLOW, rule="mode", mode=PermissionMode.EDIT
    )
    model.open("parent")
    started = (SessionStarted(), TurnStarted(turn_id="t"), decided, begun(0))
    model.hearing.take([SessionOpened(session_id="parent", envelopes=tuple(logs.say("parent", *started)))])
    assert [call.child_id for row in model.rows for call in row.calls] == ["child0"]
    said = UserMessage(parts=({"type": "text", "text": "look"},), origin="agent", sender_session_id="parent")
    above = SessionStarted(kind="subagent", parent_session_id="parent")
    model.open("child0")
    model.hearing.take([SessionOpened(session_id="child0", envelopes=tuple(logs.say("child0", above, said)))])
    assert model.rows[-1].author == "From the chat above (agent)"


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_the_header_counts_those_that_run_and_its_menu_lists_twenty(qtbot) -> None:
    logs, book = Logs(), ChatBook()
    book.hearing.take(list(logs.family(24)))
    facts = book.facts("parent")
    assert chips_of(facts, None)["header_children"].text == "4 running"
    assert [child.running for child in facts.children] == [True] * 5 + [False] * 19
    assert "waits for room" in facts.children[0].words
    assert "6 steps" in facts.children[5].words
    opened: list[str] = []
    stopped: list[str] = []
    place = QWidget()
    qtbot.addWidget(place)
    place.show()
    show_children(facts.children, place, opened.append, stopped.append)
    menu = place.findChild(QMenu, "header_children_list")
    assert menu is not None
    entries = menu.actions()
    assert len(entries) == MOST_SHOWN + 1
    assert entries[-1].text() == "4 more in the transcript"
    running = entries[0].menu()
    assert isinstance(running, QMenu)
    assert [one.text() for one in running.actions()] == ["Open", "Stop"]
    for one in running.actions():
        one.trigger()
    entries[5].trigger()
    assert opened == [facts.children[0].child_id, facts.children[5].child_id]
    assert stopped == [facts.children[0].child_id]
    menu.close()
