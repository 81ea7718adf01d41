"""read_file: text with line numbers, pictures, and parts of long outputs kept earlier."""

import asyncio
import base64
import codecs
import hashlib
import io
import re
from pathlib import PurePath
from typing import BinaryIO

from pydantic import Field

from desktop.domain.core.content import Card, CodeBlock, ImageBlock
from desktop.domain.core.errors import PathError
from desktop.domain.core.permissions import Category
from desktop.records import dataclass
from desktop.services.files.line_reader import LineReader
from desktop.services.files.text_files import Encoding, LineEnds, sniff
from desktop.services.pictures.header import MAX_BYTES, MAX_SIDE_PX, ImageHeader, kind_of, read_header
from desktop.tools.arguments import spellings_for
from desktop.tools.file_changes import MAX_FILE_BYTES, no_regular_file, sha256_hex, shown_path
from desktop.tools.offers import Attachment, UnsavedFiles
from desktop.tools.text import BLOB_ID_DIGITS, count_words, keep_whole, language_of, size_words, title_line
from desktop.tools.tool import PathUse, Tool, ToolArgs, ToolContext, ToolError, ToolResult

MAX_LINES = 2_000
MAX_TEXT_BYTES = 256 * 1024
MAX_SCANNED_BYTES = 256 * 1024 * 1024
BLOCK_LINES = 200
_SNIFF_BYTES = 1024 * 1024
_ATTACHMENT = "attachments:"
_BLOB = re.compile(rf"blob:([0-9a-f]{{{BLOB_ID_DIGITS}}})")


class ReadFile(ToolArgs):
    """A file, and which lines of it are read."""

    file_path: str = Field(
        min_length=1,
        max_length=4096,
        description="File in the lane, blob:<id> from a cut result of this chat, or attachments:<name>.",
    )
    offset: int = Field(default=1, ge=1, le=10_000_000, description="First line to show, counted from 1.")
    limit: int = Field(default=MAX_LINES, ge=1, le=MAX_LINES, description="How many lines to show.")


@dataclass
class _Page:
    """The lines that were asked for. `total` None: the file was not read to its end."""

    lines: list[str]
    total: int | None
    line_ends: LineEnds
    ends_with_newline: bool
    stopped_by_size: bool = False
    scan_stopped: bool = False


def _is_kept(args: ReadFile) -> bool:
    """Whether it is a part of a long output or an attachment, and no path."""
    return args.file_path.startswith(("blob:", _ATTACHMENT))


def _paths(args: ReadFile) -> tuple[PathUse, ...]:
    return () if _is_kept(args) else (PathUse(args.file_path, "read"),)


def _card(args: ReadFile) -> Card:
    part = f", from line {args.offset}" if args.offset > 1 else ""
    return Card(title=title_line(f"Read {args.file_path}") + part)


async def _run(args: ReadFile, ctx: ToolContext) -> ToolResult:
    if _is_kept(args):
        return await _read_kept(args, ctx)
    facts = ctx.files.resolve(args.file_path, "read")
    if facts.kind != "file":
        raise no_regular_file(facts)
    name = shown_path(facts)
    if facts.size == 0:
        ctx.reads.sha256[facts.rel] = hashlib.sha256(b"").hexdigest()
        return ToolResult(text=f"{name} is empty (0 bytes).", summary="empty")
    try:
        with ctx.files.open_read(facts) as file:  # not in a thread: a stop there would leave it open
            if facts.size > MAX_FILE_BYTES:
                return await _read_stream(args, name, file, facts.size)
            raw = await asyncio.to_thread(file.read, MAX_FILE_BYTES + 1)
    except (PathError, OSError) as error:
        raise ToolError(str(error), summary="not readable") from error
    edited = await _as_edited(ctx, facts.rel, raw)
    if edited is None:
        result = await _read_whole(args, ctx, name, raw)
    else:
        result = await _read_whole(args, ctx, f"{name} (as the editor has it, not saved)", edited)
        result = result.model_copy(update={"summary": f"{result.summary}, not saved in the editor"})
    ctx.reads.sha256[facts.rel] = await asyncio.to_thread(sha256_hex, raw)
    return result


