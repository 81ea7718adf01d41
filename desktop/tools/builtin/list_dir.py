"""list_dir: what a folder holds."""

import asyncio
from itertools import islice

from pydantic import Field

from desktop.domain.core.content import Card, FileListBlock
from desktop.domain.core.permissions import Category
from desktop.services.git.file_search import MAX_SCANNED, FoundEntry, Walk, ignored_below
from desktop.tools.file_changes import shown_path
from desktop.tools.text import count_words, size_words, title_line
from desktop.tools.tool import PathUse, Tool, ToolArgs, ToolContext, ToolError, ToolResult

MAX_LIMIT = 1_000
DEFAULT_LIMIT = 500


class ListDir(ToolArgs):
    """The folder that is listed, and how deep."""

    path: str = Field(default=".", min_length=1, max_length=4096, description="Folder; the lane root by default.")
    recursive: bool = Field(default=False, description="Also what is below, without .git and what git ignores.")
    limit: int = Field(default=DEFAULT_LIMIT, ge=1, le=MAX_LIMIT, description="How many entries to list at most.")


def _paths(args: ListDir) -> tuple[PathUse, ...]:
    return (PathUse(args.path, "list"),)


def _card(args: ListDir) -> Card:
    below = " and below" if args.recursive else ""
    return Card(title=title_line(f"List {args.path}") + below)


async def _run(args: ListDir, ctx: ToolContext) -> ToolResult:
    facts = ctx.files.resolve(args.path, "list")
    name = shown_path(facts) or facts.raw
    if not facts.exists:
        raise ToolError(f"{name} does not exist.", summary="not found")
    if facts.kind != "dir":
        raise ToolError(f"{name} is not a directory; use read_file.", summary="not a directory")
    folder = ctx.files.root / facts.rel
    ignored = await ignored_below(folder) if args.recursive else frozenset[str]()
    walk = Walk(folder, recursive=args.recursive, ignored=ignored)
    found = await asyncio.to_thread(lambda: list(walk.entries()))
    shown = list(islice(found, args.limit))
    lines = [_line(entry) for entry in shown]
    if len(found) > len(shown):
        lines.append(f"[{len(found) - len(shown):,} more; raise limit or list a folder below]")
    if walk.stopped:
        lines.append(f"[stopped after {MAX_SCANNED:,} entries]")
    if walk.skipped:
        lines.append(f"[{count_words(walk.skipped, 'ignored entry', 'ignored entries')} left out]")
    text = "\n".join(lines) if lines else f"{name} is empty."
    prefix = "" if facts.rel == "." else f"{facts.rel}/"
    paths = tuple(f"{prefix}{entry.path}{'/' if entry.kind == 'dir' else ''}" for entry in shown)
    block = FileListBlock(paths=paths, more=len(found) - len(shown))
    return ToolResult(text=text, blocks=(block,), summary=count_words(len(found), "item"))


def _line(entry: FoundEntry) -> str:
    if entry.kind == "dir":
        return f"dir {entry.path}/"
    if entry.kind == "link":
        return f"link {entry.path} → {entry.target}"
    if entry.kind == "other":
        return f"other {entry.path}"
    return f"file {entry.path} {size_words(entry.size)}"


TOOL = Tool(
    name="list_dir",
    aliases=("listDir", "LS"),
    description="List a folder: folders first, then files with their sizes. Recursive listings skip ignored files.",
    args=ListDir,
    category=Category.READ,
    paths=_paths,
    card=_card,
    run=_run,
    varies="What holds secrets and what lies outside the lane asks in every mode.",
)
