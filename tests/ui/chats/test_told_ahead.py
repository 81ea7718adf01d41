"""A chat that is told from its end, piece by piece, is in the end the chat that is told whole."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.update import Update
from desktop.domain.events import Envelope, ModeChanged, Rewound, SessionStarted, TurnEnded, TurnStarted, UserMessage
from desktop.domain.history.fold_state import fold_log
from desktop.domain.history.state import SessionState
from desktop.domain.updates import SessionOpened
from desktop.ui.chats.book import ChatBook
from desktop.ui.chats.folds.model import TranscriptModel
from tests.ui.transcript_log import SESSION, START, Log

STEPS = st.lists(
    st.one_of(
        st.sampled_from(["user", "says", "call", "turn", "plan", "edit"]),
        st.tuples(st.just("rewind"), st.integers(0, 6)),
    ),
    min_size=4,
    max_size=40,
)


def played(steps: list[object]) -> list[Envelope]:
    """The log of a chat in which this happened."""
    log = Log()
    log.add(SessionStarted(title="a"))
    for number, step in enumerate(steps):
        match step:
            case "user":
                log.user(f"q{number}")
            case "says":
                log.says(f"a{number}", f"m{number}")
            case "call":
                log.call(f"c{number}", f"Run {number}")
            case "turn":
                log.add(TurnStarted(turn_id=f"trn_{number}"))
                log.user(f"q{number}")
                log.add(TurnEnded(turn_id=f"trn_{number}", status="completed"))
            case "plan" | "edit":
                log.add(ModeChanged(previous=PermissionMode.EDIT, mode=PermissionMode(step), by="person"))
            case (_, int(back)):
                before = [at - 1 for at, one in enumerate(log.envelopes) if isinstance(one.event, UserMessage)]
                if before:
                    log.add(Rewound(to_event_id=log.envelopes[before[max(0, len(before) - 1 - back)]].event_id))
    return log.envelopes


def told(log: list[Envelope], newest: int, size: int, live: int, with_state: int) -> list[Update]:
    """The updates of an engine: the newest, older pieces, with the state beside one of them, and what happens after."""
    stored, later = log[: len(log) - live], log[len(log) - live :]
    cut = max(0, len(stored) - newest)
    updates: list[Update] = [SessionOpened(session_id=SESSION, envelopes=tuple(stored[cut:]), complete=False)]
    ends = list(range(cut, 0, -size)) or [0]
    for number, end in enumerate(ends):
        happened = later[:number]
        if number <= len(later) and number:
            updates += later[number - 1 : number]
        state = (
            fold_log(SessionState.begin(SESSION), [*stored, *happened]) if number == with_state % len(ends) else None
        )
        piece, complete = tuple(stored[max(0, end - size) : end]), number == len(ends) - 1
        updates.append(SessionOpened(session_id=SESSION, envelopes=piece, first=False, complete=complete, state=state))
    return [*updates, *later[len(ends) - 1 :]]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(STEPS, st.integers(1, 12), st.integers(1, 12), st.integers(0, 3), st.integers(0, 9))
def test_told_from_its_end_it_is_the_chat_told_whole(
    qtbot: QtBot, steps: list[object], newest: int, size: int, live: int, with_state: int
) -> None:
    log = played(steps)
    live = min(live, len(log) - 1)
    updates, stored = told(log, newest, size, live, with_state), log[: len(log) - live]
    books, models = (ChatBook(), ChatBook()), (TranscriptModel(clock=_now), TranscriptModel(clock=_now))
    for model in models:
        model.open(SESSION)
    whole = [SessionOpened(session_id=SESSION, envelopes=tuple(stored)), *log[len(stored) :]]
    for book, model, said in zip(books, models, (updates, whole), strict=True):
        for update in said:
            book.hearing.take([update])
            model.hearing.take([update])
        qtbot.waitUntil(lambda model=model: model.complete)
    assert books[0].facts(SESSION) == books[1].facts(SESSION)
    assert said_by(models[0]) == said_by(models[1])


def said_by(model: TranscriptModel) -> list[tuple[str, str]]:
    """What the rows say, in order. Calls beside each other may stand in one row or in two, where parts meet."""
    said: list[tuple[str, str]] = []
    for row in model.rows:
        said += [("call", call.call_id) for call in row.calls] or [(row.kind, row.text)]
    return said


def _now():
    return START
