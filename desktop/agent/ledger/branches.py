"""BranchTaker: commits taken back: the branch goes back while they are nobody else's, else a new commit turns them
round."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from desktop.agent.core.lane_lock import LANE_BUSY
from desktop.agent.core.session import Session
from desktop.agent.lanes.use import LaneUse
from desktop.agent.ledger.taking import Ahead, Look, Took, blocked
from desktop.domain.core.errors import CommandError, GitError
from desktop.domain.undo.steps import BranchStep
from desktop.services.changes.turn_round import CommitUndo, go_back, plan_commit_undo, turn_round
from desktop.services.git.run import Git
from desktop.services.processes.stubborn import to_its_end

UNKNOWN = "?"
"""Where a branch will stand after a commit that is not made yet."""


class BranchTaker:
    """Git works on worker threads, alone with the repository and the lane."""

    def __init__(self, use: LaneUse) -> None:
        self._use = use

    async def look(self, session: Session, step: BranchStep, ahead: Ahead) -> Look:
        """See `Taker`."""
        head = ahead.branches.get(step.branch, "")
        if head == UNKNOWN:
            return Look("ready", f"A new commit turns {step.at[:7]} round, if it fits then.", "later")
        plan = await asyncio.to_thread(plan_commit_undo, self._git(session), step, head)
        if plan.way == "blocked":
            return Look("blocked", plan.problem, plan.head, plan.paths)
        if plan.way == "done":
            return Look("done", "The branch stands as before it.", plan.head)
        ahead.branches[step.branch] = plan.to if plan.way == "back" else UNKNOWN
        return Look("ready", _words(step, plan), f"{plan.way} {plan.head} {plan.to} {plan.tree}", plan.paths)

    async def take(self, session: Session, step: BranchStep) -> Took:
        """See `Taker`."""
        git = self._git(session)
        async with self._alone(session):
            plan = await asyncio.to_thread(plan_commit_undo, git, step)
            if plan.way == "blocked":
                raise blocked(Look("blocked", plan.problem))
            try:
                if plan.way == "turn":
                    made = await to_its_end(asyncio.to_thread(turn_round, git, step.branch, plan))
                    opposite = BranchStep(branch=step.branch, at=made, turn=True)
                    return Took(f"{_words(step, plan)[:-1]}: {made[:7]}.", opposite, plan.paths)
                if plan.way == "back":
                    await to_its_end(asyncio.to_thread(go_back, git, step.branch, plan))
            except GitError as error:
                raise CommandError("not_undone", str(error)) from error
        opposite = BranchStep(branch=step.branch, at=plan.to, to=plan.at, forward=not step.forward)
        return Took(_words(step, plan), opposite)

    @asynccontextmanager
    async def _alone(self, session: Session) -> AsyncIterator[None]:
        async with self._use.repository(session.state.project_id):
            if session.write_lock.locked():
                raise CommandError("lane_busy", LANE_BUSY)
            async with session.write_lock:
                yield

    def _git(self, session: Session) -> Git:
        if session.lane is None or session.files is None or session.files.moved:
            raise CommandError("no_lane", "This chat has no lane any more.")
        return Git(Path(session.lane.worktree_path))


def _words(step: BranchStep, plan: CommitUndo) -> str:
    if plan.way == "turn":
        return f"A new commit turns {plan.at[:7]} round."
    if step.forward:
        return f"{step.branch} goes on to {plan.to[:7]}; no file changes."
    return f"{step.branch} goes back to {plan.to[:7]}; the changes stay in the files."
