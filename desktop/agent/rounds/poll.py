"""One look at a request whose round is over: what is known, and the step that follows from it."""

import asyncio
from collections.abc import Callable
from datetime import datetime

from desktop.agent.core.ground import Ground
from desktop.agent.core.sessions import Sessions
from desktop.agent.rounds.book import OwnPull, ResolutionBook
from desktop.domain.rounds.inventory import came_back
from desktop.domain.rounds.rounds import RoundFacts, Step, next_step
from desktop.services.rounds.facts import round_facts

WORKING = "A chat works in this lane."


async def polled_facts(
    ground: Ground, clock: Callable[[], datetime], book: ResolutionBook, own: OwnPull, may_launch: bool
) -> RoundFacts:
    """All that the step depends on. What the last round left as it was is new again by now."""
    lane = ground.lane(own.snapshot.lane_id)
    found = await asyncio.to_thread(round_facts, lane, own.pull.head_oid, 1)
    items, rounds = book.items(own.key), book.rounds(own.key)
    settled = own.snapshot.problem is None and "checks" in own.snapshot.known and not own.snapshot.pending
    if rounds and settled and found.head == own.pull.head_oid:
        items = came_back(items, own.snapshot, rounds[-1].number, clock(), book.ours(lane.id))
        book.save_items(lane.id, own.key, items)
        rounds = book.rounds(own.key)
    return RoundFacts(
        snapshot=own.snapshot,
        items=items,
        settings=book.settings(own.key),
        run=book.run(own.key),
        rounds=rounds,
        head=found.head,
        unfinished=found.unfinished,
        now=clock(),
        may_launch=may_launch,
    )


def judged(sessions: Sessions, facts: RoundFacts) -> Step:
    """The one thing to do. While somebody works in the lane nothing is judged."""
    lane_id = facts.snapshot.lane_id if facts.snapshot is not None else ""
    if any(session.running for session in sessions.in_lane(lane_id)):
        return Step(kind="wait", reason=WORKING)
    return next_step(facts)
