"""BoundaryKeeper: reads what a person says for boundaries before the model is asked, and does what they decide then."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

from desktop.agent.boundaries.names import LaneNames
from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.gate.open_cards import OpenCards
from desktop.agent.gate.rules import RuleCommands
from desktop.domain.boundaries import commands as c
from desktop.domain.boundaries.events import BoundaryDecided, BoundaryLiftingProposed, BoundaryProposed
from desktop.domain.boundaries.foreign import is_foreign_no
from desktop.domain.boundaries.values import MOST_READ, Boundary, ChatBoundary
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.core.ids import new_id
from desktop.domain.core.update import Update
from desktop.domain.events import Event, Notice, UserMessage
from desktop.domain.gate.rules import Rule
from desktop.domain.history.picked import picked
from desktop.domain.updates import SessionOpened
from desktop.policy.boundaries.lazy import detect, liftings
from desktop.records import dataclass
from desktop.tools.calls.boundaries import WantedBoundary

MOST_PROPOSED = 10
"""So many boundaries that an agent proposed wait for a person."""
MOST_WAITED_S = 2 * 86_400
FOREIGN = "Nothing was taken from this message as forbidden. Say it in English, or add it under Settings › Rules."
CUT = "Only the first 20,000 characters of this message were read for what it forbids."


class BoundaryKeeper:
    """Engine thread only."""

    def __init__(
        self, sessions: Sessions, rules: RuleCommands, cards: OpenCards, clock: Callable[[], datetime]
    ) -> None:
        self._sessions, self._rules, self._cards, self._clock = sessions, rules, cards, clock
        rules.changed.add(self._rules_changed)

    def handlers(self) -> dict[type[Command], Handler]:
        """What a person decides of a boundary."""
        return {c.KeepBoundary: self._keep, c.DismissBoundary: self._dismiss}

    def heard(self, session: Session, events: list[Event]) -> list[Event]:
        """What follows from the words of a person among events that are about to be recorded. Words of agents, notes,
        attachments and other chats make nothing (memory-SB7)."""
        found: list[Event] = []
        known = {(one.quote, one.action) for one in session.state.boundaries}
        for event in events:
            if isinstance(event, UserMessage) and event.origin in ("person", "queued"):
                found += self._found(session, _said(event), known)
        return found

    def _found(self, session: Session, text: str, known: set[tuple[str, str]]) -> list[Event]:
        meant = detect(text, LaneNames(session.files.root if session.files is not None else None))
        found: list[Event] = [self._proposed(one) for one in meant if (one.quote, one.action) not in known]
        in_force = session.state.boundaries
        for lifting in liftings(text) if in_force else ():
            over = (one for one in in_force if one.action == lifting.action and one.lifting != lifting.quote)
            found += [BoundaryLiftingProposed(boundary_id=one.boundary_id, quote=lifting.quote) for one in over]
        if not meant and is_foreign_no(text):
            found.append(Notice(kind="boundaries", text=FOREIGN))
        if len(text) > MOST_READ:
            found.append(Notice(kind="boundaries", text=CUT))
        return found

    def _proposed(self, found: Boundary) -> BoundaryProposed:
        boundary_id, now = new_id("bnd_"), self._clock()
        rules = tuple(
            rule.model_copy(update={"id": f"{boundary_id}.{at}", "scope": "session", "created_at": now})
            for at, rule in enumerate(found.rules)
        )
        return BoundaryProposed(
            boundary_id=boundary_id,
            quote=found.quote,
            action=found.action,
            title=found.title,
            rules=rules,
            limit_microusd=found.limit_microusd,
        )

    def propose(self, session: Session, call_id: str, wanted: WantedBoundary) -> str:
        """See `ChatBoundaries`."""
        if not any(wanted.quote in text for text in _texts_of_person(session)):
            raise BanksmanError("No person wrote these words in this chat. Quote them letter by letter.")
        waiting = [one for one in session.state.boundaries if one.by_agent and one.state == "proposed"]
        if len(waiting) >= MOST_PROPOSED:
            raise BanksmanError(
                f"{MOST_PROPOSED} of your proposals wait for the person. Go by them, and propose no more."
            )
        title, rules = _wanted_rules(wanted)
        if any((one.quote, one.title) == (wanted.quote, title) for one in waiting):
            return title
        found = Boundary(quote=wanted.quote, span=(0, 0), action="", title=title, rules=rules)
        session.append(self._proposed(found).model_copy(update={"by": "agent", "call_id": call_id}))
        return title

    async def _keep(self, command: c.KeepBoundary) -> None:
        session, one = self._boundary(command.session_id, command.boundary_id)
        rules, until = one.rules, one.until
        if one.limit_microusd and command.scope != "session":
            raise CommandError("limit", "A limit of cost is kept for its chat. Settings have limits for all.")
        if one.state == "proposed" and one.rules:
            lane = session.state.lane_id if command.scope == "lane" else ""
            if command.scope == "lane" and not lane:
                raise CommandError("no_lane", "This chat has no lane. Keep it for the chat or the project.")
            scope = "session" if command.scope == "session" else "project"
            until = command.until
            changes = {"scope": scope, "lane": lane, "id": "", "expires_at": until}
            wanted = [rule.model_copy(update=changes) for rule in one.rules]
            rules = tuple(self._rules.save_from_card(session, wanted, ""))
        of = rules[0].scope if rules else "session"
        session.append(
            BoundaryDecided(boundary_id=one.boundary_id, decision="kept", scope=of, rules=rules, until=until)
        )
        self._end_at(until)
        self._cards.judge_again("rule")

    async def _dismiss(self, command: c.DismissBoundary) -> None:
        session, one = self._boundary(command.session_id, command.boundary_id)
        if one.state == "kept":
            self._remove(session, one.rules)
        decision = "lifted" if one.state == "kept" else "dismissed"
        session.append(BoundaryDecided(boundary_id=one.boundary_id, decision=decision))
        self._cards.judge_again("rule")

    def saw(self, update: Update) -> None:
        """A chat that is opened may hold a boundary that ended while it was closed."""
        if isinstance(update, SessionOpened) and not update.is_ahead and update.first:
            asyncio.get_running_loop().call_soon(self._look, update.session_id)

    def _look(self, session_id: str) -> None:
        for session in self._sessions.opened():
            if session.session_id == session_id and not session.state.imported:
                self._end_over(session)
                for one in session.state.boundaries:
                    self._end_at(one.until)

    def _rules_changed(self) -> None:
        for session in self._sessions.opened():
            if not session.state.imported:
                self._end_over(session)

    def _end_over(self, session: Session) -> None:
        """A boundary is over when its time is, or once a person has removed all of the rules as which it was kept."""
        for one in session.state.boundaries:
            ended = one.until is not None and one.until <= self._clock()
            if one.state == "kept" and one.rules and (ended or not self._rules.stands(session, one.rules)):
                session.record(BoundaryDecided(boundary_id=one.boundary_id, decision="lifted"))

    def _end_at(self, until: datetime | None) -> None:
        """Look once more when this moment has come; one that is far away is seen when its chat is opened."""
        left_s = (until - self._clock()).total_seconds() if until is not None else 0
        if 0 < left_s < MOST_WAITED_S:
            asyncio.get_running_loop().call_later(left_s + 0.1, self._rules_changed)

    def _remove(self, session: Session, rules: Iterable[Rule]) -> None:
        for rule in rules:
            self._rules.remove_kept(session, rule)

    def _boundary(self, session_id: str, boundary_id: str) -> tuple[Session, ChatBoundary]:
        session = self._sessions.get(session_id)
        one = next((one for one in session.state.boundaries if one.boundary_id == boundary_id), None)
        if one is None:
            raise CommandError("no_boundary", "This boundary is not in force any more.")
        return session, one


@dataclass(frozen=True)
class SessionBoundaries:
    """The boundaries of one chat, as its tools ask for them (`ChatBoundaries`)."""

    keeper: BoundaryKeeper
    session: Session

    def propose(self, call_id: str, wanted: WantedBoundary, /) -> str:
        """Put it before the person."""
        return self.keeper.propose(self.session, call_id, wanted)


def _texts_of_person(session: Session) -> Iterator[str]:
    for _, event in picked(reversed(session.log), UserMessage):
        if event.origin in ("person", "queued"):
            yield _said(event)


def _wanted_rules(wanted: WantedBoundary) -> tuple[str, tuple[Rule, ...]]:
    """The title and the one rule of what an agent proposes."""
    word = "Don’t" if wanted.decision == "deny" else "Ask before you"
    values: dict[str, object] = {"id": "", "decision": wanted.decision, "quote": wanted.quote, "created_by": "chip"}
    if wanted.command:
        doing = f"run {wanted.command}"
        values |= {"kind": "command", "tokens": tuple(wanted.command.split())}
    elif wanted.path:
        doing = f"{'read' if wanted.reading else 'change'} {wanted.path}"
        values |= {"kind": "path", "glob": wanted.path, "ops": ("read",) if wanted.reading else ("write",)}
    else:
        doing = f"use {wanted.tool}"
        values |= {"kind": "tool", "name": wanted.tool}
    return f"{word} {doing}", (Rule.model_validate(values),)


def _said(message: UserMessage) -> str:
    """What a person typed, without what they attached."""
    if message.display:
        return message.display
    first = next(iter(message.parts), None)
    text = first.get("text") if isinstance(first, dict) else None
    return text if isinstance(text, str) else ""
