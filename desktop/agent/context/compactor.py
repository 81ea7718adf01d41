"""Compactor: replaces the earlier part of a conversation by a summary, for the model only (sessions 11).

Staged, then committed: only `Compacted` has an effect. Whatever fails before it leaves the conversation as it was.
"""

from collections.abc import Callable
from typing import Literal, Protocol

from desktop.agent.context.compaction import (
    check_summary,
    fits_tail,
    keeps_words,
    kept_since,
    plan_compaction,
    staged_now,
    summary_messages,
    summary_tokens,
    tail_tokens,
)
from desktop.agent.context.standing_facts import standing_facts
from desktop.agent.context.summarise import summarise
from desktop.agent.context.tokens import TokenMeter
from desktop.agent.core.session import Session
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.chats.commands import Compact
from desktop.domain.chats.updates import CompactionOffered
from desktop.domain.context.events import Compacted, CompactionStaged
from desktop.domain.core.errors import CommandError
from desktop.domain.core.ids import new_id
from desktop.domain.core.usage import Usage, add_usage
from desktop.domain.core.work import Activity

Trigger = Literal["auto", "manual", "overflow"]
_TRIGGERS: dict[str, Trigger] = {"auto": "auto", "manual": "manual", "overflow": "overflow"}
DETAIL = "Shortening the conversation"


class TurnSpend(Protocol):
    """What a summary adds to a running turn: its tokens and its money."""

    turn_id: str
    usage: Usage
    cost_microusd: int | None


class Compactor:
    """`meter`: the meter of a session as of now; `window`: its window, a guess where nobody knows it."""

    def __init__(
        self, settings: SettingsKeeper, meter: Callable[[Session], TokenMeter], window: Callable[[Session], int]
    ) -> None:
        self._settings = settings
        self._meter = meter
        self._window = window

    async def automatic(self, session: Session, turn: TurnSpend, trigger: Trigger) -> None:
        """Summarise and put in force.

        Raises:
            CompactionRefused, SummaryFailed, CommandError: nothing is in force; the text is a sentence for people.
        """
        staged = staged_now(session.log, trigger)
        kept = tail_tokens(session, self._kept(session, staged)) if staged is not None else 0
        if staged is None or not fits_tail(kept, self._window(session)):
            staged = await self._stage(session, trigger, turn=turn)
        self._commit(session, staged, staged.summary)

    async def offer(self, session: Session, command: Compact) -> CompactionOffered:
        """A summary for the person to look at; nothing is in force. `command.keep`: what must not be lost.

        Raises:
            CompactionRefused, SummaryFailed, CommandError: there is no summary.
        """
        staged = staged_now(session.log, "manual") if not command.keep.strip() else None
        if staged is None or kept_since(session.log, staged.staging_id) is not None:
            staged = await self._stage(session, "manual", command.keep)
        before, after = self._sizes(session, self._kept(session, staged), staged.summary)
        check_summary(staged.summary, before, after)
        return CompactionOffered(
            command_id=command.command_id,
            session_id=session.session_id,
            staging_id=staged.staging_id,
            summary=staged.summary,
            tokens_before=before,
            tokens_after=after,
            keeps=keeps_words(session, self._kept(session, staged)),
        )

    def apply(self, session: Session, staging_id: str, summary: str) -> None:
        """Put an offered summary in force, with the person's changes.

        Raises:
            CommandError: the conversation changed since, or there is nothing to put in force.
        """
        staged = staged_now(session.log, "manual")
        if staged is None or staged.staging_id != staging_id:
            raise CommandError("offer_gone", "The conversation changed since. Summarise it again.")
        if not summary.strip():
            raise CommandError("empty", "The summary is empty.")
        self._commit(session, staged, summary)

    async def _stage(
        self, session: Session, trigger: Trigger, keep: str = "", turn: TurnSpend | None = None
    ) -> CompactionStaged:
        window = self._window(session)
        plan = plan_compaction(session, window)
        turn_id = turn.turn_id if turn is not None else ""
        session.set_activity(Activity.COMPACTING, DETAIL)
        made = await summarise(session, self._settings, summary_messages(plan, window, keep), turn_id)
        text = f"{made.text}\n\n{standing_facts(session, plan.quote)}" if made.text else ""
        staged = CompactionStaged(
            staging_id=new_id("stg_"),
            trigger=trigger,
            summary=text,
            usage=made.usage,
            cost_microusd=made.cost_microusd,
            tokens_before=self._meter(session).used,
            keep_from=plan.keep_from,
        )
        session.append(staged)
        if turn is not None:
            turn.usage = add_usage(turn.usage, made.usage)
            known = turn.cost_microusd is not None and made.cost_microusd is not None
            turn.cost_microusd = (turn.cost_microusd or 0) + (made.cost_microusd or 0) if known else None
        return staged

    def _commit(self, session: Session, staged: CompactionStaged, summary: str) -> None:
        keep_from = self._kept(session, staged)
        before, after = self._sizes(session, keep_from, summary)
        edited = summary != staged.summary
        if not edited:
            check_summary(summary, before, after)
        session.append(
            Compacted(
                summary=summary,
                keep_from=keep_from,
                trigger=_TRIGGERS.get(staged.trigger, "auto"),
                staging_id=staged.staging_id,
                tokens_before=before,
                tokens_after=after,
                edited=edited,
            )
        )

    def _kept(self, session: Session, staged: CompactionStaged) -> str | None:
        """From where on everything stays; what was said since the summary was staged stays in any case."""
        planned = staged.keep_from if isinstance(staged.keep_from, str) else None
        return planned or kept_since(session.log, staged.staging_id)

    def _sizes(self, session: Session, keep_from: str | None, summary: str) -> tuple[int, int]:
        """Tokens of the next request without and with the summary, on the scale of the meter."""
        meter = self._meter(session)
        after = meter.fixed + summary_tokens(summary) + tail_tokens(session, keep_from)
        return meter.used, after * meter.used // max(1, meter.estimate)
