"""CallFold: decided, started and finished calls into rows; neighbours of one turn become one group."""

from dataclasses import replace
from typing import Any, Literal, Protocol

from pydantic import JsonValue

from desktop.domain import events as ev
from desktop.domain.children.events import ChildBegun, ChildEnded
from desktop.domain.core.content import Block, TextBlock
from desktop.domain.core.permissions import Verdict
from desktop.domain.display.text import display_text
from desktop.domain.gate.titles import title_of
from desktop.domain.history.gate_fold import SERVER_TOOL
from desktop.domain.updates import ToolProgress
from desktop.domain.web.events import VendorSearched
from desktop.language import said, tr
from desktop.ui.chats.folds.child_rows import ended_figure, progress_of
from desktop.ui.chats.folds.row_store import RowStore
from desktop.ui.chats.folds.rows import DEEPEST, OPEN_STATES, Call, CallState, Child, Row
from desktop.ui.chats.folds.stream_fold import Spec
from desktop.ui.chats.folds.vendor_words import vendor_call
from desktop.ui.text.card_blocks import told_blocks
from desktop.ui.text.figures import figure_words
from desktop.ui.text.format import duration

_FINISHED: dict[ev.CallOutcome, CallState] = {
    "ok": "ok",
    "error": "error",
    "refused": "refused",
    "declined": "declined",
    "cancelled": "cancelled",
    "interrupted": "interrupted",
}


MALFORMED_RULE, _FIELDS = "arguments", ". Fields: "
MALFORMED = tr("The agent’s call of {tool} was malformed; it was told how, and can try again")
_STRICT = (Verdict.ALLOW, Verdict.ASK, Verdict.DENY)


class FoldContext(Protocol):
    """What the parts of a fold share."""

    store: RowStore
    turn_id: str

    def append(self, row: Row) -> None:
        """Add a row at the end."""

    def insert(self, index: int, row: Row) -> None:
        """Add a row before an index."""

    def update(self, key: str, **changes: Any) -> None:
        """Change a row."""


