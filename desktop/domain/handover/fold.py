"""handover(): the page for who takes over. A fold without a model: same logs, same page (memory-HO1, memory-HO3)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from desktop.domain.boundaries.events import BoundaryDecided, BoundaryProposed
from desktop.domain.core.checkpoint_events import FilesRestored
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import (
    AssistantMessage,
    Envelope,
    InputRequested,
    InputResolved,
    ModeChanged,
    ToolCallFinished,
    UserMessage,
)
from desktop.domain.gate.events import ReviewReverted, RuleRemoved, RuleSaved, SandboxChosen, SessionTainted
from desktop.domain.gate.pending import ApprovalRequest, PlanReview
from desktop.domain.handover.decisions import Decision, counted, decisions, within
from desktop.domain.handover.values import MOST_LINES, ChatLog, Decided, Handover, Imported, Line, Section
from desktop.domain.history.own_words import own_words
from desktop.domain.history.state_of import message_text
from desktop.domain.ledger.effects import Effect
from desktop.domain.ledger.fold import FOLDED, effects, named, rule_words
from desktop.domain.memory.events import MemoryWritten
from desktop.domain.undo.events import UndoBegun

LINE_CHARS = 160
_TOLD = FOLDED | {
    "user_message", "input_requested", "input_resolved", "mode_changed", "sandbox_chosen", "session_tainted",
    "boundary_proposed",
}  # fmt: skip
"""The kinds of entries that the page tells of; others are not read."""
_STATES = {
    "undone": "taken back",
    "partly": "partly taken back",
    "cannot": "cannot be taken back",
    "expired": "cannot be taken back any more",
    "standing": "",
}


def handover(logs: Sequence[ChatLog], since: datetime | None, until: datetime) -> Handover:
    """The page over these chats, for the time after `since` (None: from the beginning) up to `until`. What is open, and
    what comes next, is as it stands at the end of the logs. Imported chats are marked and counted apart, and nothing of
    them is open: they do not go on here."""
    pages = [_Chat(log, since, until) for log in logs]
    own = [page for page in pages if not page.imported]
    decided = [page.decided for page in own]
    total = Decided(
        calls=sum(one.calls for one in decided),
        people=sum(one.people for one in decided),
        rules=sum(one.rules for one in decided),
        modes=sum(one.modes for one in decided),
        refused=sum(one.refused for one in decided),
        nobody=sum(one.nobody for one in decided),
    )
    sections = [
        _section("Asked", (line for page in pages for line in page.asked())),
        _section("Decided", (line for page in pages for line in page.ruled())),
        _section("Changed", (line for page in pages for line in page.changed())),
        _section("Tried and refused", (line for page in pages for line in page.refused())),
        _section("Open", (line for page in own for line in page.open())),
        _section("Risks", (line for page in pages for line in page.risks())),
        _section("Undone", (line for page in pages for line in page.undone())),
        _section("Next", (line for page in own for line in page.next())),
    ]
    others = [page for page in pages if page.imported]
    changes, foreign = (sum(len(page.effects) for page in some) for some in (own, others))
    shown = sum(len(section.lines) + section.more for section in sections if section.title == "Changed")
    return Handover(
        since=since,
        until=until,
        chats=len(own),
        decided=total,
        changes=changes,
        difference=total.difference + abs(changes + foreign - shown),
        sections=tuple(sections),
        imported=Imported(chats=len(others), calls=sum(page.decided.calls for page in others), changes=foreign),
    )


def _section(title: str, lines: Iterable[Line]) -> Section:
    ordered = sorted(lines, key=lambda line: line.at)
    return Section(title=title, lines=tuple(ordered[:MOST_LINES]), more=max(0, len(ordered) - MOST_LINES))


class _Chat:
    """The lines of one chat."""

    def __init__(self, log: ChatLog, since: datetime | None, until: datetime) -> None:
        self._log = log
        self.imported = log.state.imported
        self._told = told = [envelope for envelope in log.events if envelope.kind in _TOLD]
        self._span = since, until
        self._events = [envelope for envelope in told if within(envelope.at, since, until)]
        self._decisions = decisions(told)
        self.decided = counted(self._decisions, since, until)
        self.effects = [effect for effect in effects(told) if within(effect.at, since, until)]

    def _line(self, envelope: Envelope, text: str) -> Line:
        return Line(
            at=envelope.at,
            text=one_line(text),
            session_id=envelope.session_id,
            seq=envelope.seq,
            event_id=envelope.event_id if self._log.state.kind != "project" else "",
            chat=f"{self._log.title} (imported)" if self.imported else self._log.title,
        )

    def _settled(self) -> Iterator[Decision]:
        return (one for one in self._decisions if within(one.envelope.at, *self._span))

    def asked(self) -> Iterator[Line]:
        """A person's messages, plans that they approved, and what they forbade in words."""
        plans: dict[str, str] = {}
        titles = {one.boundary_id: one.title for one in self._log.state.boundaries}
        for envelope in self._events:
            match envelope.event:
                case UserMessage(origin="person" | "queued") as message:
                    yield self._line(envelope, own_words(message) or "(files alone)")
                case InputRequested(request=PlanReview() as plan) as asked:
                    plans[asked.input_id] = plan.plan
                case InputResolved(reason="person") as answered if answered.input_id in plans:
                    said = "approved" if answered.answer.outcome == "allow_once" else "declined"
                    yield self._line(
                        envelope, f"Plan {said}: {answered.answer.edited_plan or plans[answered.input_id]}"
                    )
                case BoundaryProposed() as found:
                    titles[found.boundary_id] = found.title
                    who = "found by the agent" if found.by == "agent" else f"“{found.quote}”"
                    yield self._line(envelope, f"Boundary: {found.title} ({who})")
                case BoundaryDecided() as ruled:
                    yield self._line(
                        envelope, f"Boundary {ruled.decision}: {titles.get(ruled.boundary_id, 'an earlier one')}"
                    )
                case _:
                    pass

    def ruled(self) -> Iterator[Line]:
        """What people declined or changed, rules and modes."""
        for one in self._settled():
            answer = one.answer.answer if one.answer is not None and one.by == "people" else None
            what = one.decided.card.title if one.decided.card else one.decided.tool
            if answer is not None and answer.outcome == "reject":
                yield self._line(one.envelope, f"Declined: {what}" + (f" ({answer.note})" if answer.note else ""))
            elif answer is not None and answer.edited_input is not None:
                yield self._line(one.envelope, f"Allowed after a change: {what}")
        for envelope in self._events:
            match envelope.event:
                case RuleSaved() as saved:
                    yield self._line(envelope, rule_words(saved.rule))
                case ModeChanged(by="person" | "plan_approval") as mode:
                    yield self._line(envelope, f"Mode: {mode.previous} to {mode.mode}")
                case _:
                    pass

    def changed(self) -> Iterator[Line]:
        """The entries of the undo ledger."""
        began = {effect.seq: effect for effect in self.effects}
        for envelope in self._events:
            if (effect := began.get(envelope.seq)) is not None:
                yield self._line(envelope, _effect_words(effect))

    def refused(self) -> Iterator[Line]:
        """Refused calls by rule, with how many there were."""
        by = Counter(one.decided.rule for one in self._settled() if one.by == "refused")
        newest = {one.decided.rule: one for one in self._settled() if one.by == "refused"}
        for rule, count in by.most_common():
            last = newest[rule]
            yield self._line(last.envelope, f"{count} × {rule}: {last.decided.reason}")

    def open(self) -> Iterator[Line]:
        """Cards and questions that wait, open todos and queued messages."""
        state = self._log.state
        asked = {e.event.input_id: e for e in self._told if isinstance(e.event, InputRequested)}
        for input_id, waiting in [*state.open_inputs.items(), *state.late_inputs.items()]:
            request = waiting.request
            what = request.card.title if isinstance(request, ApprovalRequest) else f"a {request.kind}"
            text = f"Waits since {waiting.since:%Y-%m-%d %H:%M} UTC: {what}"
            yield self._line(asked[input_id], text) if input_id in asked else self._now(text)
        for message in state.queue:
            yield self._now(f"Queued since {message.since:%Y-%m-%d %H:%M} UTC: {_text_of(message.parts)}")

    def risks(self) -> Iterator[Line]:
        """Full auto, no sandbox, what was read that taints and what was remembered then, unknown outcomes, and what
        nobody looked back on."""
        for envelope in self._events:
            match envelope.event:
                case ModeChanged(mode=PermissionMode.FULL_AUTO):
                    yield self._line(envelope, "Full auto from here on")
                case SandboxChosen(level="none"):
                    yield self._line(envelope, "Full auto without a sandbox was accepted")
                case SessionTainted() as tainted:
                    yield self._line(envelope, f"Read {tainted.reason} data: {tainted.source}")
                case MemoryWritten(status="quarantined", by="agent") as written:
                    yield self._line(envelope, f"Written to the memory, waits for review: {written.content}")
                case ToolCallFinished(outcome="interrupted"):
                    yield self._line(envelope, "A call was cut off; its outcome is not known")
                case _:
                    pass
        if unseen := len(self._log.state.reviews):
            yield self._now(f"{unseen} calls ran without asking and were not looked back on")
        for effect in self.effects:
            if effect.unknown and effect.kind != "command":
                began = next(envelope for envelope in self._told if envelope.seq == effect.seq)
                yield self._line(began, f"Whether it was done is not known: {effect.what}")

    def undone(self) -> Iterator[Line]:
        """What a person took back."""
        for envelope in self._events:
            match envelope.event:
                case ReviewReverted() as reverted:
                    yield self._line(envelope, f"Taken back: {named([file.path for file in reverted.files])}")
                case FilesRestored() as restored:
                    count = len(restored.restored) + len(restored.removed)
                    yield self._line(envelope, f"A checkpoint was put back: {count} files")
                case RuleRemoved():
                    yield self._line(envelope, "A rule was removed")
                case UndoBegun() as begun:
                    yield self._line(envelope, begun.what)
                case _:
                    pass

    def next(self) -> Iterator[Line]:
        """Open todos in order, and the last words of the agent, marked as its own."""
        for todo in self._log.state.todos:
            if todo.status != "completed":
                yield self._now(f"To do: {todo.content}")
        last = next((e for e in reversed(self._log.events) if e.kind == "assistant_message"), None)
        said = last.event if last is not None and within(last.at, *self._span) else None
        if last is not None and isinstance(said, AssistantMessage) and (words := message_text(said).strip()):
            yield self._line(last, f"The agent's last words: {words}")

    def _now(self, text: str) -> Line:
        return self._line(self._log.events[-1], text)


def one_line(text: str) -> str:
    """The first line that is not blank, short."""
    line = next((stripped for raw in text.splitlines() if (stripped := raw.strip())), "")
    return line if len(line) <= LINE_CHARS else f"{line[: LINE_CHARS - 1].rstrip()}…"


def _effect_words(effect: Effect) -> str:
    files = f" ({named([file.path for file in effect.files])})" if effect.files else ""
    state = f", {_STATES[effect.state]}" if _STATES[effect.state] else ""
    return f"{effect.what}{files}{state}"


def _text_of(parts: Sequence[object]) -> str:
    return next((str(part["text"]) for part in parts if isinstance(part, dict) and "text" in part), "(files alone)")
