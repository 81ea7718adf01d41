"""What a server answered as the result of a call: text for the model, marked as a stranger's, and blocks for people."""

import base64
import json
from collections.abc import Callable

from pydantic import JsonValue

from desktop.domain.core.content import BlobRef, Block, CodeBlock, ImageBlock, LinkBlock, TextBlock
from desktop.domain.core.errors import BanksmanError
from desktop.services.mcp.link import McpError
from desktop.services.mcp.results import BytesPart, LinkPart, ServerAnswer, TextPart
from desktop.services.pictures.header import MAX_BYTES, read_header
from desktop.store.core.blobs import BlobStore
from desktop.tools.calls.mcp_resources import ReadResource
from desktop.tools.text import LIMIT, clip, count_words, keep_whole, one_line, size_words
from desktop.tools.tool import ToolError, ToolResult
from desktop.tools.untrusted import untrusted

NO_RESULT = "(no result)"
MISMATCH = "[The structured content is not what the tool promises.]"
MAX_LABEL = 300
Fits = Callable[[JsonValue], tuple[str, ...]]


def call_result(server: str, answer: ServerAnswer, fits: Fits | None, blobs: BlobStore) -> ToolResult:
    """`fits`: what is wrong with structured content by the schema that a person accepted, None: there was none."""
    read = _Read(blobs)
    for part in answer.parts:
        read.take(part)
    if structured := answer.structured_text:
        read.lines.append(structured)
    shown: list[Block] = [CodeBlock(language="json", text=_json(answer.structured))] if answer.structured else []
    text, full = "\n".join(read.lines), None
    if len(text) > LIMIT:
        full, whole = keep_whole(blobs, lambda: text.encode(), "text/plain")
        text = clip(text, whole=whole)
    broken = _broken(answer, fits)
    source, told = f"mcp:{server}", "\n".join(part for part in (text, *answer.notes, broken) if part)
    body = untrusted(source, told) if told else NO_RESULT
    if answer.notes and not text:
        body = f"{NO_RESULT}\n{body}"
    said = answer.text
    if said and not (answer.structured and not answer.structured_text):
        shown.insert(0, CodeBlock(language="text", text=clip(said)))
    if broken:
        shown.append(TextBlock(text=f"{MISMATCH[1:-1]} {broken}"))
    return ToolResult(
        text="\n".join([body, *([MISMATCH] if broken else []), *_cut(answer)]),
        blocks=(*shown, *read.blocks),
        is_error=answer.is_error,
        images=tuple(read.images),
        full=full,
        summary=_summary(answer, len(read.images)),
        untrusted=(source,) if told or read.images else (),
    )


def failure(server: str, error: BanksmanError) -> ToolError:
    """What a call that failed tells. Words of the server are marked as a stranger's; of its last ones before it ended,
    which stand in its log, people alone see (guests-M29)."""
    if not isinstance(error, McpError):
        return ToolError(str(error), summary="failed")
    data: dict[str, JsonValue] = {"note": error.note} if error.note else {}
    if not error.own:
        source = f"mcp:{server}"
        return ToolError(untrusted(source, clip(str(error))), summary=error.kind, data=data, untrusted=(source,))
    more = str(error) != error.own
    blocks = (CodeBlock(language="text", text=clip(str(error))),) if more else ()
    return ToolError(error.own, summary=error.kind, data=data, blocks=blocks)


def read_resource(answer: ServerAnswer, blobs: BlobStore) -> ReadResource:
    """What a server answered as a resource: its texts and pictures; other bytes are kept and named."""
    read = _Read(blobs)
    for part in answer.parts:
        read.take(TextPart(part.text) if isinstance(part, TextPart) else part)
    lines = [*read.lines, *answer.notes]
    return ReadResource("\n".join(lines), _cut(answer), tuple(read.images), tuple(read.blocks))


class _Read:
    """The parts of an answer in their order, as lines, pictures and blocks."""

    def __init__(self, blobs: BlobStore) -> None:
        self.lines: list[str] = []
        self.images: list[dict[str, JsonValue]] = []
        self.blocks: list[Block] = []
        self._blobs = blobs

    def take(self, part: TextPart | BytesPart | LinkPart) -> None:
        """One more part."""
        if isinstance(part, TextPart):
            self.lines += [f"[{part.source[:MAX_LABEL]}]"] if part.source else []
            self.lines += [part.text] if part.text else []
        elif isinstance(part, LinkPart):
            uri, label = part.uri[:MAX_LABEL], part.label[:MAX_LABEL]
            self.lines.append(f"[link to {label or 'a resource'}: {uri}]")
            if uri.startswith(("https://", "http://")):
                self.blocks.append(LinkBlock(url=uri, label=label or uri))
        else:
            self._bytes(part)

    def _bytes(self, part: BytesPart) -> None:
        header = read_header(part.raw)
        fits = header is not None and header.fits and len(part.raw) <= MAX_BYTES
        kind = header.media_type if header is not None else part.media_type
        ref, _ = keep_whole(self._blobs, lambda: part.raw, kind)
        size = size_words(len(part.raw))
        what = f"{kind}, {size}"
        if header is not None:
            what = f"{header.kind} image, {header.width_px}×{header.height_px}, {size}"
        if header is None or not fits:
            self.lines.append(f"[{what}: not shown{_kept(ref)}]")
            return
        self.lines.append(f"[{what}]")
        source: JsonValue = {"type": "base64", "media_type": kind, "data": base64.b64encode(part.raw).decode("ascii")}
        self.images.append({"type": "image", "source": source})
        if ref is not None:
            self.blocks.append(ImageBlock(blob=ref, alt=what))


def _kept(ref: BlobRef | None) -> str:
    return f", kept as blob:{ref.sha256[:12]}" if ref is not None else ""


def _cut(answer: ServerAnswer) -> tuple[str, ...]:
    """What of the texts was not taken, in words that are not the server's."""
    if not answer.left_out:
        return ()
    return (f"[{size_words(answer.left_out)} more of text were not taken: the limit is 128 KiB.]",)


def _broken(answer: ServerAnswer, fits: Fits | None) -> str:
    """What is wrong with structured content. Its values stand in it, so these are words of the server."""
    if fits is None or answer.structured is None:
        return ""
    return one_line("; ".join(fits(answer.structured)), 300)


def _summary(answer: ServerAnswer, pictures: int) -> str:
    lines = answer.text.count("\n") + 1 if answer.text else 0
    parts = [count_words(lines, "line")] if lines else []
    parts += [count_words(pictures, "picture")] if pictures else []
    others = sum(isinstance(part, BytesPart) for part in answer.parts) - pictures
    parts += [count_words(others, "file")] if others else []
    return " · ".join(parts) or ("data" if answer.structured else "no result")


def _json(value: JsonValue) -> str:
    return clip(json.dumps(value, indent=2, ensure_ascii=False))