class CallFold:
    """Which call stands in which row, and what is known of it."""

    def __init__(self, fold: FoldContext) -> None:
        self._fold = fold
        self._row_of: dict[str, str] = {}
        self._order: dict[str, int] = {}
        self._before: dict[str, tuple[str, int]] = {}
        self._open: set[str] = set()
        self._call_of_child: dict[str, str] = {}
        self.hidden: set[str] = set()

    def knows(self, call_id: str) -> bool:
        """Whether the call's row is here."""
        return call_id in self._row_of

    def adopt(self, older: "CallFold") -> None:
        """Know the calls of older rows too."""
        for call_id, key in older._row_of.items():
            self._row_of.setdefault(call_id, key)
        self._open |= older._open
        self._call_of_child = {**older._call_of_child, **self._call_of_child}
        self.hidden |= older.hidden

    def note_order(self, specs: list[Spec]) -> None:
        """Remember the order of an answer's calls, and which calls stand before a text of the same answer."""
        for place, spec in enumerate(specs):
            if spec.kind == "call":
                self._order[spec.text] = place
                after = sum(s.kind != "call" for s in specs[:place])
                if any(s.kind != "call" for s in specs[place + 1 :]):
                    self._before[spec.text] = ("", after)

    def place_before(self, call_id: str, key: str) -> None:
        """The call's row goes before this row."""
        if call_id in self._before:
            self._before[call_id] = (key, self._before[call_id][1])

    def apply(self, envelope: ev.Envelope, event: Any) -> bool:
        """Fold one tool event. False: it is about a call that is not known here."""
        if isinstance(event, ev.ToolCallDecided):
            self._decided(envelope, event)
            return True
        if not self.knows(event.call_id):
            return False
        if isinstance(event, ev.ToolCallStarted):
            self._change(event.call_id, state="running", started=True, start_id=envelope.event_id)
        else:
            self._finished(envelope, event)
        return True

    def searched(self, envelope: ev.Envelope, event: VendorSearched) -> None:
        """The model's service did something by itself, which nobody here judged."""
        call = replace(vendor_call(event), order=self._order.get(event.call_id, 0), result_id=envelope.event_id)
        self._place(envelope, call)

    def unkept(self, call_id: str, reason: str) -> None:
        """No whole checkpoint was taken before this call."""
        self._change(call_id, unkept=reason)

    def child(self, event: ChildBegun | ChildEnded) -> bool:
        """A sub-agent begins, goes on or ended. False: the call that began it is not here."""
        call = self.get(event.call_id)
        if call is None:
            return False
        self._call_of_child[event.child_id] = event.call_id
        known = call.child or Child(event.child_id)
        state: Any = event.outcome if isinstance(event, ChildEnded) else "running"
        figure = ended_figure(event) if isinstance(event, ChildEnded) else ""
        self._change(event.call_id, child=replace(known, state=state, figure=figure, now=""))
        return True

    def show_below(self, child_id: str, below: tuple[Row, ...], *, earlier: bool) -> None:
        """These are the newest rows of a sub-agent."""
        call = self.get(self._call_of_child.get(child_id, ""))
        if call is not None and call.child is not None:
            self._change(call.call_id, child=replace(call.child, below=below, earlier=earlier))

    def flagged(self, call_id: str) -> None:
        """The call is to be looked back on, also where that came out after it had run."""
        self._change(call_id, review_after=True)

    def reviewed(self, call_id: str, *, taken_back: bool = False) -> None:
        """A person looked back on the call, or took back what it had changed."""
        self._change(call_id, review_after=False, taken_back=taken_back)

    def removed(self, result_id: str, *, removed: bool) -> None:
        """The result of this event does, or does not any more, go to the model."""
        for row in self._fold.store.rows:
            if any(call.result_id == result_id for call in row.calls):
                calls = (replace(one, removed=removed) if one.result_id == result_id else one for one in row.calls)
                self._fold.update(row.key, calls=tuple(calls))

    def wait(
        self, call_id: str, asks: Literal["approval", "question", "plan", "picture", "credential", "skill"]
    ) -> None:
        """The call waits for a person."""
        self._change(call_id, state="waiting", asks=asks)

    def answered(self, call_id: str, answer: str) -> None:
        """The request was closed in these words; the call's own events say what came of it."""
        call = self.get(call_id)
        if call is not None:
            self._change(call_id, answer=answer, **({"state": "decided"} if call.state == "waiting" else {}))

    def progress(self, update: ToolProgress) -> None:
        """Newest output of a running call."""
        call = self.get(update.call_id)
        if call is not None and call.child is not None:
            if call.child.runs:
                told = progress_of(call.child, update.tail, update.elapsed_ms)
                self._change(update.call_id, child=told)
        elif call is not None and call.state in OPEN_STATES:
            self._change(
                update.call_id,
                state="running",
                tail=update.tail,
                tail_bytes=update.output_bytes,
                duration_ms=update.elapsed_ms,
            )

    def interrupt_open(self, *, restarted: bool = False) -> None:
        """Every call that did not finish counts as interrupted; `restarted`: nobody knows what became of it."""
        for call_id in list(self._open):
            call = self.get(call_id)
            left: CallState = "unknown" if call is not None and call.started else "not_run"
            self._change(call_id, state=left if restarted else "interrupted", tail="")
        self._open.clear()

    def hide(self, call_id: str) -> None:
        """Another row says what this call did: its own line goes, and the rows around it become one where they can."""
        row = self._row(call_id)
        self.hidden.add(call_id)
        self._open.discard(call_id)
        if row is None:
            return
        index = self._fold.store.index_of(row.key)
        self._row_of[call_id] = ""
        left = tuple(call for call in row.calls if call.call_id != call_id)
        if any(call.state != "thought" for call in left):
            self._fold.update(row.key, calls=left)
            return
        self._fold.store.remove(index)
        for place, thought in enumerate(left):
            text = "\n\n".join(block.text for block in thought.result if isinstance(block, TextBlock))
            self._fold.insert(index + place, replace(row, key=thought.call_id, kind="thinking", calls=(), text=text))
        self.join(index)

    def join(self, index: int) -> None:
        """Make one group of the calls before and after an index, if nothing stands between them any more."""
        rows = self._fold.store.rows
        if not 0 < index < len(rows):
            return
        before, after = rows[index - 1], rows[index]
        if before.kind != "calls" or after.kind != "calls" or before.turn_id != after.turn_id:
            return
        self._fold.store.remove(index)
        self._row_of.update({call.call_id: before.key for call in after.calls if call.call_id in self._row_of})
        self._fold.update(before.key, calls=(*before.calls, *after.calls))

    def get(self, call_id: str) -> Call | None:
        """The call as it is now; None if it is not here."""
        row = self._row(call_id)
        at = _place_of(row.calls, call_id) if row is not None else -1
        return row.calls[at] if row is not None and at >= 0 else None

    def all_of(self, call_ids: list[str]) -> list[Call]:
        """The calls with these ids that are here."""
        rows = {row.key: row for call_id in call_ids if (row := self._row(call_id)) is not None}
        known = {call.call_id: call for row in rows.values() for call in row.calls}
        return [known[call_id] for call_id in dict.fromkeys(call_ids) if call_id in known]

    def _row(self, call_id: str) -> Row | None:
        index = self._fold.store.index_of(self._row_of.get(call_id, ""))
        return self._fold.store.rows[index] if index >= 0 else None

    def _change(self, call_id: str, **changes: Any) -> None:
        row = self._row(call_id)
        if row is None:
            return
        at = _place_of(row.calls, call_id)
        if at < 0:
            return
        changed = replace(row.calls[at], **changes)
        self._fold.update(row.key, calls=(*row.calls[:at], changed, *row.calls[at + 1 :]))
        if "state" in changes:
            (self._open.add if changes["state"] in OPEN_STATES else self._open.discard)(call_id)

    def _decided(self, envelope: ev.Envelope, event: ev.ToolCallDecided) -> None:
        states: dict[Verdict, CallState] = {
            Verdict.ALLOW: "decided",
            Verdict.ASK: "decided",
            Verdict.DENY: "refused",
        }
        facts: dict[str, Any] = {
            "title": _title(event),
            "verbatim": _is_malformed(event) or title_of(event)[1],
            "category": event.category,
            "evidence": told_blocks(
                event.card.blocks if event.card else (), of_server=event.tool.startswith(SERVER_TOOL)
            ),
            "verdict": event.verdict,
            "why": event.reason,
            "reason": said(event.reason) if event.verdict is Verdict.DENY and not _is_malformed(event) else "",
            "rule": event.rule,
            "lifted_by": event.lifted_by or "",
            "review_after": event.review_after,
            "state": "malformed" if _is_malformed(event) else states[event.verdict],
            "held_by": event.held_by,
        }
        facts |= self._of_first(event)
        if self.knows(event.call_id):
            self._change(event.call_id, **facts)
            return
        above = self.get(event.part_of)
        depth = min(above.depth + 1, DEEPEST) if above is not None else 0
        part_of = event.part_of if above is not None else ""
        order = self._order.get(event.call_id, 0)
        call = Call(event.call_id, order=order, part_of=part_of, depth=depth, **facts)
        if call.state in OPEN_STATES:
            self._open.add(call.call_id)
        if above is None:
            self._place(envelope, call)
        else:
            self._place_below(call)

    def _of_first(self, event: ev.ToolCallDecided) -> dict[str, Any]:
        """Of a call that was asked about twice the stricter judgement stands on the row (guests-A21)."""
        first = self.get(event.supersedes)
        if first is None or not _STRICT.index(first.verdict) > _STRICT.index(event.verdict):
            return {}
        return {"verdict": first.verdict, "why": first.why, "rule": first.rule}

    def _place_below(self, call: Call) -> None:
        """Put a call behind the last part of the call that it is a part of."""
        row = self._row(call.part_of)
        if row is None:
            return
        calls = row.calls
        at = next(index for index, one in enumerate(calls) if one.call_id == call.part_of) + 1
        while at < len(calls) and calls[at].depth >= call.depth and calls[at].part_of:
            at += 1
        self._row_of[call.call_id] = row.key
        self._fold.update(row.key, calls=(*calls[:at], call, *calls[at:]))

    def _place(self, envelope: ev.Envelope, call: Call) -> None:
        store, turn = self._fold.store, self._fold.turn_id
        before = store.index_of(self._before.pop(call.call_id, ("", 0))[0])
        index = before if before >= 0 else len(store)
        first = index
        while first > 0 and self._absorbs(store.rows[first - 1], turn):
            first -= 1
        neighbour = store.rows[first - 1] if first > 0 else None
        if neighbour is None or neighbour.kind != "calls" or neighbour.turn_id != turn:
            row = Row(f"row:{envelope.seq}", "calls", envelope.seq, envelope.at, turn, calls=(call,))
            self._row_of[call.call_id] = row.key
            self._fold.insert(index, row)
            return
        thoughts = tuple(
            Call(row.key, tr("Thought"), "thought", "thought", result=(TextBlock(text=row.text),))
            for row in store.rows[first:index]
        )
        if index > first:
            store.remove(first, index - first)
        self._row_of[call.call_id] = neighbour.key
        self._fold.update(neighbour.key, calls=_in_order((*neighbour.calls, *thoughts), call))

    @staticmethod
    def _absorbs(row: Row, turn: str) -> bool:
        return row.kind == "thinking" and not row.live and row.turn_id == turn

    def _finished(self, envelope: ev.Envelope, event: ev.ToolCallFinished) -> None:
        call = self.get(event.call_id)
        if call is None:
            return
        output = content_text(event.content)
        malformed = call.state == "malformed"
        reason = "" if malformed else call.reason or output.strip()[:400]
        self._change(
            event.call_id,
            state="malformed" if malformed else _FINISHED[event.outcome],
            result=_with_fallback(event.blocks, output),
            output=output,
            summary="" if malformed else _figure(call, event),
            duration_ms=event.duration_ms,
            touched=event.touched,
            full=event.full,
            tail="",
            reason=reason if event.outcome != "ok" else "",
            result_id=envelope.event_id,
        )
        self._fold.update(self._row_of[event.call_id], last_id=envelope.event_id)


