"""What a guest really did to the files that a call names: compared here, before and after (guests-A40)."""

import asyncio

from desktop.domain.core.content import Block, DiffBlock, TouchedFile
from desktop.domain.core.errors import PathError
from desktop.policy.paths import PathFacts
from desktop.records import dataclass
from desktop.services.files.line_diff import line_diff
from desktop.services.files.text_files import decode
from desktop.store.core.blobs import BlobStore
from desktop.tools.file_changes import sha256_hex
from desktop.tools.tool import ToolContext

MOST_FILES = 20
MOST_BYTES = 5 * 1024 * 1024


@dataclass(frozen=True)
class Before:
    """A file as it was. `raw`: None for no file."""

    facts: PathFacts
    raw: bytes | None


@dataclass(frozen=True)
class Change:
    """What became of a file."""

    touched: TouchedFile
    block: Block


async def files_before(ctx: ToolContext) -> tuple[Before, ...]:
    """The files that a call would change, as they are; larger ones and more of them are left out."""
    named = [one for one in (ctx.call.paths if ctx.call is not None else ()) if one.op in ("write", "delete")]
    found = [await asyncio.to_thread(_read, ctx, facts) for facts in named[:MOST_FILES]]
    return tuple(one for one in found if one is not None)


async def changes_since(ctx: ToolContext, before: tuple[Before, ...], known: frozenset[str]) -> tuple[Change, ...]:
    """How they differ now. `known`: those that are told of already, as
    they are named or lie in the lane."""
    found: dict[str, Change] = {}
    for one in before:
        now = await asyncio.to_thread(_read, ctx, ctx.files.resolve(one.facts.raw, one.facts.op))
        if now is not None and now.raw != one.raw and not {one.facts.rel, one.facts.raw} & known:
            found[one.facts.rel] = await change_of(one.facts.rel, one.raw, now.raw, ctx.blobs)
    return tuple(found.values())


def _read(ctx: ToolContext, facts: PathFacts) -> Before | None:
    if facts.kind == "missing":
        return Before(facts, None)
    if facts.kind != "file" or facts.deny or facts.size > MOST_BYTES:
        return None
    try:
        return Before(facts, ctx.files.read_bytes(facts))
    except PathError:
        return None


async def change_of(path: str, before: bytes | None, now: bytes | None, blobs: BlobStore) -> Change:
    """What became of a file that held the one and holds the other; None: there was none, is none."""
    diff = await asyncio.to_thread(lambda: line_diff(_text(before), _text(now)))
    kept = blobs.put(before, "application/octet-stream") if before is not None else None
    touched = TouchedFile(
        path=path,
        kind="create" if before is None else "delete" if now is None else "modify",
        before_sha256=sha256_hex(before) if before is not None else None,
        after_sha256=sha256_hex(now) if now is not None else None,
        before=kept,
        added=diff.added,
        removed=diff.removed,
    )
    return Change(touched, DiffBlock(path=path, unified=diff.unified, added=diff.added, removed=diff.removed))


def _text(raw: bytes | None) -> str:
    decoded = decode(raw) if raw is not None else None
    return decoded.text if decoded is not None else ""
