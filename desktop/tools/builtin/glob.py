"""glob: files by the pattern of their path."""

import asyncio
from pathlib import Path

from pydantic import Field

from desktop.domain.core.content import Card, FileListBlock
from desktop.domain.core.permissions import Category
from desktop.services.files.glob import glob_matcher
from desktop.services.git.file_search import MAX_SCANNED, Walk, ignored_below
from desktop.tools.file_changes import shown_path
from desktop.tools.text import count_words, title_line
from desktop.tools.tool import PathUse, Tool, ToolArgs, ToolContext, ToolError, ToolResult

MAX_LIMIT = 5_000
DEFAULT_LIMIT = 1_000
MAX_LISTED = 1_000


class Glob(ToolArgs):
    """The arguments of `glob`: which names are looked for, below which folder, and how many are listed."""

    pattern: str = Field(
        min_length=1, max_length=1024, description="Like **/*.py or src/*.{ts,tsx}; ** crosses folders, * does not."
    )
    path: str = Field(default=".", min_length=1, max_length=4096, description="Folder to search; the lane root.")
    include_ignored: bool = Field(default=False, description="Also files that git ignores.")
    limit: int = Field(default=DEFAULT_LIMIT, ge=1, le=MAX_LIMIT, description="How many paths to list at most.")


def _split(args: Glob) -> tuple[str, str]:
    """Folder and pattern. An absolute pattern searches from the last folder before its first wildcard."""
    if not args.pattern.startswith("/"):
        return args.path, args.pattern
    parts = args.pattern.split("/")
    plain = next((i for i, part in enumerate(parts) if any(c in part for c in "*?[{\\")), len(parts) - 1)
    return "/".join(parts[:plain]) or "/", "/".join(parts[plain:])


def _paths(args: Glob) -> tuple[PathUse, ...]:
    return (PathUse(_split(args)[0], "list"),)


def _card(args: Glob) -> Card:
    place = "" if args.path == "." else f" in {args.path}"
    return Card(title=title_line(f"Find files {args.pattern}{place}"))


async def _run(args: Glob, ctx: ToolContext) -> ToolResult:
    place, pattern = _split(args)
    if ".." in pattern.split("/"):
        raise ToolError("A pattern cannot hold '..'; give the folder as path.", summary="refused")
    facts = ctx.files.resolve(place, "list")
    name = shown_path(facts) or facts.raw
    if args.pattern.startswith("/") and facts.verdict not in ("inside", "reference"):
        raise ToolError(f"{place} is outside this lane ({ctx.lane_name}). Search inside the lane.", summary="refused")
    if facts.kind != "dir":
        reason = "is not a directory" if facts.exists else "does not exist"
        raise ToolError(f"{name} {reason}.", summary="not found")
    folder = ctx.files.root / facts.rel
    ignored = frozenset[str]() if args.include_ignored else await ignored_below(folder)
    found, scanned_all = await asyncio.to_thread(_search, folder, pattern, ignored)
    prefix = "" if facts.rel == "." else f"{facts.rel}/"
    return _result(args, name, tuple(prefix + path for path in found), scanned_all=scanned_all)


def _search(folder: Path, pattern: str, ignored: frozenset[str]) -> tuple[list[str], bool]:
    matches = glob_matcher(pattern.removeprefix("./"))
    walk = Walk(folder, ignored=ignored)
    found = [entry.path for entry in walk.entries() if entry.kind in ("file", "link") and matches(entry.path)]
    return sorted(found), not walk.stopped


def _result(args: Glob, name: str, found: tuple[str, ...], *, scanned_all: bool) -> ToolResult:
    notes = [] if scanned_all else [f"[stopped after {MAX_SCANNED:,} entries]"]
    if not found:
        text = "\n".join([f"No files match {args.pattern} under {'the lane root' if name == '.' else name}.", *notes])
        return ToolResult(text=text, summary="no files")
    shown = found[: args.limit]
    if len(found) > len(shown):
        notes.insert(0, f"[{len(found) - len(shown):,} more]")
    block = FileListBlock(paths=shown[:MAX_LISTED], more=len(found) - len(shown[:MAX_LISTED]))
    return ToolResult(text="\n".join([*shown, *notes]), blocks=(block,), summary=count_words(len(found), "file"))


TOOL = Tool(
    name="glob",
    aliases=("Glob",),
    description=(
        "Find files by the pattern of their path, sorted. * and ? stay within a folder, ** crosses folders, {a,b} and "
        "[!a] work as in a shell. Files that git ignores are left out unless asked for."
    ),
    args=Glob,
    category=Category.READ,
    paths=_paths,
    card=_card,
    run=_run,
    varies="What holds secrets and what lies outside the lane asks in every mode.",
)
