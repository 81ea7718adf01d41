"""NamedIds: the ids that the log of a chat names."""

import asyncio
from collections.abc import Iterable

from desktop.agent.core.last_calls import tool_uses
from desktop.domain.chats.library_events import AttachmentAdded
from desktop.domain.events import AssistantMessage, Envelope, InputResolved, Notice, ToolCallFinished, UserMessage
from desktop.domain.reports.events import EvidenceRecorded

_KINDS = frozenset(
    {
        "assistant_message",
        "tool_call_finished",
        "input_resolved",
        "attachment_added",
        "user_message",
        "evidence_recorded",
        "notice",
    }
)

MANY_EVENTS = 200
"""Reading so many takes some 5 ms."""


class NamedIds:
    """`calls`: of every call; `finished`: of those with a result; `blobs`: the digest of every blob; `attachments`: the
    names of attached files; `seen`: how many events were looked at."""

    def __init__(self) -> None:
        self.calls: set[str] = set()
        self.finished: set[str] = set()
        self.blobs: set[str] = set()
        self.attachments: set[str] = set()
        self.seen = 0

    def look(self, fresh: Iterable[Envelope]) -> None:
        """Note the ids in the events that follow those that were looked at."""
        for envelope in fresh:
            self.seen += 1
            if envelope.kind in _KINDS:
                self._take(envelope.glance())

    async def look_aside(self, fresh: list[Envelope]) -> None:
        """As `look`, on a worker thread if they are many. Nothing is noted if somebody looked at them meanwhile."""
        if len(fresh) <= MANY_EVENTS:
            return
        begun, found = self.seen, NamedIds()
        await asyncio.to_thread(found.look, fresh)
        if self.seen == begun:
            self.calls |= found.calls
            self.finished |= found.finished
            self.blobs |= found.blobs
            self.attachments |= found.attachments
            self.seen += found.seen

    def _take(self, event: object) -> None:
        if isinstance(event, AssistantMessage):
            self.calls.update(use.id for use in tool_uses(event))
        elif isinstance(event, ToolCallFinished):
            self.finished.add(event.call_id)
            if event.full is not None:
                self.blobs.add(event.full.sha256)
        elif isinstance(event, UserMessage) and event.full is not None:
            self.blobs.add(event.full.sha256)
        elif isinstance(event, EvidenceRecorded):
            self.blobs.update([event.output.sha256] if event.output is not None else [])
        elif isinstance(event, Notice):
            self.blobs.update(ref.sha256 for ref in event.kept)
        elif isinstance(event, AttachmentAdded):
            self.attachments.add(event.logical_name)
        elif isinstance(event, InputResolved) and event.shown_sha256:
            self.blobs.add(event.shown_sha256)
