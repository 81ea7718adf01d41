"""ChangeScopes: which two states of a lane's files a scope compares."""

import asyncio

from desktop.agent.lane_parts import LaneParts
from desktop.domain.lane import Lane
from desktop.domain.review import ChangeScope
from desktop.services.change_scope import commit_sides, lane_sides, uncommitted_sides
from desktop.services.change_sides import Sides, Tree
from desktop.services.git import Git
from desktop.services.lane_files import LaneFiles


class ChangeScopes:
    """All on the engine thread; Git is asked on worker threads."""

    def __init__(self, parts: LaneParts) -> None:
        self._parts = parts

    async def sides(self, lane: Lane, files: LaneFiles, scope: ChangeScope, session_id: str) -> Sides:
        """The two states; with a `problem` where there are none.

        Raises:
            BanksmanError: they cannot be read, or there is no such commit, checkpoint or turn.
        """
        git = Git(files.root)
        if scope.kind == "lane":
            return await asyncio.to_thread(lane_sides, git, lane)
        if scope.kind == "uncommitted":
            return await asyncio.to_thread(uncommitted_sides, git)
        if scope.kind == "commit":
            return await asyncio.to_thread(commit_sides, git, scope.reference)
        return Sides(Tree(""), problem="This is not there yet.")

    async def counted(self, lane: Lane, files: LaneFiles, session_id: str) -> dict[str, Sides]:
        """The scopes whose files are counted beside every listing."""
        git = Git(files.root)
        return {
            "lane": await asyncio.to_thread(lane_sides, git, lane),
            "uncommitted": await asyncio.to_thread(uncommitted_sides, git),
        }
