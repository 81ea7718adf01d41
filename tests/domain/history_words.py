"""Short words for writing neutral logs and the message lists they stand for by hand."""

from desktop.domain.history.builder import WORDING, HistoryBuilder, reconstruct, to_messages
from desktop.domain.history.neutral import dump_neutral, load_neutral
from tests.validity import faults

UNKNOWN, NOT_RUN, REMOVED = WORDING["unknown_outcome"], WORDING["not_executed"], WORDING["result_removed"]
EMPTY, PREFIX, ACK, OPENING = (WORDING[name] for name in ("empty_error", "summary_prefix", "summary_ack", "opening"))
PNG = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}


# -- events, in the order of their seq, which `numbered` gives --


def u(*content, **fields):
    """A user message: one string, or blocks."""
    return {"type": "message.user", "content": _content(content), **fields}


def a(*content, **fields):
    """An assistant message: one string, or blocks."""
    return {"type": "message.assistant", "content": _content(content), **fields}


def _content(content):
    return content[0] if len(content) == 1 and not isinstance(content[0], dict) else list(content)


def call(call_id, value="absent", **fields):
    """The start of a call."""
    given = {} if value == "absent" else {"input": value}
    return {"type": "tool.call", "tool_use_id": call_id, "name": "bash", **given, **fields}


def res(call_id, content="absent", **fields):
    """A recorded result."""
    given = {} if content == "absent" else {"content": content}
    return {"type": "tool.result", "tool_use_id": call_id, **given, **fields}


def gone(target):
    """A deletion."""
    return {"type": "message.deleted", "target": target}


def summed(summary="S", keep="absent", kind="compaction.summary"):
    """A compaction."""
    return {"type": kind, "summary": summary, **({} if keep == "absent" else {"keep_from": keep})}


def ev(kind, **fields):
    """Any event."""
    return {"type": kind, **fields}


CLEAR = ev("context.cleared")
START = ev("session.start")


# -- blocks, in events and in expected lists --


def t(text, **extra):
    """A text block."""
    return {"type": "text", "text": text, **extra}


def use(call_id, value=None, name="bash", **extra):
    """A call."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": {} if value is None else value, **extra}


def ans(call_id, content="ok", **extra):
    """A result block."""
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **extra}


def bad(call_id, content):
    """A result block that is an error."""
    return ans(call_id, content, is_error=True)


def th(text="h", signature="s"):
    """Thinking; signature None: it has none."""
    return {"type": "thinking", "thinking": text, **({} if signature is None else {"signature": signature})}


SEALED = {"type": "redacted_thinking", "data": "d"}


# -- expected messages --


def U(*content):  # noqa: N802  # a message, not an event
    """A message of the user; strings are text blocks."""
    return {"role": "user", "content": [t(block) if isinstance(block, str) else block for block in content]}


def A(*content):  # noqa: N802
    """A message of the assistant; strings are text blocks."""
    return {"role": "assistant", "content": [t(block) if isinstance(block, str) else block for block in content]}


# -- checking --


def numbered(events):
    """The events with the seq of their place in their session."""
    seqs = {}
    done = []
    for event in events:
        session = event.get("session", "main")
        seq = event.get("seq", seqs.get(session, 0))
        seqs[session] = seq + 1
        done.append({"seq": seq, **event})
    return done


def check(events, expected, *, lost=(), why=None, dropped=(), at=None, session=None):
    """The list, the account of it, and what holds for any log: valid, the same when stored, copied and built up."""
    numbered_events = numbered(events)
    log = load_neutral(numbered_events)
    rebuilt = reconstruct(log, at=at, session_id=session)
    assert rebuilt.messages == expected
    assert list(rebuilt.unrecoverable) == list(lost)
    if why is not None:
        assert rebuilt.synthetic == why
    assert list(rebuilt.dropped_results) == list(dropped)
    assert faults(rebuilt.messages) == []
    assert load_neutral(dump_neutral(log)) == log
    assert to_messages(load_neutral(numbered_events[::-1]), at=at, session_id=session or "main") == expected
    if at is None and session is None:
        builder = HistoryBuilder("main")
        for count, envelope in enumerate(log, start=1):
            builder.add(envelope)
            if any(e.session_id == "main" for e in log[:count]):
                assert builder.messages() == to_messages(log[:count], session_id="main")
