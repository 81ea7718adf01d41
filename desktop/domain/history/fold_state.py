"""Folding a long log at once: what cannot matter any more is not even read."""

import json
from collections.abc import Sequence
from datetime import datetime

from pydantic import ValidationError

from desktop.domain.events import Envelope
from desktop.domain.history.state_of import FOLDED_KINDS, SessionState, fold

STATE_VERSION = 3
_OF_THE_TURN = frozenset({"tool_call_decided", "tool_call_started", "tool_call_finished"})
"""These change nothing but the running turn, so those before the last beginning of a turn are of no effect."""


def fold_log(state: SessionState, log: Sequence[Envelope]) -> SessionState:
    """The state after these events, in order of writing: what `fold` gives event by event from `state`."""
    starts = (index for index in range(len(log) - 1, -1, -1) if log[index].kind == "turn_started")
    turn_at = next(starts, -1)
    skipped: Envelope | None = None
    for index, envelope in enumerate(log):
        kind = envelope.kind
        if kind not in FOLDED_KINDS or (index < turn_at and kind in _OF_THE_TURN):
            skipped = envelope
            continue
        if skipped is not None:
            state = _passed(state, skipped)
            skipped = None
        state = fold(state, envelope)
    return state if skipped is None else _passed(state, skipped)


def _passed(state: SessionState, envelope: Envelope) -> SessionState:
    """The state after an event that changes nothing but the position."""
    place = {"session_id": envelope.session_id, "head_seq": envelope.seq, "last_activity_at": envelope.at}
    return state.model_copy(update=place)


def dump_state(state: SessionState) -> str | None:
    """The state as text, None when it could not be read back equal."""
    text = json.dumps(state.model_dump(), ensure_ascii=True, separators=(",", ":"), default=_plain)
    return text if load_state(text) == state else None


def load_state(text: str) -> SessionState | None:
    """The state that `dump_state` wrote; None when it is of another version of this program."""
    try:
        return SessionState.model_validate(json.loads(text))
    except (ValidationError, ValueError, RecursionError):
        return None


def _plain(value: datetime | frozenset[str]) -> str | list[str]:
    """What a state holds beside the types of JSON."""
    return value.isoformat() if isinstance(value, datetime) else sorted(value)
