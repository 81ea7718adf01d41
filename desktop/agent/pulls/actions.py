"""PullActions: checks run again, threads answered and resolved, by people and by agents; each once (lanes-P31)."""

from collections.abc import Callable, Sequence

from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.pulls.book import PullBook
from desktop.agent.pulls.here import PullHere, pull_here, recorded
from desktop.domain.core.errors import CommandError
from desktop.domain.core.event_base import By
from desktop.domain.github.values import GitHubError
from desktop.domain.pulls.pull_request import Check, Comment, ReviewThread
from desktop.domain.pulls.updates import RerunResult
from desktop.services.pulls.text import checked_text

RERUN = ("failure", "cancelled", "timed_out")


class PullActions:
    """All on the engine thread. Nothing is shown as done before GitHub accepted it; a write whose answer was lost is
    looked up before anything is said of it. `done` is called with the lane when something may look different.

    Every method raises CommandError or GitHubError with the sentence to show.
    """

    def __init__(self, log: ProjectLog, book: PullBook, done: Callable[[str], None]) -> None:
        self._log = log
        self._book, self._done = book, done

    # Checks

    async def rerun(self, lane_id: str, names: Sequence[str] = (), *, by: By = "person") -> tuple[RerunResult, ...]:
        """Run failed checks again, all or those of these names; what came of each. Of a workflow run, all jobs that
        failed run again."""
        here = await pull_here(self._book, lane_id, by=by)
        listed = await here.place.client.checks.of_commit(here.pull.head_oid)
        failed = [check for check in listed.items if check.outcome == "bad"]
        if not failed and not names:
            raise CommandError("none_failed", "No check failed.")
        results = [_not_failed(name, listed.items) for name in names if name not in {check.name for check in failed}]
        chosen = [check for check in failed if not names or check.name in names]
        runs = {check.run_id for check in chosen if check.run_id and check.conclusion in RERUN}
        async with recorded(self._log, here, "rerun_checks", by=by, names=[check.name for check in chosen]) as op:
            for run_id in sorted(runs):
                problem = await self._tried(here, run_id=run_id)
                of_run = [check for check in failed if check.run_id == run_id and check.conclusion in RERUN]
                results += [RerunResult(name=check.name, problem=problem) for check in of_run]
            for check in chosen:
                if check.run_id not in runs or check.conclusion not in RERUN:
                    problem = await self._tried(here, check=check)
                    results.append(RerunResult(name=check.name, problem=problem))
            asked = sum(not result.problem for result in results)
            op.text = f"Asked {asked} of {len(results)} checks to run again."
        self._done(lane_id)
        return tuple(results)

    async def _tried(self, here: PullHere, *, run_id: int = 0, check: Check | None = None) -> str:
        if check is not None and check.kind == "status":
            return "A commit status cannot be run again from here."
        try:
            if check is not None:
                await here.place.client.checks.rerequest(check.id)
            else:
                await here.place.client.checks.rerun_failed(run_id)
        except GitHubError as error:
            if error.answer_lost:
                return f"{error} It may run again all the same; refresh to see."
            return str(error)
        return ""

    # Threads

    async def reply(self, lane_id: str, thread_id: str, body: str, *, by: By = "person") -> Comment:
        """Answer in a thread of the lane's request; the thread's owner is asked of GitHub, never assumed."""
        here = await pull_here(self._book, lane_id, by=by)
        text = checked_text(body)
        await self.require_own(here, thread_id)
        known = known_comments(self._book, lane_id)
        async with recorded(self._log, here, "reply_to_thread", by=by, thread=thread_id, chars=len(text)) as op:
            try:
                made = await here.place.client.threads.reply(thread_id, text)
            except GitHubError as error:
                if not error.answer_lost:
                    raise
                made = found_again((await self._looked_up(here, thread_id, error)).comments, text, known, error)
            op.result["comment"] = made.id
            op.text = f"Replied in a thread of #{here.number}."
            if by == "tool":
                self._book.store.add_agent_comment(lane_id, made.id)
        self._done(lane_id)
        return made

    async def delete_reply(self, lane_id: str, thread_id: str, comment_id: str) -> bool:
        """Delete a comment of this account in a thread of the lane's request. False: it is gone already."""
        here = await pull_here(self._book, lane_id)
        comment = await self._comment(here, thread_id, comment_id)
        if comment is None:
            self._done(lane_id)
            return False
        if not comment.mine:
            raise CommandError("not_yours", "Somebody else wrote this comment, so it is not deleted.")
        async with recorded(self._log, here, "delete_reply", thread=thread_id, comment=comment_id) as op:
            try:
                await here.place.client.threads.delete_comment(comment_id)
            except GitHubError as error:
                if not error.answer_lost or await self._comment(here, thread_id, comment_id) is not None:
                    raise
            op.text = f"Deleted a reply in a thread of #{here.number}."
        self._done(lane_id)
        return True

    async def _comment(self, here: PullHere, thread_id: str, comment_id: str) -> Comment | None:
        thread = await self.thread(here, thread_id)
        return next((one for one in thread.comments if one.id == comment_id), None)

    async def resolve(self, lane_id: str, thread_id: str, *, resolved: bool = True, by: By = "person") -> bool:
        """Resolve a thread, or open it again. False: it was so already."""
        here = await pull_here(self._book, lane_id, by=by)
        thread = await self.thread(here, thread_id)
        if thread.resolved == resolved:
            self._done(lane_id)
            return False
        name = "resolve_thread" if resolved else "open_thread_again"
        async with recorded(self._log, here, name, by=by, thread=thread_id) as op:
            try:
                await here.place.client.threads.set_resolved(thread_id, resolved=resolved)
            except GitHubError as error:
                if not error.answer_lost or (await self.thread(here, thread_id)).resolved != resolved:
                    raise
            op.text = "Resolved." if resolved else "Open again."
        self._done(lane_id)
        return True

    async def thread(self, here: PullHere, thread_id: str) -> ReviewThread:
        """A thread of this request as it is now, with all its comments."""
        listed = await here.place.client.threads.of_request(here.number)
        for thread in listed.items:
            if thread.id == thread_id:
                return thread
        raise _foreign(thread_id, here)

    async def require_own(self, here: PullHere, thread_id: str) -> None:
        """Raises CommandError unless GitHub says that the thread belongs to this request."""
        try:
            repository, number = await here.place.client.threads.owner(thread_id)
        except GitHubError as error:
            if error.kind in ("not_found", "invalid"):
                raise _foreign(thread_id, here) from error
            raise
        if number != here.number or repository.slug.casefold() != here.place.repository.slug.casefold():
            raise _foreign(thread_id, here)

    async def _looked_up(self, here: PullHere, thread_id: str, error: GitHubError) -> ReviewThread:
        try:
            return await self.thread(here, thread_id)
        except GitHubError as again:
            raise not_known(error, again) from again