async def _as_edited(ctx: ToolContext, rel: str, raw: bytes) -> bytes | None:
    """The file as a person has it in an editor, where that is other than what is saved; else None. Changes are made to
    what is saved, so that is what counts as read."""
    editor = ctx.found(UnsavedFiles)
    if editor is None or PurePath(rel).is_absolute():
        return None
    text = await editor.text(rel)
    edited = text.encode("utf-8", "replace") if text is not None else raw
    is_saved = edited.replace(b"\r\n", b"\n") == raw.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n")
    return None if is_saved or len(edited) > MAX_FILE_BYTES else edited


async def _read_kept(args: ReadFile, ctx: ToolContext) -> ToolResult:
    if args.file_path.startswith(_ATTACHMENT):
        attached = ctx.found(Attachment)
        name = args.file_path.removeprefix(_ATTACHMENT)
        raw = await asyncio.to_thread(attached, name) if attached is not None else None
    else:
        match = _BLOB.fullmatch(args.file_path)
        sha256 = ctx.blobs.find(match.group(1), ctx.blob_ids) if match else None
        raw = ctx.blobs.get(sha256) if sha256 else None
    if raw is None:
        raise ToolError(f'There is no "{args.file_path}" in this chat.', summary="not found")
    return await _read_whole(args, ctx, args.file_path, raw)


async def _read_whole(args: ReadFile, ctx: ToolContext, name: str, raw: bytes) -> ToolResult:
    header = read_header(raw)
    if header is not None:
        return _picture(name, header, raw, ctx)
    _refuse_pdf(name, raw, len(raw))
    encoding = await asyncio.to_thread(sniff, raw[:_SNIFF_BYTES], whole=raw)
    if encoding is None:
        raise _binary(name, raw, len(raw))
    return await asyncio.to_thread(_text_result, args, name, io.BytesIO(raw), encoding, whole=True)


async def _read_stream(args: ReadFile, name: str, file: BinaryIO, size: int) -> ToolResult:
    head = await asyncio.to_thread(file.read, _SNIFF_BYTES)
    if (header := read_header(head)) is not None:
        raise _too_large_picture(name, header, size)
    _refuse_pdf(name, head, size)
    encoding = sniff(head)
    if encoding is None:
        raise _binary(name, None, size, kind_of(head))
    file.seek(0)
    return await asyncio.to_thread(_text_result, args, name, file, encoding, whole=False)


def _refuse_pdf(name: str, head: bytes, size: int) -> None:
    if head.startswith(b"%PDF-"):
        raise ToolError(
            f"{name} is a PDF ({size_words(size)}). PDFs are not read. Convert it to text with a command, or ask the "
            "person for a text version.",
            summary="PDF",
        )


def _binary(name: str, raw: bytes | None, size: int, kind: str = "") -> ToolError:
    digest = f", sha256 {hashlib.sha256(raw).hexdigest()[:12]}" if raw is not None else ""
    kind = kind or kind_of(raw or b"")
    return ToolError(f"{name} is binary ({size_words(size)}, {kind}{digest}). It is not shown.", summary="binary")


def _too_large_picture(name: str, header: ImageHeader, size: int) -> ToolError:
    return ToolError(
        f"{name} is a {header.kind} image of {header.width_px}×{header.height_px}, {size_words(size)}. Images are "
        f"shown up to {size_words(MAX_BYTES)} and {MAX_SIDE_PX:,} px a side.",
        summary="image too large",
    )


def _picture(name: str, header: ImageHeader, raw: bytes, ctx: ToolContext) -> ToolResult:
    if len(raw) > MAX_BYTES or not header.fits:
        raise _too_large_picture(name, header, len(raw))
    text = f"{name}: {header.kind} image, {header.width_px}×{header.height_px}, {size_words(len(raw))}."
    ref, _ = keep_whole(ctx.blobs, lambda: raw, header.media_type)
    source = {"type": "base64", "media_type": header.media_type, "data": base64.b64encode(raw).decode("ascii")}
    return ToolResult(
        text=text,
        images=({"type": "image", "source": source},),
        blocks=(ImageBlock(blob=ref, alt=text),) if ref is not None else (),
        summary=f"{header.kind} {header.width_px}×{header.height_px}",
    )


