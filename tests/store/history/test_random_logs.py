"""Whatever is appended in whatever order: it reads back equal, the chain verifies, the list can be made anew."""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.domain.context.events import Rewound
from desktop.domain.core.event_base import EventBase
from desktop.domain.events import (
    AssistantMessage,
    Envelope,
    Notice,
    SessionForked,
    SessionStarted,
    TitleChanged,
    ToolCallStarted,
    UserMessage,
)
from desktop.store.database import SqliteStore, open_store

anything = st.characters(codec=None)  # lone surrogates and NUL included
text = st.text(anything, max_size=30)
number = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
json_value = st.recursive(
    st.none() | st.booleans() | number | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)
plain_event = st.one_of(
    st.builds(UserMessage, parts=st.tuples(json_value)),
    st.builds(AssistantMessage, parts=st.tuples(json_value), interrupted=st.booleans()),
    st.builds(ToolCallStarted, call_id=text, tool=text, input=json_value),
    st.builds(TitleChanged, title=text),
    st.builds(Notice, kind=text, text=text, unknown_fields=st.dictionaries(st.just("later"), json_value)),
)
step = st.one_of(
    st.tuples(st.just("append"), st.integers(0, 5), st.lists(plain_event, max_size=4)),
    st.tuples(st.just("rewind"), st.integers(0, 5), st.integers(0, 50)),
    st.tuples(st.just("fork"), st.integers(0, 5), st.integers(0, 50)),
    st.tuples(st.just("reopen"), st.just(0), st.just(0)),
)


class Written:
    """What the test appended, by session: the truth that the store is held against."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store: SqliteStore = open_store(folder)
        self.own: dict[str, list[Envelope]] = {}
        self.inherited: dict[str, list[Envelope]] = {}
        self.note(self.store.events.append("ses_first", SessionStarted(project_id="p")))

    def note(self, envelope: Envelope) -> None:
        self.own.setdefault(envelope.session_id, []).append(envelope)

    def pick(self, session: int, place: int) -> tuple[str, Envelope]:
        session_id = list(self.own)[session % len(self.own)]
        choice = [*self.inherited.get(session_id, []), *self.own[session_id]]
        return session_id, choice[place % len(choice)]

    def follow(self, session_id: str, event_id: str) -> list[Envelope]:
        """The event and its ancestors, oldest first."""
        known = {e.event_id: e for e in [*self.inherited.get(session_id, []), *self.own[session_id]]}
        found: list[Envelope] = []
        current: str | None = event_id
        while current is not None:
            found.append(known[current])
            current = known[current].parent_id
        return found[::-1]

    def append(self, session: int, events: list[EventBase]) -> None:
        session_id, _ = self.pick(session, 0)
        for envelope in self.store.events.append_many(session_id, events):
            self.note(envelope)

    def rewind(self, session: int, place: int) -> None:
        session_id, target = self.pick(session, place)
        self.note(self.store.events.append(session_id, Rewound(to_event_id=target.event_id)))

    def fork(self, session: int, place: int) -> None:
        session_id, target = self.pick(session, place)
        forked = self.store.events.fork(session_id, target.event_id, SessionForked())
        self.inherited[forked.session_id] = self.follow(session_id, target.event_id)
        self.note(forked)

    def reopen(self, _session: int, _place: int) -> None:
        self.store.close()
        self.store = open_store(self.folder)

    def compare(self) -> None:
        events = self.store.events
        assert set(events.session_ids("p")) == set(self.own)
        for session_id, own in self.own.items():
            assert events.read(session_id) == own
            assert [envelope.seq for envelope in own] == list(range(len(own)))
            assert events.path(session_id) == [*self.inherited.get(session_id, []), *own]
            assert events.head(session_id) == own[-1]
            assert events.verify(session_id) == []
            assert events.verify(session_id, last=2) == []
        rows = events.rows()
        events.rebuild_index()
        assert events.rows() == rows


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(step, max_size=12))
def test_any_sequence_of_appends_rewinds_forks_and_restarts_keeps_its_promises(steps):
    with tempfile.TemporaryDirectory() as folder:
        written = Written(Path(folder))
        for name, session, what in steps:
            {"append": written.append, "rewind": written.rewind, "fork": written.fork, "reopen": written.reopen}[name](
                session, what
            )
        written.compare()
        written.store.close()
