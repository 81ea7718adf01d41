"""The common parts of writing and editing a file: freshness, storing, and the diff that people see."""

import asyncio
import hashlib

from desktop.domain.core.content import Block, DiffBlock, TextBlock, TouchedFile
from desktop.domain.core.errors import PathError
from desktop.policy.paths import PathFacts
from desktop.records import dataclass
from desktop.services.files.line_diff import LineDiff, line_diff
from desktop.services.processes.stubborn import to_its_end
from desktop.tools.tool import ToolContext, ToolError

MAX_FILE_BYTES = 50 * 1024 * 1024


def sha256_hex(raw: bytes) -> str:
    """The hash as records, events and messages name it."""
    return hashlib.sha256(raw).hexdigest()


def shown_path(facts: PathFacts) -> str:
    """A path as results name it: lane-relative, a link with what it leads to (tools-T49)."""
    return facts.via_symlink or facts.rel


def no_regular_file(facts: PathFacts) -> ToolError:
    """Why this path cannot be read or written as a file."""
    name = shown_path(facts) or facts.raw
    if facts.kind == "dir":
        return ToolError(f"{name} is a directory; use list_dir.", summary="directory")
    if facts.exists:
        return ToolError(f"{name} is not a regular file.", summary="not a regular file")
    if facts.verdict == "invalid":
        return ToolError(f"{name} is not a usable path: {facts.reason}.", summary="not usable")
    return ToolError(f"{name} does not exist.", summary="not found")


async def fresh_content(ctx: ToolContext, facts: PathFacts, verb: str) -> bytes:
    """The bytes on the disk, if they are those that this session has read last.

    Raises:
        ToolError: the file was never read here, or changed since (tools-T65).
    """
    if facts.size > MAX_FILE_BYTES:
        raise ToolError(f"{facts.rel} is larger than 50 MiB; change it with a command.", summary="too large")
    try:
        raw = await asyncio.to_thread(ctx.files.read_bytes, facts)
    except PathError as error:
        raise ToolError(str(error), summary="not readable") from error
    now = await asyncio.to_thread(sha256_hex, raw)
    known = ctx.reads.sha256.get(facts.rel)
    if known is None:
        raise ToolError(f"Read {facts.rel} before you {verb} it.", summary="not read yet")
    if known != now:
        raise ToolError(
            f"{facts.rel} changed on disk since you read it (was {known[:8]}, is {now[:8]}). Read it again.",
            summary="changed on disk",
        )
    return raw


@dataclass(frozen=True)
class StoredChange:
    """A change that is on the disk."""

    diff: LineDiff
    blocks: tuple[Block, ...]
    touched: TouchedFile

    @property
    def counts(self) -> str:
        """The numbers of lines, as `+14 −4`."""
        return f"+{self.diff.added} −{self.diff.removed}"


@dataclass(frozen=True)
class NewContent:
    """The old and the new content of a file: bytes, and the text that people compare. `old` None: there is no file
    yet."""

    old: bytes | None
    new: bytes
    old_text: str
    new_text: str


async def store_change(ctx: ToolContext, facts: PathFacts, change: NewContent) -> StoredChange:
    """Keep the old bytes, put the new ones in place as one step, and remember them as read.

    Raises:
        ToolError: the file is no longer what it was, or cannot be written; nothing was changed.
        StoreWriteFailed: the old bytes could not be kept; nothing was changed.
    """
    before = await asyncio.to_thread(sha256_hex, change.old) if change.old is not None else None
    after = await asyncio.to_thread(sha256_hex, change.new)
    kept = ctx.blobs.put(change.old, "application/octet-stream") if change.old is not None else None
    try:
        await to_its_end(asyncio.to_thread(ctx.files.replace, facts, change.new, expect_sha256=before))
    except PathError as error:
        raise ToolError(str(error), summary="not written") from error
    ctx.reads.sha256[facts.rel] = after
    diff = await asyncio.to_thread(line_diff, change.old_text, change.new_text)
    touched = TouchedFile(
        path=facts.rel,
        kind="create" if change.old is None else "modify",
        before_sha256=before,
        after_sha256=after,
        before=kept,
        added=diff.added,
        removed=diff.removed,
    )
    return StoredChange(diff, (_block(facts.rel, diff),), touched)


def _block(path: str, diff: LineDiff) -> Block:
    if diff.too_large:
        return TextBlock(text=f"{path}: +{diff.added} −{diff.removed}. Too long to show here; see Changes.")
    return DiffBlock(path=path, unified=diff.unified, added=diff.added, removed=diff.removed)
