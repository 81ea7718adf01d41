"""What a long log names is noted away from the loop, and is what one gets by looking at it."""

import asyncio

import pytest

from desktop.agent.core.named_ids import MANY_EVENTS, NamedIds
from desktop.domain.chats.library_events import AttachmentAdded
from desktop.domain.core.content import BlobRef
from desktop.domain.events import AssistantMessage, Envelope, ToolCallFinished, UserMessage
from tests.domain.product_logs import START

pytestmark = pytest.mark.asyncio


def log_of(count: int) -> list[Envelope]:
    """Answers with calls, results with a blob, attachments."""
    blob = BlobRef(sha256="a" * 64, size=1, media_type="text/plain")
    events = [
        AssistantMessage(parts=({"type": "tool_use", "id": "c1", "name": "bash", "input": {}},)),
        ToolCallFinished(call_id="c1", outcome="ok", full=blob),
        UserMessage(parts=()),
        AttachmentAdded(
            logical_name="x.txt", stored_file_name="x", sha256="b" * 64, mime_type="text/plain", size_bytes=1
        ),
    ]
    return [
        Envelope(event_id=f"e{n}", session_id="s", seq=n, parent_id=None, at=START, event=events[n % 4])
        for n in range(count)
    ]


def noted(ids: NamedIds) -> tuple[set[str], set[str], set[str], set[str], int]:
    return ids.calls, ids.finished, ids.blobs, ids.attachments, ids.seen


async def test_a_long_log_is_looked_at_aside_with_the_same_ids() -> None:
    log = log_of(MANY_EVENTS + 8)
    looked, aside = NamedIds(), NamedIds()
    aside.calls.add("of another")
    looked.calls.add("of another")
    looked.look(log)
    await aside.look_aside(log)
    assert noted(aside) == noted(looked)
    assert noted(aside)[0] == {"c1", "of another"}
    assert len(noted(aside)[2]) == len(noted(aside)[3]) == 1


async def test_a_short_log_is_left_to_whoever_asks() -> None:
    ids = NamedIds()
    await ids.look_aside(log_of(8))
    assert ids.seen == 0


async def test_a_log_that_somebody_looked_at_meanwhile_counts_once() -> None:
    log = log_of(MANY_EVENTS + 8)
    ids = NamedIds()
    looking = asyncio.create_task(ids.look_aside(log))
    await asyncio.sleep(0)
    ids.look(log)
    await looking
    assert ids.seen == len(log)
