"""handover(): the page for who takes over. A fold without a model: same logs, same page (memory-HO1, memory-HO3)."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from operator import itemgetter
from typing import Literal

from desktop.domain.boundaries.events import BoundaryDecided, BoundaryProposed
from desktop.domain.core.checkpoint_events import FilesRestored
from desktop.domain.core.permissions import PermissionMode, mode_label
from desktop.domain.events import (
    AssistantMessage,
    Envelope,
    InputRequested,
    InputResolved,
    ModeChanged,
    Notice,
    ToolCallDecided,
    ToolCallFinished,
    TurnEnded,
    UserMessage,
)
from desktop.domain.gate.events import ReviewReverted, RuleRemoved, RuleSaved, SandboxChosen, SessionTainted
from desktop.domain.gate.pending import ApprovalRequest, InputRequest, PlanReview, is_verbatim_title
from desktop.domain.gate.titles import title_of
from desktop.domain.handover import claims, told
from desktop.domain.handover.decisions import SETTLING, counted, decisions, within
from desktop.domain.handover.values import MOST_LINES, Apart, ChatLog, Decided, Handover, Line, Section, Words
from desktop.domain.history.own_words import own_words
from desktop.domain.history.state_of import message_text
from desktop.domain.ledger.effects import Effect
from desktop.domain.ledger.fold import FOLDED, MOST_NAMED, Ledger, named, rule_words
from desktop.domain.memory.events import MemoryWritten
from desktop.domain.undo.events import UndoBegun

LINE_CHARS = 160
_ASKED = frozenset({"user_message", "input_requested", "input_resolved", "boundary_proposed", "boundary_decided"})
_RULED = frozenset({"rule_saved", "mode_changed"})
_RISKY = frozenset(
    {
        "mode_changed", "sandbox_chosen", "session_tainted", "memory_written", "tool_call_finished", "notice",
        "turn_ended",
    }
)  # fmt: skip
_TAKEN_BACK = frozenset({"review_reverted", "files_restored", "rule_removed", "undo_begun"})
_REQUESTED, _SAID = frozenset({"input_requested"}), frozenset({"assistant_message"})
_READ = (_ASKED, _RULED, _RISKY, _TAKEN_BACK, _REQUESTED, _SAID, SETTLING, FOLDED, claims.KINDS)
"""What is read of a log, each in one go, by kinds of entries."""


def handover(logs: Sequence[ChatLog], since: datetime | None, until: datetime) -> Handover:
    """The page over these chats, for the time after `since` (None: from the beginning) up to `until`. What is open, and
    what comes next, is as it stands at the end of the logs. Imported chats and those whose record is damaged are marked
    and counted apart; nothing of imported ones is open: they do not go on here."""
    pages = [_Chat(log, since, until) for log in logs]
    here = [page for page in pages if not page.imported]
    own = [page for page in here if not page.damaged]
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
        _section("Open", (line for page in here for line in page.open())),
        _section("Risks", (line for page in pages for line in page.risks())),
        _section("Undone", (line for page in pages for line in page.undone())),
        _section("Next", (line for page in here for line in page.next())),
    ]
    others = [page for page in pages if page.imported], [page for page in here if page.damaged]
    imported, damaged = (_apart(some) for some in others)
    changes = sum(len(page.effects) for page in own)
    shown = sum(len(section.lines) + section.more for section in sections if section.title == "Changed")
    return Handover(
        since=since,
        until=until,
        chats=len(own),
        decided=total,
        changes=changes,
        difference=total.difference + abs(changes + imported.changes + damaged.changes - shown),
        sections=tuple(sections),
        imported=imported,
        damaged=damaged,
    )


def _apart(pages: Sequence["_Chat"]) -> Apart:
    calls, changes = sum(page.decided.calls for page in pages), sum(len(page.effects) for page in pages)
    return Apart(chats=len(pages), calls=calls, changes=changes)


_Words = str | Words | Callable[[], str | Words]
_Told = tuple[datetime, "_Chat", Envelope | None, _Words]
"""A line that may be shown: its moment, its chat, its entry in the log there, and its words, or what makes them. It is
a tuple without names: of a long log there are tens of thousands."""


def _section(title: str, told: Iterable[_Told]) -> Section:
    """The oldest lines; only what is shown is made ready for that."""
    ordered = sorted(told, key=itemgetter(0))
    lines = (chat.line(at, envelope, text) for at, chat, envelope, text in ordered[:MOST_LINES])
    return Section(title=title, lines=tuple(lines), more=max(0, len(ordered) - MOST_LINES))


class _Chat:
    """The lines of one chat."""

    def __init__(self, log: ChatLog, since: datetime | None, until: datetime) -> None:
        self._log = log
        self._until = until
        self.imported, self.damaged = log.state.imported, bool(log.damage)
        marks = (" (imported)" if self.imported else "") + (" (damaged)" if self.damaged else "")
        self._title = f"{log.title}{marks}"
        self._span = since, until
        self._entries = _sorted(log.events)
        found = decisions(self._entries[SETTLING])
        self._settled = [one for one in found if within(one.envelope.at, since, until)]
        self.decided = counted(self._settled)
        folded = self._entries[FOLDED]
        self._at = {envelope.seq: envelope for envelope in folded}
        ledger = Ledger()
        for envelope in folded:
            ledger.add(envelope)
        self.effects = [effect for effect in ledger.newest_first() if within(effect.at, since, until)]

    def line(self, at: datetime, envelope: Envelope | None, text: _Words) -> Line:
        """A line that is shown; without an entry it leads to the beginning of the chat."""
        state = self._log.state
        words = text() if callable(text) else text
        return Line(
            at=at,
            text=one_line(str(words)),
            words=words if isinstance(words, Words) else None,
            session_id=envelope.session_id if envelope is not None else state.session_id,
            seq=envelope.seq if envelope is not None else 0,
            event_id=envelope.event_id if envelope is not None and state.kind != "project" else "",
            chat=self._title,
        )

    def _line(self, envelope: Envelope, text: _Words) -> _Told:
        return envelope.at, self, envelope, text

    def _of(self, kinds: frozenset[str]) -> Iterator[Envelope]:
        """The entries of this time of some kinds, in order."""
        return (envelope for envelope in self._entries[kinds] if within(envelope.at, *self._span))

    def asked(self) -> Iterator[_Told]:
        """A person's messages, plans that they approved, and what they forbade in words."""
        plans: dict[str, str] = {}
        titles = {one.boundary_id: one.title for one in self._log.state.boundaries}
        for envelope in self._of(_ASKED):
            if envelope.kind == "user_message":
                if _is_of_person(envelope):
                    yield self._line(envelope, partial(_message_words, envelope))
                continue
            match envelope.event:
                case InputRequested(request=PlanReview() as plan) as asked:
                    plans[asked.input_id] = plan.plan
                case InputResolved(reason="person") as answered if answered.input_id in plans:
                    said = "approved" if answered.answer.outcome == "allow_once" else "declined"
                    plan_text = answered.answer.edited_plan or plans[answered.input_id]
                    yield self._line(envelope, Words(told.ASKED_TOLD[said], (plan_text,)))
                case BoundaryProposed() as found:
                    titles[found.boundary_id] = found.title
                    names = (found.title,) if found.by == "agent" else (found.title, found.quote)
                    form = "by_agent" if found.by == "agent" else "proposed"
                    yield self._line(envelope, Words(told.ASKED_TOLD[form], names, "boundary"))
                case BoundaryDecided() as ruled:
                    title = titles.get(ruled.boundary_id, told.EARLIER)
                    yield self._line(envelope, Words(told.ASKED_TOLD[ruled.decision], (title,), "boundary"))
                case _:
                    pass

    def ruled(self) -> Iterator[_Told]:
        """What people declined or changed, rules and modes."""
        for one in self._settled:
            answer = one.answer.answer if one.answer is not None and one.by == "people" else None
            if answer is not None and answer.outcome == "reject" and answer.note:
                yield self._line(one.envelope, _of_call("noted", one.decided, answer.note))
            elif answer is not None and answer.outcome == "reject":
                yield self._line(one.envelope, _of_call("rejected", one.decided))
            elif answer is not None and answer.edited_input is not None:
                yield self._line(one.envelope, _of_call("edited", one.decided))
        for envelope in self._of(_RULED):
            match envelope.event:
                case RuleSaved() as saved:
                    yield self._line(envelope, Words("{}", (rule_words(saved.rule),), "words"))
                case ModeChanged(by="person" | "plan_approval") as mode:
                    modes = (mode_label(mode.previous), mode_label(mode.mode))
                    yield self._line(envelope, Words(told.RULED_TOLD["mode"], modes))
                case _:
                    pass

    def changed(self) -> Iterator[_Told]:
        """The entries of the undo ledger."""
        for effect in reversed(self.effects):
            yield self._line(self._at[effect.seq], partial(effect_words, effect))

    def refused(self) -> Iterator[_Told]:
        """Refused calls by rule, with how many there were."""
        by = Counter(one.decided.rule for one in self._settled if one.by == "refused")
        newest = {one.decided.rule: one for one in self._settled if one.by == "refused"}
        for rule, count in by.most_common():
            last = newest[rule]
            named_words = (str(count), rule, last.decided.reason)
            yield self._line(last.envelope, Words(told.RULED_TOLD["refused"], named_words, "words", at=2))

    def open(self) -> Iterator[_Told]:
        """Cards and questions that wait, and queued messages, each at the time since when."""
        state = self._log.state
        requested = self._entries[_REQUESTED] if state.open_inputs or state.late_inputs else []
        asked = {one.event.input_id: one for one in requested if isinstance(one.event, InputRequested)}
        for input_id, waiting in [*state.open_inputs.items(), *state.late_inputs.items()]:
            request = waiting.request
            what = request.card.title if isinstance(request, ApprovalRequest) else told.KINDS_TOLD[request.kind]
            text = Words(told.OPEN_TOLD["waits"], (what,), _ours_of(request))
            yield self._line(asked[input_id], text) if input_id in asked else self._now(text, waiting.since)
        for message in state.queue:
            yield self._now(Words(told.OPEN_TOLD["queued"], (_text_of(message.parts),)), message.since)

    def risks(self) -> Iterator[_Told]:
        """A damaged record, full auto, no sandbox, what was read that taints and what was remembered then, limits,
        unknown outcomes, what nobody looked back on, and claims that no run bears out."""
        if self._log.damage:
            yield self._now(Words(told.RISKS_TOLD["damaged"], (self._log.damage,), "words"))
        yield from self._risky_events()
        if unseen := len(self._log.state.reviews):
            yield self._now(Words(told.RISKS_TOLD["unseen_one" if unseen == 1 else "unseen"], (str(unseen),)))
        if (open_claims := claims.open_claims(self._entries[claims.KINDS])) is not None:
            for words in open_claims[1]:
                yield self._line(open_claims[0], words)
        for effect in self.effects:
            if effect.unknown and effect.kind != "command":
                words = Words(told.RISKS_TOLD["unknown"], (effect.what,), _ours(effect))
                yield self._line(self._at[effect.seq], words)

    def _risky_events(self) -> Iterator[_Told]:
        for envelope in self._of(_RISKY):
            match envelope.event:
                case ModeChanged(mode=PermissionMode.FULL_AUTO):
                    yield self._line(envelope, Words(told.RISKS_TOLD["auto"]))
                case SandboxChosen(level="none"):
                    yield self._line(envelope, Words(told.RISKS_TOLD["no_sandbox"]))
                case SessionTainted() as tainted:
                    yield self._line(envelope, Words(told.RISKS_TOLD[tainted.reason], (tainted.source,), "words"))
                case MemoryWritten(status="quarantined", by="agent") as written:
                    yield self._line(envelope, Words(told.RISKS_TOLD["memory"], (written.content,)))
                case ToolCallFinished(outcome="interrupted"):
                    yield self._line(envelope, Words(told.RISKS_TOLD["cut_off"]))
                case Notice(kind="limit") as notice:
                    yield self._line(envelope, Words("{}", (notice.text,), "words"))
                case TurnEnded(status="limit" | "loop") as ended:
                    ending = ended.detail or f"A turn ended at a {ended.status}: {ended.reason}"
                    yield self._line(envelope, Words("{}", (ending,), "words"))
                case _:
                    pass

    def undone(self) -> Iterator[_Told]:
        """What a person took back."""
        for envelope in self._of(_TAKEN_BACK):
            match envelope.event:
                case ReviewReverted() as reverted:
                    paths = named([file.path for file in reverted.files])
                    yield self._line(envelope, Words(told.UNDONE_TOLD["reverted"], (paths,)))
                case FilesRestored() as restored:
                    count = len(restored.restored) + len(restored.removed)
                    yield self._line(envelope, Words(told.UNDONE_TOLD["restored"], (str(count),)))
                case RuleRemoved():
                    yield self._line(envelope, Words(told.UNDONE_TOLD["rule"]))
                case UndoBegun() as begun:
                    yield self._line(envelope, Words("{}", (begun.what,), "words"))
                case _:
                    pass

    def next(self) -> Iterator[_Told]:
        """Open todos in order, and the last words of the agent, marked as its own."""
        for todo in self._log.state.todos:
            if todo.status != "completed":
                yield self._now(Words(told.OPEN_TOLD["todo"], (todo.content,)))
        last = next(reversed(self._entries[_SAID]), None)
        said = last.event if last is not None and within(last.at, *self._span) else None
        if last is not None and isinstance(said, AssistantMessage) and (words := message_text(said).strip()):
            yield self._line(last, Words(told.OPEN_TOLD["last"], (words,)))

    def _now(self, text: str | Words, since: datetime | None = None) -> _Told:
        """A line that leads to the end of the chat. `since`: when it began, where that is known."""
        if not self._log.events:
            return since or self._until, self, None, text
        last = self._log.events[-1]
        return since or last.at, self, last, text


