"""Rows that left when the conversation went back: behind one row, shown again, brought back, also over slices."""

import pytest
from PySide6.QtWidgets import QApplication

from desktop.domain.context.events import Rewound
from desktop.domain.core.event_base import EventBase
from desktop.domain.events import Envelope, SessionForked, TurnEnded, TurnStarted
from desktop.domain.updates import SessionOpened
from desktop.ui.chats.folds.model import FIRST_SLICE, TranscriptModel
from tests.ui.transcript_log import SESSION, START, Log


@pytest.fixture
def model(qapp: QApplication) -> TranscriptModel:
    model = TranscriptModel(clock=lambda: START)
    model.open(SESSION)
    model.hearing.take([SessionOpened(session_id=SESSION, envelopes=())])
    return model


def texts(model: TranscriptModel) -> list[str]:
    return [row.text for row in model.rows if row.kind != "date"]


def turn(log: Log, number: int) -> None:
    """One message and its answer."""
    log.add(TurnStarted(turn_id=f"t{number}"))
    log.user(f"question {number}")
    log.says(f"answer {number}", f"m{number}")
    log.add(TurnEnded(turn_id=f"t{number}", status="completed"))


def back(log: Log, to: EventBase | str, **more: str) -> Envelope:
    """Go back to the entry of this id."""
    return log.add(Rewound(to_event_id=str(to), abandoned_head_id=log.envelopes[-1].event_id, **more))


def before(log: Log, number: int) -> str:
    """The entry before the n-th turn."""
    started = next(e for e in log.envelopes if isinstance(e.event, TurnStarted) and e.event.turn_id == f"t{number}")
    return str(started.parent_id)


def three(model: TranscriptModel) -> Log:
    log = Log()
    for number in (1, 2, 3):
        turn(log, number)
    model.hearing.take([log.opened()])
    return log


def test_what_left_can_be_looked_at_and_is_brought_back(model: TranscriptModel) -> None:
    log = three(model)
    whole = texts(model)
    gone = back(log, before(log, 2))
    model.hearing.take([gone])
    assert texts(model) == [*whole[:3], "4 rewound messages"]
    key = model.rows[-1].key
    assert model.rows[-1].actions == (("bring_back", "Bring back"),)
    model.show_rewound(key, True)
    assert texts(model)[4:] == whole[3:]
    assert all(row.muted and row.left and not row.actions for row in model.rows[model.index_of(key) + 1 :])
    model.show_rewound(key, False)
    assert texts(model) == [*whole[:3], "4 rewound messages"]
    model.hearing.take([back(log, log.envelopes[-2].event_id, undo_of=gone.event_id)])
    assert texts(model) == whole


def test_bringing_back_puts_what_was_said_since_behind_a_row(model: TranscriptModel) -> None:
    log = three(model)
    whole = texts(model)
    gone = back(log, before(log, 3))
    model.hearing.take([gone])
    begin = len(log.envelopes)
    turn(log, 4)
    model.hearing.take(log.envelopes[begin:])
    model.show_rewound(model.rows[model.index_of(f"row:{gone.seq}")].key, True)
    model.hearing.take([back(log, gone.event.abandoned_head_id, undo_of=gone.event_id)])
    assert texts(model) == [*whole, "2 rewound messages"]
    model.show_rewound(model.rows[-1].key, True)
    assert texts(model)[len(whole) + 1 : len(whole) + 3] == ["question 4", "answer 4"]


def test_a_rewind_further_back_takes_the_row_of_the_first_one_along(model: TranscriptModel) -> None:
    log = three(model)
    first = back(log, before(log, 3))
    model.hearing.take([first])
    second = back(log, before(log, 2))
    model.hearing.take([second])
    assert texts(model)[3:] == ["2 rewound messages"]
    model.hearing.take([back(log, second.event.abandoned_head_id, undo_of=second.event_id)])
    assert texts(model)[-1] == "2 rewound messages"
    assert "question 2" in texts(model)
    assert "question 3" not in texts(model)


