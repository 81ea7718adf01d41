"""PullRecovery: what a crash cut off on pull requests is looked up, never repeated, and its record is closed."""

from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.pulls.book import PullBook
from desktop.domain.core.errors import StoreError
from desktop.domain.lanes.events import LaneOperationFinished, LaneOperationStarted

OPENING = "open_pull_request"
_OURS = frozenset(
    {
        OPENING,
        "push",
        "rerun_checks",
        "reply_to_thread",
        "resolve_thread",
        "open_thread_again",
        "comment",
        "review",
        "edit_pull_request",
        "set_pull_request",
        "update_branch",
        "merge_pull_request",
        "open_pull_as_lane",
        "add_remote",
    }
)


class PullRecovery:
    """Engine thread; once for each repository that is opened, before anything of it can run."""

    def __init__(self, log: ProjectLog, book: PullBook) -> None:
        self._log = log
        self._book = book
        self._done: set[str] = set()

    def left_open(self, project_id: str) -> tuple[LaneOperationStarted, ...]:
        """What was begun in an earlier process and never ended; nothing the second time."""
        if project_id in self._done:
            return ()
        self._done.add(project_id)
        return tuple(one for one in self._log.unfinished() if one.operation in _OURS)

    async def go_on(self, left: tuple[LaneOperationStarted, ...]) -> None:
        """A request that was being opened is found by its branch, if it is there. Each record gets its end."""
        for one in left:
            text = "Banksman closed meanwhile."
            if one.operation == OPENING and not self._book.link(one.lane_id).number:
                found = await self._book.fresh(one.lane_id)
                if found.problem is not None:
                    continue  # not known yet; the next start looks again
                text += f" #{found.pull.number} is there." if found.pull is not None else " No request was opened."
            end = LaneOperationFinished(
                operation_id=one.operation_id,
                operation=one.operation,
                lane_id=one.lane_id,
                status="interrupted",
                text=text,
            )
            try:
                self._log.append(end)
            except StoreError:  # a store that can only be read
                return
