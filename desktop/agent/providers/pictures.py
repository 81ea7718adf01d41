"""Pictures of a request: stored bytes as base64, or a sentence in their place (sessions-SP1)."""

import asyncio
import base64
import binascii
import logging
from collections.abc import Callable, Iterator
from typing import Any

from desktop.domain.chats.library_events import AttachmentAdded
from desktop.domain.events import Envelope
from desktop.domain.history.words import Message
from desktop.records import dataclass
from desktop.services.pictures.header import read_header
from desktop.services.pictures.scaling import PictureError, fitting_picture

logger = logging.getLogger(__name__)

ERASED_CONTENT = "[Banksman] This content is no longer stored."
NOT_READ = "[Banksman] Image not sent: this model does not read images."
MOST_IMAGES = 100
MOST_BYTES = 31 * 1024 * 1024
"""A service takes 32 MB; the rest is for prompt and tools."""

MANY_IMAGES = 20
MANY_SIDE_PX = 2_000

Block = dict[str, Any]
Blobs = Callable[[str], bytes | None]


def left_out(name: str) -> str:
    """What stands in the place of a picture that the request has no room for."""
    return f"[Banksman] Image left out to stay under the request limit: {name}."


@dataclass(frozen=True)
class ImagePlan:
    """What happens to the pictures of one request: `sent` False: none is read by the model; `skip`: how many of the
    oldest are left out; `small`: each is at most 2,000 px a side."""

    sent: bool = True
    skip: int = 0
    small: bool = False


def plan_images(messages: list[Message], *, reads_images: bool) -> ImagePlan:
    """The plan for a message list: at most 100 pictures and 32 MB of body, the oldest left out first."""
    sizes = [_base64_size(block) for block in image_blocks(messages)]
    if not reads_images:
        return ImagePlan(sent=False)
    crowded = sum(sizes) > MOST_BYTES // 2  # so much text without pictures no model reads
    other = sum(_text_size(message) for message in messages) if crowded else 0
    skip = max(0, len(sizes) - MOST_IMAGES)
    while skip < len(sizes) and other + sum(sizes[skip:]) > MOST_BYTES:
        skip += 1
    return ImagePlan(skip=skip, small=len(sizes) - skip > MANY_IMAGES)


def image_blocks(messages: list[Message]) -> Iterator[Block]:
    """Every picture of the list, also those inside results, the oldest first."""
    for message in messages:
        for block in message["content"]:
            if block.get("type") == "image":
                yield block
            elif block.get("type") == "tool_result" and isinstance(block.get("content"), list):
                yield from (part for part in block["content"] if part.get("type") == "image")


def has_images(message: Message) -> bool:
    """Whether a picture is in it, or a document whose bytes stand beside the log."""
    return next(image_blocks([message]), None) is not None or any(map(_is_document, message["content"]))


class Pictures:
    """Makes the blocks to send. What was scaled for the last request is kept, so that a picture is scaled once."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._small: dict[str, Block] = {}

    async def prepare(self, messages: list[Message], plan: ImagePlan) -> None:
        """Scale what must be scaled, on a worker thread."""
        known, self._small = self._small, {}
        if not plan.sent or not plan.small:
            return
        for block in list(image_blocks(messages))[plan.skip :]:
            key = _key(block)
            small = known.get(key)
            if small is None:
                small = await asyncio.to_thread(_scaled, _with_data(block, self._blobs))
            self._small[key] = small

    def replaced(self, message: Message, plan: ImagePlan, before: int, names: dict[str, str]) -> Message:
        """The message with its pictures as they are sent. `before`: pictures in earlier messages; `names`: what
        attachments are called, by digest."""
        numbers = iter(range(before, before + len(list(image_blocks([message])))))

        def put(block: Block) -> Block:
            if block.get("type") == "tool_result" and isinstance(block.get("content"), list):
                return {**block, "content": [put(part) for part in block["content"]]}
            if block.get("type") == "document":
                return _document(block, self._blobs)
            return self._block(block, plan, next(numbers), names) if block.get("type") == "image" else block

        return {**message, "content": [put(block) for block in message["content"]]}

    def _block(self, block: Block, plan: ImagePlan, number: int, names: dict[str, str]) -> Block:
        if not plan.sent:
            return _text(NOT_READ)
        if number < plan.skip:
            return _text(left_out(names.get(_sha256(block), f"picture {number + 1}")))
        if plan.small and (small := self._small.get(_key(block))) is not None:
            return small
        return _with_data(block, self._blobs)


def attachment_names(log: list[Envelope]) -> dict[str, str]:
    """What attachments of these events are called, by the digest of their bytes."""
    found = (one.event for one in log if one.kind == "attachment_added")
    return {event.sha256: event.logical_name for event in found if isinstance(event, AttachmentAdded)}


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _data(block: Block) -> Any:
    source = block.get("source")
    return source.get("data") if isinstance(source, dict) else None


def _sha256(block: Block) -> str:
    data = _data(block)
    return str(data.get("$blob", "")) if isinstance(data, dict) else ""


def _key(block: Block) -> str:
    data = _data(block)
    return _sha256(block) or str(hash(data if isinstance(data, str) else ""))


def _with_data(block: Block, blobs: Blobs) -> Block:
    """The block with its bytes in it; a sentence when they are gone."""
    data = _data(block)
    if not isinstance(data, dict):
        return block
    stored = blobs(_sha256(block))
    if stored is None:
        return _text(ERASED_CONTENT)
    header = read_header(stored)
    media_type = header.media_type if header is not None else str(block["source"].get("media_type"))
    encoded = base64.b64encode(stored).decode("ascii")
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": encoded}}


def _is_document(block: Block) -> bool:
    """Whether the block, or one in a result, is a document whose bytes stand beside the log."""
    if block.get("type") == "tool_result" and isinstance(block.get("content"), list):
        return any(map(_is_document, block["content"]))
    return block.get("type") == "document" and isinstance(_data(block), dict)


def _document(block: Block, blobs: Blobs) -> Block:
    """The document with its bytes in it; a sentence when they are gone."""
    if not isinstance(_data(block), dict):
        return block
    stored = blobs(_sha256(block))
    if stored is None:
        return _text(ERASED_CONTENT)
    return {**block, "source": {**block["source"], "data": base64.b64encode(stored).decode("ascii")}}


def _scaled(block: Block) -> Block:
    """The picture within 2,000 px a side; as it is when it cannot be decoded, for the service to say so."""
    data = _data(block)
    if not isinstance(data, str):
        return block
    try:
        picture = fitting_picture(base64.b64decode(data), max_side_px=MANY_SIDE_PX)
    except (PictureError, binascii.Error, ValueError) as error:
        logger.warning("a picture was sent unscaled: %s", error)
        return block
    encoded = base64.b64encode(picture.data).decode("ascii")
    return {"type": "image", "source": {"type": "base64", "media_type": picture.media_type, "data": encoded}}


def _base64_size(block: Block) -> int:
    data = _data(block)
    if isinstance(data, dict):
        size = data.get("size")
        return (size if isinstance(size, int) else 0) * 4 // 3
    return len(data) if isinstance(data, str) else 0


def _text_size(message: Message) -> int:
    """Characters of everything but pictures; close enough to the bytes of the body."""
    return sum(_chars(block) for block in message["content"])


def _chars(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return 0 if value.get("type") == "image" else sum(_chars(item) for item in value.values())
    return sum(_chars(item) for item in value) if isinstance(value, list) else 0
