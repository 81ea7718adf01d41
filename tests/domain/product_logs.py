"""Random logs of our own: trees of forks, rewinds, deletions, compactions, interrupts, in both recording orders."""

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from desktop.domain.context.events import (
    Compacted,
    CompactionStaged,
    ContextCleared,
    DeletionUndone,
    MessageDeleted,
    Rewound,
)
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import (
    AssistantMessage,
    Envelope,
    Notice,
    SessionForked,
    SessionStarted,
    ToolCallFinished,
    ToolCallStarted,
    TurnEnded,
    UnknownEvent,
    UserMessage,
)

START = datetime(2026, 1, 1, tzinfo=UTC)
CALL_IDS = st.sampled_from([f"c{n}" for n in range(6)])
WORDS = st.sampled_from(["", " \n", "a", "two words", "\ud83d", "\x00\u2028", "{{opening}}", "<b>"])
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.floats(allow_nan=False, allow_infinity=False), WORDS),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(WORDS, inner, max_size=2)),
    max_leaves=4,
)
INPUTS = st.one_of(
    st.just({"a": 1}),
    st.just({"_truncated": True, "_preview": "x"}),
    st.just({"_serializationError": True}),
    st.just('{"a": [1]}'),
    st.just("no json"),
    VALUES,
)
TEXT = st.builds(lambda words: {"type": "text", "text": words}, WORDS)
CALL = st.builds(lambda i, value: {"type": "tool_use", "id": i, "name": "bash", "input": value}, CALL_IDS, INPUTS)
THINKING = st.builds(lambda s: {"type": "thinking", "thinking": "t", "signature": s}, st.sampled_from(["", "s"]))
SEALED = st.just({"type": "redacted_thinking", "data": "d"})
IMAGE = st.just({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}, "_x": 1})
CONTENT = st.one_of(WORDS, st.lists(st.one_of(TEXT, IMAGE, VALUES), max_size=2).map(tuple))
EMBEDDED = st.builds(
    lambda i, content, error, cut: {
        "type": "tool_result",
        "tool_use_id": i,
        "content": list(content) if isinstance(content, tuple) else content,
        "is_error": error,
        "_meta": {"interrupted": cut},
    },
    CALL_IDS,
    CONTENT,
    st.booleans(),
    st.booleans(),
)
ODD = st.one_of(VALUES, st.just({"type": "server_tool_use", "_k": 1}), st.just({"type": "tool_use", "id": 4}))
VENDOR_IDS = st.sampled_from(["v1", "v2", "v3"])
VENDOR_CALL = st.builds(
    lambda i, value: {"type": "server_tool_use", "id": i, "name": "web_search", "input": value}, VENDOR_IDS, VALUES
)
VENDOR_RESULT = st.builds(
    lambda i, value: {"type": "web_search_tool_result", "tool_use_id": i, "content": value},
    VENDOR_IDS,
    st.one_of(VALUES, st.just([{"type": "web_search_result", "url": "https://e.example.com/"}])),
)
CITED = st.just({"type": "text", "text": "found", "citations": [{"url": "https://e.example.com/"}]})
VENDOR = st.one_of(VENDOR_CALL, VENDOR_RESULT, CITED)
USER_PARTS = st.lists(st.one_of(TEXT, TEXT, EMBEDDED, IMAGE, CALL, THINKING, VENDOR, ODD), max_size=3).map(tuple)
ASSISTANT_PARTS = st.lists(st.one_of(TEXT, CALL, CALL, THINKING, SEALED, EMBEDDED, VENDOR, ODD), max_size=4).map(tuple)
UNKNOWN_FIELDS = st.sampled_from([{}, {}, {"later": [1]}, {"x_neutral": {"k": "\ud83d"}}])
UNKNOWN_TYPES = st.sampled_from(["", "lane_tainted", "zz.future", "message.user", "user_message", "banksman.notice"])