def test_nothing_is_said_of_a_rewind_that_took_nothing_away(model: TranscriptModel) -> None:
    log = three(model)
    whole = texts(model)
    model.hearing.take([back(log, log.envelopes[-1].event_id)])
    assert texts(model) == whole


def long_log(turns: int) -> Log:
    log = Log()
    for number in range(turns):
        turn(log, number)
    return log


def reopened(qapp: QApplication, log: Log, pieces: int = 1) -> TranscriptModel:
    """The chat opened anew, its events in pieces, newest first, everything folded."""
    model = TranscriptModel(clock=lambda: START)
    model.open(SESSION)
    size = -(-len(log.envelopes) // pieces)
    cut = [log.envelopes[at : at + size] for at in range(0, len(log.envelopes), size)]
    for number, piece in enumerate(reversed(cut)):
        last = number == len(cut) - 1
        model.hearing.take(
            [SessionOpened(session_id=SESSION, envelopes=tuple(piece), first=number == 0, complete=last)]
        )
    for _ in range(2_000):
        if model.complete:
            break
        qapp.processEvents()
    assert model.complete
    return model


@pytest.mark.parametrize("pieces", [1, 3])
def test_a_chat_that_is_opened_reads_the_same_wherever_its_slices_begin(qapp: QApplication, pieces: int) -> None:
    log = long_log(3 * FIRST_SLICE // 4)
    far = back(log, before(log, 10))
    turn(log, 900)
    back(log, far.event.abandoned_head_id, undo_of=far.event_id)
    turn(log, 901)
    back(log, before(log, 20))
    turn(log, 902)
    live = TranscriptModel(clock=lambda: START)
    live.open(SESSION)
    live.hearing.take([SessionOpened(session_id=SESSION, envelopes=())])
    live.hearing.take(log.envelopes)
    again = reopened(qapp, log, pieces)
    assert texts(again) == texts(live)
    assert texts(live)[-4].endswith("rewound messages")
    assert texts(live)[-3:-1] == ["question 902", "answer 902"]
    for shown in (live, again):
        shown.show_rewound(shown.rows[-4].key, True)
    assert texts(again) == texts(live)


def test_a_first_message_goes_back_to_before_its_turn_and_a_later_one_to_its_parent(model: TranscriptModel) -> None:
    log = three(model)
    rows = [row for row in model.rows if row.kind == "user"]
    assert [row.before_id for row in rows][1:] == [before(log, 2), before(log, 3)]
    later = log.user("also this")
    model.hearing.take([later])
    assert model.rows[-1].before_id == later.parent_id


def test_entries_of_a_fork_stand_after_those_it_inherited_though_both_count_from_0(qapp: QApplication) -> None:
    source = Log("ses_source")
    turn(source, 1)
    fork = Log()
    fork.add(SessionForked(source_session_id="ses_source", source_event_id=source.envelopes[-1].event_id))
    turn(fork, 2)
    model = TranscriptModel(clock=lambda: START)
    model.open(SESSION)
    own = tuple(e.model_copy(update={"event_id": f"own_{e.seq}"}) for e in fork.envelopes)
    model.hearing.take([SessionOpened(session_id=SESSION, envelopes=(*source.envelopes, *own))])
    keys = [row.key for row in model.rows]
    assert len(set(keys)) == len(keys)
    assert texts(model)[:2] == ["question 1", "answer 1"]
    rewound = Rewound(to_event_id=source.envelopes[-1].event_id)
    own_9 = Envelope(
        event_id="own_9", session_id=SESSION, seq=len(own), parent_id=own[-1].event_id, at=START, event=rewound
    )
    model.hearing.take([own_9])
    assert [row.text for row in model.rows][:2] == ["question 1", "answer 1"]
    assert model.rows[-1].text == "2 rewound messages"