def known_comments(book: PullBook, lane_id: str) -> frozenset[str]:
    """The ids of all comments that were there at the last look."""
    found = book.snapshot(lane_id)
    if found is None:
        return frozenset()
    of_threads = (comment.id for thread in found.threads for comment in thread.comments)
    return frozenset((*of_threads, *(comment.id for comment in found.comments)))


def found_again(comments: Sequence[Comment], text: str, known: frozenset[str], error: GitHubError) -> Comment:
    """The comment that a lost answer was about: this account's, with these words, and new. Raises `error` when there is
    none."""
    for comment in reversed(comments):
        if comment.mine and comment.id not in known and comment.body.replace("\r\n", "\n").strip() == text:
            return comment
    raise error


def not_known(error: GitHubError, again: GitHubError) -> GitHubError:
    """A write whose answer was lost, and which could not be looked up either."""
    text = f"{error} Whether it was done could not be looked up: {again} Refresh before you try again."
    return GitHubError(error.problem.model_copy(update={"text": text}), answer_lost=True)


def _not_failed(name: str, checks: Sequence[Check]) -> RerunResult:
    there = next((check for check in checks if check.name == name), None)
    if there is None:
        return RerunResult(name=name, problem="There is no such check.")
    return RerunResult(name=name, problem="It is still running." if there.outcome == "pending" else "It did not fail.")


def _foreign(thread_id: str, here: PullHere) -> CommandError:
    return CommandError("other_thread", f"Thread {thread_id} does not belong to #{here.number}.")