EVENTS_WITHOUT_TARGET = st.one_of(
    st.builds(UserMessage, parts=USER_PARTS, unknown_fields=UNKNOWN_FIELDS, display=WORDS),
    st.builds(UserMessage, parts=USER_PARTS, origin=st.sampled_from(["note", "queued", "person"])),
    st.builds(
        AssistantMessage,
        parts=ASSISTANT_PARTS,
        interrupted=st.booleans(),
        stop_reason=st.sampled_from([None, "end_turn"]),
        unknown_fields=UNKNOWN_FIELDS,
    ),
    st.builds(AssistantMessage, parts=ASSISTANT_PARTS),
    st.builds(ToolCallStarted, call_id=CALL_IDS, tool=st.just("bash"), input=INPUTS, executed_input=VALUES),
    st.builds(
        ToolCallFinished,
        call_id=CALL_IDS,
        outcome=st.sampled_from(["ok", "error", "interrupted", "declined"]),
        content=CONTENT,
        is_error=st.booleans(),
        interrupted=st.booleans(),
    ),
    st.builds(ContextCleared, tokens_before=st.integers(0, 3)),
    st.builds(CompactionStaged, summary=WORDS),
    st.builds(Notice, kind=st.just("k"), text=WORDS),
    st.builds(TurnEnded, turn_id=st.just("t"), status=st.just("completed")),
    st.builds(UnknownEvent, original_type=UNKNOWN_TYPES, raw=WORDS, reason=st.just("unknown_type")),
)


@st.composite
def product_logs(draw, max_events=14, anywhere=False):
    """A list of envelopes: one session that events were appended to, and forks of it, in order of recording.

    `anywhere`: events may name and continue any other, as those of other programs do.
    """
    log = [_envelope("main", 0, None, SessionStarted(mode=PermissionMode.PLAN))]
    heads = {"main": log[0]}
    for _ in range(draw(st.integers(0, max_events))):
        session = draw(st.sampled_from(sorted(heads)))
        head = heads[session]
        ids = st.sampled_from([one.event_id for one in log] if anywhere else _stands_on(log, session))
        event, parent, target_session = draw(_step(ids, head.event_id, session, len(heads)))
        seq = 0 if target_session not in heads else heads[target_session].seq + 1
        made = _envelope(target_session, seq, parent, event)
        log.append(made)
        heads[target_session] = made
    return log


def _stands_on(log, session):
    """The ids of a session's own events, and of those that its first one was forked from."""
    parents = {envelope.event_id: envelope.parent_id for envelope in log}
    own = [envelope.event_id for envelope in log if envelope.session_id == session]
    at, inherited = parents[own[0]], []
    while at is not None:
        inherited.append(at)
        at = parents[at]
    return inherited[::-1] + own


@st.composite
def _step(draw, ids, head_id, session, sessions):
    """(event, parent, session) of one more event."""
    kind = draw(st.sampled_from(["plain"] * 7 + ["delete", "undo", "compact", "rewind", "fork"]))
    if kind == "plain":
        return draw(EVENTS_WITHOUT_TARGET), head_id, session
    target = draw(ids)
    if kind == "delete":
        return MessageDeleted(target_id=target), head_id, session
    if kind == "undo":
        return DeletionUndone(target_id=target), head_id, session
    if kind == "compact":
        summary = draw(st.one_of(WORDS, st.just("S")))
        return Compacted(summary=summary, keep_from=draw(st.sampled_from([None, target]))), head_id, session
    if kind == "rewind":
        return Rewound(to_event_id=target, abandoned_head_id=head_id), target, session
    return SessionForked(source_session_id=session, source_event_id=target), target, f"f{sessions}"


def _envelope(session, seq, parent, event):
    at = START + timedelta(milliseconds=seq)
    digest = f"{seq:064x}"
    return Envelope(
        event_id=f"{session}-{seq}",
        session_id=session,
        seq=seq,
        parent_id=parent,
        at=at,
        event=event,
        prev_hash=digest,
        hash=digest[::-1],
    )