def _sorted(log: Iterable[Envelope]) -> dict[frozenset[str], list[Envelope]]:
    """The entries that are read, by what reads them, in order: a log is gone through once."""
    found: dict[frozenset[str], list[Envelope]] = {kinds: [] for kinds in _READ}
    readers = {
        kind: [found[kinds].append for kinds in _READ if kind in kinds] for kind in frozenset[str]().union(*_READ)
    }
    for envelope in log:
        for read in readers.get(envelope.kind, ()):
            read(envelope)
    return found


def one_line(text: str) -> str:
    """The first line that is not blank, short."""
    line = next((stripped for raw in text.splitlines() if (stripped := raw.strip())), "")
    return line if len(line) <= LINE_CHARS else f"{line[: LINE_CHARS - 1].rstrip()}…"


def _is_of_person(envelope: Envelope) -> bool:
    """Whether this is a person's message. Of a stored one that is not read for it: most are only counted. What reads
    `"origin":` in a JSON text is the name of a field, as quotes within words stand there escaped."""
    text = envelope.unread
    if text is not None and text.count('"origin":') == 1:
        return '"origin":"person"' in text or '"origin":"queued"' in text
    said = envelope.event
    return isinstance(said, UserMessage) and said.origin in ("person", "queued")


def _message_words(envelope: Envelope) -> str:
    said = envelope.event
    return (own_words(said) or "(files alone)") if isinstance(said, UserMessage) else "(cannot be read)"