def _text_result(args: ReadFile, name: str, file: BinaryIO, encoding: Encoding, *, whole: bool) -> ToolResult:
    page = _page(args, file, encoding, whole=whole)
    if not page.lines:
        if page.scan_stopped:
            raise ToolError(f"{name}: line {args.offset} was not reached within the first 256 MiB.", summary="too far")
        raise ToolError(
            f"{name} has {count_words(page.total or 0, 'line')}; offset {args.offset} is past the end.",
            summary="past the end",
        )
    last = args.offset + len(page.lines) - 1
    numbered = [f"{number:>6}\t{line}" for number, line in enumerate(page.lines, args.offset)]
    text = "\n".join([_header(args, name, encoding, page, last), *numbered, *_endings(page, last)])
    shown = "\n".join(page.lines[:BLOCK_LINES])
    block = CodeBlock(language=language_of(name.rpartition("/")[2]), text=shown)
    return ToolResult(text=text, blocks=(block,), summary=count_words(len(page.lines), "line"))


def _header(args: ReadFile, name: str, encoding: Encoding, page: _Page, last: int) -> str:
    total = f"of {page.total}" if page.total is not None else f"of more than {last}"
    parts = [name, f"lines {args.offset}-{last} {total}"]
    parts.append("decoded as latin-1" if encoding.name == "latin-1" else encoding.name)
    if page.line_ends != "none":
        parts.append("mixed line ends" if page.line_ends == "mixed" else page.line_ends)
    if encoding.mark:
        parts.append("BOM")
    if page.total is not None and not page.ends_with_newline:
        parts.append("no newline at end")
    return " · ".join(parts)


def _endings(page: _Page, last: int) -> list[str]:
    if page.stopped_by_size:
        return [f"[stopped at 256 KiB; continue with offset={last + 1}]"]
    if page.total is None:
        return [f"[more lines not shown; continue with offset={last + 1}]"]
    if page.total > last:
        return [f"[lines {last + 1}-{page.total} not shown; continue with offset={last + 1}]"]
    return []


def _page(args: ReadFile, file: BinaryIO, encoding: Encoding, *, whole: bool) -> _Page:
    """The lines asked for. `whole`: go on to the end of the file, to know how many lines there are."""
    reader = LineReader(file, encoding)
    lines: list[str] = []
    number, size = 0, 0
    full = stopped = False
    while (line := reader.next()) is not None:
        number += 1
        if number >= args.offset and not full:
            size += len(line.encode("utf-8", "replace")) + 1
            stopped = bool(lines) and size > MAX_TEXT_BYTES
            full = stopped or len(lines) >= args.limit
            if not full:
                lines.append(line)
        if (full and not whole) or (not lines and reader.chars > MAX_SCANNED_BYTES):
            reader.detach()
            return _Page(lines, None, reader.line_ends, True, stopped, scan_stopped=not lines)
    reader.detach()
    return _Page(lines, number, reader.line_ends, not reader.open_end, stopped)


TOOL = Tool(
    name="read_file",
    aliases=("readFile", "Read"),
    description=(
        "Read a file. Text comes with line numbers; use offset and limit for a part of a long file. PNG, JPEG, GIF and "
        "WebP pictures are shown. Read a file before you change it."
    ),
    guidance=(
        "The number and the tab before each line are not part of the file. A result that was cut names blob:<id>, a "
        "file that the user attached is attachments:<name>; give that as file_path to read it."
    ),
    args=ReadFile,
    spellings=spellings_for(ReadFile),
    category=Category.READ,
    paths=_paths,
    card=_card,
    run=_run,
    varies="What holds secrets and what lies outside the lane asks in every mode.",
)
