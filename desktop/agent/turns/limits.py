"""LimitWatch: the hard stops of a turn, a chat and a day, checked before each request and each call (sessions 10.3)."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import NamedTuple

from desktop.agent.context.keeper import ContextKeeper
from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish, Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.agent.turns.spend import ALARM_MICROUSD, DaySpend, alarm, dollars, waited
from desktop.agent.turns.turn import Turn
from desktop.config.settings import limits_problem
from desktop.domain.chats.commands import SetLimits
from desktop.domain.chats.queue_events import Limits, LimitsChanged
from desktop.domain.chats.updates import SpendAlarm
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.core.listeners import Voices
from desktop.domain.core.usage import Usage
from desktop.domain.events import Notice
from desktop.domain.guests.values import guest_of
from desktop.providers.base import Request
from desktop.providers.kinds import request_cost
from desktop.providers.prices import prices_loaded, warm_prices
from desktop.records import dataclass

WARN_PERCENT = 80
SMALLEST_ANSWER = 1_024
_PRICE_STEP = 100_000
_STOPPED_TOLD: Mapping[str, str] = {
    "": "Stopped at the limit of {what}. The task may be unfinished.",
    "steps": "Stopped at the limit of {what} steps. The task may be unfinished.",
    "time": "Stopped at the limit of {what} of running time. The task may be unfinished.",
}
_LIMIT_TOLD: Mapping[str, str] = {
    "tokens": "{} tokens",
    "cost": "{} per turn",
    "chat_cost": "{} for this chat",
    "day_cost": "{} for today",
    "above": "{} of the chat “{}”",
    "claimed": "{}, by what the agent claims of its use",
}


class LimitReached(BanksmanError):
    """Nothing more may be asked of the model or begun. `reason`: which limit, as a word."""

    def __init__(self, reason: str, what: str) -> None:
        super().__init__(_STOPPED_TOLD.get(reason, _STOPPED_TOLD[""]).format(what=what))
        self.reason = reason
        self.note_kind = "step_limit" if reason in ("steps", "time") else "cost_limit"


@dataclass(frozen=True)
class Budget:
    """Something that is used up: so much of `limit` was used, `before` of it when the turn began. `money`: counted in
    microdollars, else in tokens. `whose`: the chat above whose limit it is, "" for its own. `claimed`: some of it is
    what an agent of others says of itself."""

    reason: str
    used: int
    limit: int
    before: int
    money: bool
    whose: str = ""
    claimed: bool = False

    @property
    def what(self) -> str:
        """The limit in words."""
        told = _LIMIT_TOLD[self.reason if self.money else "tokens"]
        told = told.format(dollars(self.limit) if self.money else f"{self.limit:,}")
        if self.whose:
            told = _LIMIT_TOLD["above"].format(told, self.whose)
        return told if self.money or not self.claimed else _LIMIT_TOLD["claimed"].format(told)


class Spent(NamedTuple):
    """So many tokens and microdollars."""

    tokens: int = 0
    cost_microusd: int = 0


class LimitWatch:
    """For the turns of all sessions. `problems`: sentences about limits of the settings that cannot be used. `below`:
    each gives what the children of a chat that still run have used; `turn_above`: each gives the turn of a chat above a
    child, None where none runs. What a child uses counts in the limits of all above it."""

    def __init__(
        self,
        settings: SettingsKeeper,
        context: ContextKeeper,
        day: DaySpend,
        publish: Publish,
        problems: tuple[str, ...] = (),
    ) -> None:
        self._settings = settings
        self._context = context
        self._day = day
        self._publish = publish
        self._problems = problems
        self._told: set[str] = set()
        self.below = Voices[[Session], Spent]()
        self.turn_above = Voices[[Session], Turn | None]()

    def in_force(self, session: Session) -> Limits:
        """The limits of the turn that is continued, else those of the chat, else those of the settings; and what a
        person said that the chat may cost, in whatever turn."""
        limits = session.state.turn_limits or session.state.limits or self._settings.current.limits
        spoken = [one.limit_microusd for one in session.state.boundaries if one.limit_microusd]
        if not spoken:
            return limits
        return limits.model_copy(update={"chat_microusd": min([*spoken, limits.chat_microusd or min(spoken)])})

    def check_price(self, endpoint_id: str, model: str, limits: Limits) -> None:
        """Refuse what costs when nobody knows how much (sessions-SK8).

        Raises:
            CommandError: `no_price`.
        """
        if (limits.cost_microusd or limits.chat_microusd or limits.day_microusd) and not self._priced(
            endpoint_id, model
        ):
            raise CommandError(
                "no_price",
                f"There is no price for {model or 'what this agent asks'}, so the cost limit cannot be kept. Set a "
                "price, use a token limit, or remove the limit.",
            )

    async def may_begin(self, endpoint_id: str, model: str, limits: Limits) -> None:
        """`check_price`, once the prices are loaded, which takes a moment and is done on a thread."""
        if (limits.cost_microusd or limits.chat_microusd or limits.day_microusd) and not prices_loaded():
            await asyncio.to_thread(warm_prices)
        self.check_price(endpoint_id, model, limits)

    async def may_ask(self, session: Session) -> None:
        """Refuse a request beside the turns whose money is used up, or whose price nobody knows.

        Raises:
            CommandError: `no_price` or `limit`.
        """
        limits = self.in_force(session)
        await self.may_begin(session.state.endpoint_id, session.state.model, limits)
        for used, limit, words in (
            (session.state.cost_microusd, limits.chat_microusd, "this chat"),
            (self._day.total() if limits.day_microusd else 0, limits.day_microusd, "today"),
        ):
            if limit and used >= limit:
                raise CommandError("limit", f"The limit of {dollars(limit)} for {words} is used up.")

    def begin(self, session: Session, turn: Turn) -> None:
        """A turn begins: remember what was spent before it; tell once in each chat which settings cannot be used."""
        turn.cost_before = session.state.cost_microusd
        turn.day_before = self._day.total() if self.in_force(session).day_microusd else 0
        if self._problems and session.session_id not in self._told:
            self._told.add(session.session_id)
            session.append(Notice(kind="limits", level="warning", text=" ".join(self._problems)))

    def before_request(self, session: Session, turn: Turn) -> None:
        """Stop at a limit; say once that a budget is nearly used up, and once that money goes fast.

        Raises:
            LimitReached: one more request would pass a limit.
            CommandError: `no_price`, when the model was changed meanwhile.
        """
        limits = self.in_force(session)
        self.check_price(session.state.endpoint_id, session.state.model, limits)
        if turn.steps >= limits.steps:
            raise LimitReached("steps", f"{limits.steps}")
        self.before_call(session)
        self._check_spent(session, turn, limits)

    def before_guest_asks(self, session: Session, turn: Turn) -> None:
        """As `before_request`, before a guest asks its model; its steps are its calls.

        Raises:
            LimitReached: one more request would pass a limit.
            CommandError: `no_price`, something in this turn cost what nobody knows.
        """
        limits = self.in_force(session)
        if turn.cost_microusd is None and (limits.cost_microusd or limits.chat_microusd or limits.day_microusd):
            text = "The model of this agent was asked for a price that nobody knows, so the cost limit cannot be kept. "
            raise CommandError("no_price", f"{text}Set a price, use a token limit, or remove the limit.")
        self.before_call(session)
        self._check_spent(session, turn, limits)

    def _check_spent(self, session: Session, turn: Turn, limits: Limits) -> None:
        for budget in self._budgets(session, turn, limits):
            if budget.used >= budget.limit:
                raise LimitReached(budget.reason, budget.what)
            self._warn(session, turn, budget)
        for budget in self._budgets_above(session):
            if budget.used >= budget.limit:
                raise LimitReached(budget.reason, budget.what)
        if (
            not turn.alarmed
            and session.state.cost_microusd > ALARM_MICROUSD
            and (text := alarm(session.log, session.now()))
        ):
            turn.alarmed = True
            self._publish(SpendAlarm(session_id=session.session_id, text=text))

    def before_call(self, session: Session) -> None:
        """Stop when the turn has run long enough; waiting for people is not running.

        Raises:
            LimitReached: it has.
        """
        limit_s, turn = self.in_force(session).running_s, session.state.turn
        if not limit_s or turn is None:
            return
        ran = session.now() - turn.started_at - waited(session.state, session.now())
        if ran >= timedelta(seconds=limit_s):
            raise LimitReached("time", f"{limit_s // 60} min {limit_s % 60} s")
        if session.parent is not None:
            self.before_call(session.parent)

    def max_tokens(self, session: Session, turn: Turn, request: Request) -> int:
        """How much the answer may have, so that with the estimated input every budget is kept (sessions-SK7).

        Raises:
            LimitReached: less than 1,024 tokens would be left for the answer.
        """
        estimated = self._context.meter(session).used
        allowed = request.max_tokens
        price = partial(request_cost, self._settings.find(session.state.endpoint_id), request.model)
        own = self._budgets(session, turn, self.in_force(session))
        for budget in (*own, *self._budgets_above(session)):
            left = _answer_tokens(budget, estimated, price)
            if left is not None and left < min(SMALLEST_ANSWER, request.max_tokens):
                raise LimitReached(budget.reason, budget.what)
            allowed = allowed if left is None else min(allowed, left)
        return allowed

    def _budgets(self, session: Session, turn: Turn, limits: Limits) -> Iterator[Budget]:
        spent = turn.cost_microusd if turn.cost_microusd is not None else session.state.cost_microusd - turn.cost_before
        tokens = turn.usage.total_input + (turn.usage.output or 0)
        for below in self.below(session):
            tokens, spent = tokens + below.tokens, spent + below.cost_microusd
        if limits.tokens:
            claimed = turn.claimed_tokens
            yield Budget("tokens", tokens + claimed, limits.tokens, 0, money=False, claimed=bool(claimed))
        if limits.cost_microusd:
            yield Budget("cost", spent, limits.cost_microusd, 0, money=True)
        if limits.chat_microusd:
            used = session.state.cost_microusd + sum(below.cost_microusd for below in self.below(session))
            yield Budget("chat_cost", used, limits.chat_microusd, turn.cost_before, money=True)
        if limits.day_microusd:
            yield Budget("day_cost", self._day.total(), limits.day_microusd, turn.day_before, money=True)

    def _budgets_above(self, session: Session) -> Iterator[Budget]:
        """Those of the chats above a child, each named in words."""
        for one in session.above:
            turn = next((turn for turn in self.turn_above(one) if turn is not None), None) or Turn(
                cost_before=one.state.cost_microusd
            )
            for budget in self._budgets(one, turn, self.in_force(one)):
                yield replace(budget, whose=one.state.title)

    def _warn(self, session: Session, turn: Turn, budget: Budget) -> None:
        line = budget.limit * WARN_PERCENT
        if turn.warned or budget.used * 100 < line or budget.before * 100 >= line:
            return
        turn.warned = True
        text = f"{budget.used * 100 // budget.limit} % of the limit of {budget.what} is used."
        session.append(Notice(kind="limit", level="warning", text=text))

    def _priced(self, endpoint_id: str, model: str) -> bool:
        """Of a guest it is known once its model answers, which the proxy counts."""
        if guest := guest_of(endpoint_id):
            return bool(self._settings.current.guest_models.get(guest))
        endpoint = self._settings.find(endpoint_id)
        return request_cost(endpoint, model, Usage(input=1, output=1)) is not None


class LimitCommands:
    """The commands that set limits. Only a person's, never a tool's or a repository's (sessions-SK6)."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def handlers(self) -> dict[type[Command], Handler]:
        """SetLimits; RaiseLimits is among the commands of turns, because it goes on."""
        return {SetLimits: self._set}

    async def _set(self, command: SetLimits) -> None:
        self._sessions.get(command.session_id).append(checked(command.limits, "session"))


def checked(limits: Limits, scope: str) -> LimitsChanged:
    """The event that puts limits in force.

    Raises:
        CommandError: `limits`, one of them cannot be kept.
    """
    problem = limits_problem(limits)
    if problem:
        raise CommandError("limits", problem)
    return LimitsChanged(limits=limits, scope="turn" if scope == "turn" else "session")


def _answer_tokens(budget: Budget, estimated_input: int, price: Callable[[Usage], int | None]) -> int | None:
    """Tokens that an answer may have within a budget, None: as many as it likes, because they cost nothing."""
    left = budget.limit - budget.used
    if not budget.money:
        return left - estimated_input
    question = price(Usage(input=estimated_input, output=0))
    answer = price(Usage(input=0, output=_PRICE_STEP))
    if not answer:
        return None
    return max(left - (question or 0), 0) * _PRICE_STEP // answer
