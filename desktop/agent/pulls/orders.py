"""PullOrderCommands: what a person orders on a lane's request: checks, threads, comments, reviews, text and state."""

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish
from desktop.agent.pulls.actions import PullActions
from desktop.agent.pulls.edits import PullEdits
from desktop.domain.core.command import Command
from desktop.domain.pulls import commands as c
from desktop.domain.pulls.updates import ChecksRerun


class PullOrderCommands:
    """All on the engine thread. What was done shows in the next look at the request; what was not is told, and the
    text is still the person's."""

    def __init__(self, publish: Publish, actions: PullActions, edits: PullEdits) -> None:
        self._publish = publish
        self._actions, self._edits = actions, edits

    def handlers(self) -> dict[type[Command], Handler]:
        """Its commands."""
        return {
            c.RerunChecks: self._rerun,
            c.ReplyToThread: self._reply,
            c.DeleteReply: self._delete_reply,
            c.SetThreadResolved: self._resolve,
            c.PostPullComment: self._comment,
            c.PostReview: self._review,
            c.EditPullRequest: self._edit,
            c.PutProofsBack: self._put_proofs_back,
            c.SetPullState: self._set_state,
            c.UpdatePullBranch: self._update,
        }

    async def _rerun(self, command: c.RerunChecks) -> None:
        results = await self._actions.rerun(command.lane_id, command.names)
        self._publish(ChecksRerun(command_id=command.command_id, lane_id=command.lane_id, results=results))

    async def _reply(self, command: c.ReplyToThread) -> None:
        await self._actions.reply(command.lane_id, command.thread_id, command.body)

    async def _delete_reply(self, command: c.DeleteReply) -> None:
        await self._actions.delete_reply(command.lane_id, command.thread_id, command.comment_id)

    async def _resolve(self, command: c.SetThreadResolved) -> None:
        await self._actions.resolve(command.lane_id, command.thread_id, resolved=command.resolved)

    async def _comment(self, command: c.PostPullComment) -> None:
        await self._edits.comment(command.lane_id, command.body)

    async def _review(self, command: c.PostReview) -> None:
        await self._edits.review(command.lane_id, command.verdict, command.body)

    async def _edit(self, command: c.EditPullRequest) -> None:
        await self._edits.edit(command.lane_id, title=command.title, body=command.body, seen_body=command.seen_body)

    async def _put_proofs_back(self, command: c.PutProofsBack) -> None:
        await self._edits.put_block_back(command.lane_id, command.posted, command.before)

    async def _set_state(self, command: c.SetPullState) -> None:
        await self._edits.set_state(command.lane_id, command.to)

    async def _update(self, command: c.UpdatePullBranch) -> None:
        await self._edits.update_branch(command.lane_id, command.head_oid)
