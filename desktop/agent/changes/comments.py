"""CommentCommands: a person's comments on lines of a lane's changes, and which files were looked at."""

import asyncio
from collections.abc import Callable
from datetime import datetime

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground, Telling
from desktop.agent.lanes.folder import FilesOf
from desktop.agent.turns.chat_work import ChatWork
from desktop.domain.changes import commands as c
from desktop.domain.changes.updates import CommentsChanged, ViewedChanged
from desktop.domain.changes.values import ReviewComment
from desktop.domain.commands import NewSession
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError, PathError
from desktop.domain.lanes.lane import Lane
from desktop.services.changes.comment_message import comment_message
from desktop.services.changes.commented_files import CommentedFiles, still_viewed
from desktop.services.changes.sides import require_lane_path
from desktop.store.core.reviews import ReviewStore

MAX_CHARS = 5_000
MAX_COMMENTS = 500
SENT = "This comment was sent already, so it is not changed any more. Write another one."


class CommentCommands:
    """All on the engine thread; files are read on worker threads."""

    def __init__(
        self,
        ground: Ground,
        telling: Telling,
        clock: Callable[[], datetime],
        files_of: FilesOf,
        chats: ChatWork,
        kept: ReviewStore,
    ) -> None:
        self._telling = telling
        self._ground = ground
        self._clock = clock
        self._files_of = files_of
        self._chats = chats
        self._kept = kept
        self._sending: dict[str, asyncio.Lock] = {}

    def handlers(self) -> dict[type[Command], Handler]:
        """Keeping, showing and sending comments."""
        return {
            c.LoadComments: self._load,
            c.SaveComment: self._save,
            c.ResolveComment: self._resolve,
            c.SendComments: self._send,
            c.MarkViewed: self._mark,
        }

    async def _load(self, command: c.LoadComments) -> None:
        await self._tell(self._ground.lane(command.lane_id))

    async def _save(self, command: c.SaveComment) -> None:
        """Raises CommandError `bad_comment` or `already_sent`."""
        lane = self._ground.lane(command.lane_id)
        given = command.comment
        known = {one.comment_id: one for one in self._kept.comments(lane.id)}
        before = known.get(given.comment_id)
        if before is not None and before.state != "draft":
            raise CommandError("already_sent", SENT)
        if not given.text.strip():
            self._kept.remove(lane.id, given.comment_id)
            await self._tell(lane)
            return
        _check(given, len(known) - (before is not None))
        created = before.created_at if before is not None else self._clock()
        update = {"state": "draft", "outdated": False, "session_id": "", "created_at": created}
        comment = given.model_copy(update=update)
        if not comment.quoted:
            comment = await asyncio.to_thread(self._files(lane).quote, comment)
        self._kept.save(lane.id, comment)
        await self._tell(lane)

    async def _resolve(self, command: c.ResolveComment) -> None:
        """Raises CommandError `no_comment`: it is not there, or was not sent."""
        lane = self._ground.lane(command.lane_id)
        found = next((one for one in self._kept.comments(lane.id) if one.comment_id == command.comment_id), None)
        if found is None or found.state == "draft":
            raise CommandError("no_comment", "There is no sent comment of this kind any more.")
        state = "resolved" if command.resolved else "sent"
        self._kept.save(lane.id, found.model_copy(update={"state": state}))
        await self._tell(lane)

    async def _send(self, command: c.SendComments) -> None:
        """Raises CommandError `nothing_to_send`, `other_lane`, or why a message cannot be sent; they stay drafts."""
        lane = self._ground.lane(command.lane_id)
        known = self._chats.sessions.knows(command.session_id)
        session = self._chats.sessions.get(command.session_id) if known else None
        if session is not None and session.state.lane_id != lane.id:
            raise CommandError("other_lane", "This chat works in another lane.")
        async with self._sending.setdefault(lane.id, asyncio.Lock()):
            files = self._files(lane)
            drafts = [one for one in self._kept.comments(lane.id) if one.state == "draft"]
            if not drafts:
                raise CommandError("nothing_to_send", "There is no comment that was not sent yet.")
            drafts = list(await asyncio.to_thread(files.place, drafts))
            changed = await asyncio.to_thread(files.changed_lines, drafts)
            text = comment_message(lane.name, drafts, lambda one, line: line in changed.get((one.path, one.side), ()))
            if session is not None:
                await self._chats.turns.send(session, text)
            else:
                await self._begin(lane, command.session_id, text)
            update = {"state": "sent", "session_id": command.session_id}
            self._kept.save(lane.id, *(one.model_copy(update=update) for one in drafts))
        await self._tell(lane, sent_to=command.session_id)

    async def _begin(self, lane: Lane, session_id: str, text: str) -> None:
        """A new chat in the lane, which begins with the comments."""
        if not session_id:
            raise CommandError("no_chat", "Start a chat in this lane to send comments to.")
        mode = self._chats.settings.current.default_mode
        command = NewSession(session_id=session_id, text=text, lane_id=lane.id, mode=mode)
        await self._chats.starter.begin(command)
        self._telling.listed()

    async def _mark(self, command: c.MarkViewed) -> None:
        lane = self._ground.lane(command.lane_id)
        try:
            path = require_lane_path(command.path)
        except PathError as error:
            raise CommandError("bad_path", str(error)) from error
        self._kept.mark(lane.id, path, command.sha256 if command.viewed else None)
        found = await asyncio.to_thread(still_viewed, self._files_of(lane), self._kept.viewed(lane.id))
        self._telling.publish(ViewedChanged(lane_id=lane.id, paths=found))

    async def _tell(self, lane: Lane, sent_to: str = "") -> None:
        """All comments where their lines are now; where they were, if the lane cannot be read."""
        comments = self._kept.comments(lane.id)
        try:
            comments = await asyncio.to_thread(self._files(lane).place, comments)
        except BanksmanError:
            comments = tuple(comments)
        self._telling.publish(CommentsChanged(lane_id=lane.id, comments=comments, sent_to=sent_to))

    def _files(self, lane: Lane) -> CommentedFiles:
        return CommentedFiles(lane, self._files_of(lane))


def _check(comment: ReviewComment, others: int) -> None:
    if len(comment.text) > MAX_CHARS:
        raise CommandError("bad_comment", f"A comment has at most {MAX_CHARS:,} characters.")
    if not 1 <= comment.first <= comment.last or not comment.comment_id:
        raise CommandError("bad_comment", "A comment stands on lines of a file.")
    if others >= MAX_COMMENTS:
        raise CommandError("bad_comment", f"A lane has at most {MAX_COMMENTS} comments. Send or remove some first.")
    try:
        require_lane_path(comment.path)
    except PathError as error:
        raise CommandError("bad_comment", str(error)) from error