def effect_words(effect: Effect) -> Words:
    """What an effect did, with the files by name and what became of it."""
    paths = [file.path for file in effect.files]
    form, names = "{}", tuple[str, ...]((effect.what,))
    if len(paths) > MOST_NAMED:
        shown, more = ", ".join(paths[:MOST_NAMED]), str(len(paths) - MOST_NAMED)
        form, names = told.CHANGED_TOLD["more"], (effect.what, shown, more, _lines_of(effect))
    elif paths:
        form, names = "{} ({}{})", (effect.what, ", ".join(paths), _lines_of(effect))
    return Words(form, names, _ours(effect), told.STATES_TOLD[effect.state])


def _ours(effect: Effect) -> Literal["", "call", "words"]:
    """Whose words the line of an effect is in."""
    return "words" if not effect.tool else "" if effect.verbatim else "call"


def _ours_of(request: InputRequest) -> Literal["", "call", "words"]:
    """Whose words name a card."""
    if not isinstance(request, ApprovalRequest):
        return "words"
    return "" if is_verbatim_title(request) else "call"


def _of_call(form: str, decided: ToolCallDecided, *more: str) -> Words:
    title, verbatim = title_of(decided)
    return Words(told.RULED_TOLD[form], (title, *more), "" if verbatim else "call")


def _lines_of(effect: Effect) -> str:
    """The lines that came and went, "" where that is not on record."""
    added, removed = sum(file.added for file in effect.files), sum(file.removed for file in effect.files)
    return f", +{added} −{removed}" if added or removed else ""


def _text_of(parts: Sequence[object]) -> str:
    return next((str(part["text"]) for part in parts if isinstance(part, dict) and "text" in part), "(files alone)")