def _is_malformed(event: ev.ToolCallDecided) -> bool:
    """Whether nobody refused the call: its arguments were none that the tool takes, which the agent was told. What a
    tool refuses by what a call would do, such as a second statement, stays a refusal with its reason."""
    if event.verdict is not Verdict.DENY or event.rule != MALFORMED_RULE:
        return False
    return not isinstance(event.input, dict) or _FIELDS in event.reason


def _title(event: ev.ToolCallDecided) -> str:
    if _is_malformed(event):
        return MALFORMED.format(tool=display_text(event.tool or event.name_called))
    return event.card.title if event.card else event.name_called


def _place_of(calls: tuple[Call, ...], call_id: str) -> int:
    """Where a call stands among those of its row, -1 for nowhere. Those that change are at the end."""
    return next((at for at in reversed(range(len(calls))) if calls[at].call_id == call_id), -1)


def _in_order(calls: tuple[Call, ...], new: Call) -> tuple[Call, ...]:
    """The calls with a new one; calls of one answer stand in the order of the answer."""
    place = len(calls)
    while place > 0 and calls[place - 1].state in OPEN_STATES and calls[place - 1].order > new.order:
        place -= 1
    return (*calls[:place], new, *calls[place:])


def _with_fallback(blocks: tuple[Block, ...], output: str) -> tuple[Block, ...]:
    return blocks if blocks or not output.strip() else (TextBlock(text=output),)


def _figure(call: Call, event: ev.ToolCallFinished) -> str:
    """The figure of the collapsed line: the tool's summary, with the time it took where that is not said."""
    spent = duration(event.duration_ms)
    if not event.summary:
        return spent if event.duration_ms else ""
    says_time = any(unit in event.summary for unit in (" ms", " s", " min"))
    if says_time or call.category == "write" or event.touched or not event.duration_ms:
        return figure_words(event.summary)
    return f"{figure_words(event.summary)} · {spent}"


def content_text(content: str | tuple[JsonValue, ...]) -> str:
    """The text of a result as the model got it."""
    if isinstance(content, str):
        return content
    texts = [part.get("text") for part in content if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))
