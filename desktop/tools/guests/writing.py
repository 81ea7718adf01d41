"""write_file of a guest's chat: the guest has a file written by Banksman (guests-A22)."""

import asyncio

from pydantic import Field

from desktop.domain.core.content import Card, CodeBlock
from desktop.domain.core.errors import PathError
from desktop.domain.core.permissions import Category
from desktop.policy.paths import PathFacts
from desktop.services.files.text_files import decode, line_ends, with_crlf
from desktop.tools.file_changes import MAX_FILE_BYTES, NewContent, StoredChange, no_regular_file, store_change
from desktop.tools.guests.peer import GuestPeer
from desktop.tools.text import language_of, title_line
from desktop.tools.tool import PathUse, Tool, ToolArgs, ToolContext, ToolError, ToolResult

MAX_CONTENT = 5 * 1024 * 1024


class GuestWrite(ToolArgs):
    """A file and all of its new content."""

    file_path: str = Field(min_length=1, max_length=4096, description="The file. Missing folders are created.")
    content: str = Field(max_length=MAX_CONTENT, description="The whole new content of the file.")


async def text_of(ctx: ToolContext, facts: PathFacts) -> tuple[bytes | None, str | None]:
    """The bytes and the text of a file as it is now; None for no file, and for bytes that are no text.

    Raises:
        ToolError: it is no file that can be written.
    """
    if facts.kind == "missing":
        return None, None
    if facts.kind != "file":
        raise no_regular_file(facts)
    if facts.size > MAX_FILE_BYTES:
        raise ToolError(f"{facts.rel} is larger than 50 MiB.", summary="too large")
    try:
        raw = await asyncio.to_thread(ctx.files.read_bytes, facts)
    except PathError as error:
        raise ToolError(str(error), summary="not readable") from error
    old = await asyncio.to_thread(decode, raw)
    return raw, old.text if old is not None else None


async def written(ctx: ToolContext, path: str, content: str) -> StoredChange | None:
    """Put this content into the file, with the encoding and the line ends that it has; None where it holds it already.

    Raises:
        ToolError: it was not written; nothing was changed.
    """
    facts = ctx.files.resolve(path, "write")
    raw, text = await text_of(ctx, facts)
    new = await asyncio.to_thread(_encoded, raw, content)
    if new == raw:
        return None
    return await store_change(ctx, facts, NewContent(raw, new, text or "", content))


def _encoded(raw: bytes | None, content: str) -> bytes:
    old = decode(raw) if raw is not None else None
    if old is None:
        return content.encode("utf-8", "replace")
    if old.line_ends == "CRLF" and line_ends(content) == "LF":
        content = with_crlf(content)
    try:
        return old.encode(content)
    except UnicodeEncodeError as error:
        name = old.encoding.name
        raise ToolError(f"The file is stored as {name}, which cannot hold this text.", summary="not written") from error


async def _run(args: GuestWrite, ctx: ToolContext) -> ToolResult:
    stored = await written(ctx, args.file_path, args.content)
    if stored is None:
        return ToolResult(text="The file has this content already; nothing was written.", summary="no change")
    return ToolResult(
        text=f"Wrote {stored.touched.path} ({stored.counts}).",
        blocks=stored.blocks,
        summary=stored.counts,
        touched=(stored.touched,),
    )


def _card(args: GuestWrite) -> Card:
    block = CodeBlock(language=language_of(args.file_path.rpartition("/")[2]), text=args.content)
    return Card(title=title_line(f"Write {args.file_path}"), blocks=(block,))


TOOL = Tool(
    name="write_file",
    description="Write a file for the guest.",
    args=GuestWrite,
    category=Category.WRITE,
    needs=(GuestPeer,),
    paths=lambda args: (PathUse(args.file_path, "write"),),
    card=_card,
    run=_run,
)
