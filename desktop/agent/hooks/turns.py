"""TurnHooks: hooks at the start of a turn and where the agent comes to an end of its own (guests-H6)."""

import time

from desktop.agent.core.notes import note_of_strangers
from desktop.agent.core.session import Session
from desktop.agent.hooks.book import BoundHook
from desktop.agent.hooks.runner import HookRunner, source_of
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.work import Activity
from desktop.domain.events import Event, UserMessage
from desktop.domain.hooks.values import HookDecision
from desktop.policy.hooks.answers import HookEnd, text_of

START_ALL_S = 10.0
STOP_ALL_S = 60.0
MOST_PASSES = 2
"""How often hooks may have an agent go on in one turn."""
GOES_ON = "The hook “{hook}” asks to go on, which it may do {most} times a turn. What it says:"


class TurnHooks:
    """Engine thread; nothing of it takes time where no hook is configured."""

    def __init__(self, runner: HookRunner) -> None:
        self._runner = runner
        self._more: dict[str, int] = {}

    async def began(self, session: Session) -> None:
        """Tell the hooks that a turn began; what they print does not matter."""
        self._more.pop(session.session_id, None)
        deadline = time.monotonic() + START_ALL_S
        for bound in self._runner.book.of(session, "on_turn_start"):
            session.set_activity(Activity.PREPARING, f"hook {bound.hook.id}")
            end = await self._run(session, bound, deadline)
            failed = end.problem or (f"it ended with status {end.exit_status}" if end.exit_status != 0 else "")
            self._runner.ran(session, bound, end, "failed" if failed else None, failed)

    async def came_to_end(self, session: Session, turn_id: str) -> UserMessage | None:
        """Tell the hooks that the agent came to an end of its own; a note where one has it go on, at most twice a turn
        and never in Plan. The first that does is the last that runs."""
        deadline = time.monotonic() + STOP_ALL_S
        may_go_on = self._more.get(session.session_id, 0) < MOST_PASSES and session.mode is not PermissionMode.PLAN
        for bound in self._runner.book.of(session, "on_stop"):
            session.set_activity(Activity.RUNNING, f"hook {bound.hook.id}")
            end = await self._run(session, bound, deadline)
            words, problem = text_of(end, "continue")
            goes_on = bool(words) and may_go_on and bound.hook.blocking
            said: HookDecision | None = "failed" if problem else "continued" if goes_on else None
            self._runner.ran(session, bound, end, said, problem or words)
            if goes_on:
                self._more[session.session_id] = self._more.get(session.session_id, 0) + 1
                text = GOES_ON.format(hook=bound.hook.id, most=MOST_PASSES)
                return note_of_strangers("hook", text, source_of(bound.hook), self._runner.clean(words), turn_id)
        return None

    def ended(self, session: Session, turn_id: str) -> tuple[Event, ...]:
        """What is recorded with the end of a turn."""
        self._more.pop(session.session_id, None)
        return self._runner.passed(session, turn_id)

    async def _run(self, session: Session, bound: BoundHook, deadline: float) -> HookEnd:
        """Run it while nothing else changes the lane."""
        async with session.write_lock.held_by(session.state.title):
            return await self._runner.run(session, bound, {}, deadline)
