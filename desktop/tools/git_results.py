"""The common parts of the tools that read Git: names as people read them, long texts, paths below the lane."""

import os
import posixpath
from collections.abc import Awaitable
from pathlib import Path
from typing import TypeVar

from desktop.domain.core.content import BlobRef
from desktop.domain.core.errors import GitError
from desktop.policy.paths import PathFacts
from desktop.services.files.names import shown_name
from desktop.services.git.reads import UnknownRevision
from desktop.tools.text import LIMIT, clip, keep_whole
from desktop.tools.tool import ToolContext, ToolError

T = TypeVar("T")


async def from_git(work: Awaitable[T]) -> T:
    """The result of a call of git. Raises ToolError with its words when it failed."""
    try:
        return await work
    except UnknownRevision as error:
        raise ToolError(str(error), summary="no such commit") from error
    except GitError as error:
        raise ToolError(str(error), summary="git failed") from error


def lane_path(ctx: ToolContext, facts: PathFacts) -> str:
    """The judged path as Git names it: below the lane root, a link as itself; "." is all of the lane.

    Raises:
        ToolError: it lies elsewhere, or cannot be used.
    """
    if facts.deny or facts.verdict == "invalid" or Path(facts.rel).is_absolute():
        reason = facts.reason or "it is outside this lane"
        raise ToolError(f"{shown_name(facts.raw)} cannot be used here: {reason}.", summary="outside the lane")
    given = facts.raw
    root = f"{ctx.files.root}{os.sep}"
    plain = (
        posixpath.normpath(given.removeprefix(root)) if given.startswith(root) or not Path(given).is_absolute() else ""
    )
    return plain if plain and not plain.startswith(("..", "/")) else facts.rel


def clipped(ctx: ToolContext, text: str, raw: bytes | None = None) -> tuple[str, BlobRef | None]:
    """`text` as the model gets it, and where the whole is kept when it was cut (tools-T30, tools-T31)."""
    if len(text) <= LIMIT:
        return text, None
    kept = text.encode("utf-8", "replace") if raw is None else raw
    ref, whole = keep_whole(ctx.blobs, lambda: kept, "text/plain")
    return clip(text, whole=whole), ref
