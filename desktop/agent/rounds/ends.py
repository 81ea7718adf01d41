"""What the end of a round's chat means: its numbers, and whether the round is waited for or paused. Asks git only."""

import asyncio
from datetime import datetime

from desktop.agent.core.ground import Ground
from desktop.agent.core.session import Session
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.usage import Usage
from desktop.domain.events import TurnEnded
from desktop.domain.rounds.items import PipelineRun, RoundRecord
from desktop.services.rounds.facts import changed_since, round_facts

CUT_OFF = "Banksman was closed during the round. Continue its chat, or go on without it"
_WORDS = {
    "interrupted": "a person stopped it",
    "limit": "the limit of the round was reached",
    "loop": "the agent repeated itself",
    "failed": "the chat failed",
}


async def ended_record(
    ground: Ground, at: datetime, lane_id: str, record: RoundRecord, usage: Usage
) -> tuple[RoundRecord, str]:
    """The record with what the chat did, and what of the lane's work is unfinished, "" for nothing."""
    lane = ground.lane(lane_id)
    try:
        commits, files = await asyncio.to_thread(changed_since, lane, record.head_before)
    except BanksmanError:
        commits, files = (), ()
    found = await asyncio.to_thread(round_facts, lane, "", 1)
    ended = record.model_copy(
        update={
            "state": "waiting",
            "ended_at": at,
            "head_after": found.head,
            "commits": commits,
            "files": len(files),
            "tokens": usage.total_input + (usage.output or 0),
        }
    )
    return ended, found.unfinished


def ended_run(run: PipelineRun, event: TurnEnded, unfinished: str) -> PipelineRun:
    """Where the rounds stand once the turn of the last one is over (lanes-P24)."""
    if event.status == "completed" and not unfinished:
        waits = {"state": "polling", "poller": "scheduled", "counted": None, "offline_since": None, "reason": ""}
        return run.model_copy(update=waits)
    why = unfinished if event.status == "completed" else _why(event)
    return run.model_copy(update={"state": "paused", "poller": "paused", "reason": why})


def interrupted(run: PipelineRun) -> PipelineRun:
    """The program ended while the chat was at work; nothing goes on by itself (lanes-P25)."""
    return run.model_copy(update={"state": "paused", "poller": "paused", "reason": CUT_OFF})


def no_answer(session: Session, event: TurnEnded) -> bool:
    """Whether the chat never got a word from the model, so the round did not begin."""
    return event.status == "failed" and session.state.turns <= 1 and session.state.usage == Usage()


def _why(event: TurnEnded) -> str:
    words = _WORDS.get(event.status, "the chat stopped")
    if event.status == "limit" and event.reason == "tokens":
        words = "the token limit of the round was reached"
    return f"{words}: {event.detail}" if event.detail and event.status == "failed" else words
