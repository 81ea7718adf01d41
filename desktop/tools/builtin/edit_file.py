"""edit_file: replace one exact text in a file that was read before."""

import asyncio

from pydantic import Field

from desktop.domain.core.content import Card, DiffBlock
from desktop.domain.core.permissions import Category
from desktop.policy.paths import PathFacts
from desktop.services.files.line_diff import line_diff
from desktop.services.files.text_files import TextFile, decode
from desktop.tools.arguments import spellings_for
from desktop.tools.file_changes import (
    MAX_FILE_BYTES,
    NewContent,
    StoredChange,
    fresh_content,
    no_regular_file,
    store_change,
)
from desktop.tools.text import count_words, title_line
from desktop.tools.text_edit import Hits, closest_line, find, line_of, replace
from desktop.tools.tool import PathUse, Tool, ToolArgs, ToolContext, ToolError, ToolResult

MAX_TEXT = 200_000
SHOWN_LINES = 12
MAX_LINE = 300


class EditFile(ToolArgs):
    """A text in a file and the text that takes its place, once or everywhere."""

    file_path: str = Field(min_length=1, max_length=4096, description="File in the lane.")
    old_string: str = Field(
        min_length=1, max_length=MAX_TEXT, description="The exact text to replace, with its blanks; it must occur once."
    )
    new_string: str = Field(max_length=MAX_TEXT, description="The text to put in its place, stored as it is.")
    replace_all: bool = Field(default=False, description="Replace every occurrence instead of exactly one.")


def _paths(args: EditFile) -> tuple[PathUse, ...]:
    return (PathUse(args.file_path, "write"),)


def _card(args: EditFile) -> Card:
    diff = line_diff(args.old_string, args.new_string)
    block = DiffBlock(path=args.file_path, unified=diff.unified, added=diff.added, removed=diff.removed)
    every = " (every occurrence)" if args.replace_all else ""
    return Card(title=title_line(f"Edit {args.file_path}") + every, blocks=(block,))


async def _run(args: EditFile, ctx: ToolContext) -> ToolResult:
    if args.old_string == args.new_string:
        raise ToolError("The new text equals the old text.", summary="no change")
    facts = ctx.files.resolve(args.file_path, "write")
    if facts.kind == "missing":
        raise ToolError(f"{facts.rel or facts.raw} does not exist. Use write_file to create it.", summary="not found")
    if facts.kind != "file":
        raise no_regular_file(facts)
    if facts.size > MAX_FILE_BYTES:
        raise ToolError(f"{facts.rel} is larger than 50 MiB and cannot be edited.", summary="too large")
    raw = await fresh_content(ctx, facts, "edit")
    file = await asyncio.to_thread(decode, raw)
    if file is None:
        raise ToolError(f"{facts.rel} is binary and cannot be edited.", summary="binary")
    hits = await asyncio.to_thread(find, file, args.old_string)
    await _check(args, facts, file, hits)
    places = hits.apart() if args.replace_all else hits.places
    text = replace(file, places, args.new_string)
    try:
        new = file.encode(text)
    except UnicodeEncodeError as error:
        raise ToolError(
            f"{facts.rel} is stored as {file.encoding.name}, which has no {error.object[error.start]!r}. "
            "Nothing was written.",
            summary="not written",
        ) from error
    stored = await store_change(ctx, facts, NewContent(raw, new, file.text, text))
    return _result(facts, stored, len(places), _around(text, places[0][0], args.new_string))


async def _check(args: EditFile, facts: PathFacts, file: TextFile, hits: Hits) -> None:
    if not hits.places:
        near = await asyncio.to_thread(closest_line, file.text, args.old_string)
        closest = f" Closest: line {near[0]}: {near[1][:MAX_LINE]}" if near else ""
        raise ToolError(f"The text was not found in {facts.rel}.{closest}", summary="not found")
    if len(hits.places) > 1 and not args.replace_all:
        lines = [str(line_of(file.text, start)) for start, _ in hits.places[:10]]
        more = "…" if len(hits.places) > len(lines) else ""
        raise ToolError(
            f"The text occurs {len(hits.places)} times in {facts.rel} (lines {', '.join(lines)}{more}). "
            "Add context or set replace_all.",
            summary=f"{len(hits.places)} places",
        )


def _around(text: str, at: int, new: str) -> str:
    """Up to twelve numbered lines around the first replacement."""
    first = line_of(text, at)
    lines = text.split("\n")
    length = min(new.count("\n") + 1, SHOWN_LINES)
    start = max(first - max((SHOWN_LINES - length) // 2, 0), 1)
    shown = lines[start - 1 : start - 1 + SHOWN_LINES]
    if shown and not shown[-1] and start - 1 + len(shown) == len(lines):
        shown.pop()
    return "\n".join(f"{number:>6}\t{line.rstrip(chr(13))[:MAX_LINE]}" for number, line in enumerate(shown, start))


def _result(facts: PathFacts, stored: StoredChange, count: int, around: str) -> ToolResult:
    return ToolResult(
        text=f"Edited {facts.rel}: {count_words(count, 'replacement')} ({stored.counts}).\n{around}",
        blocks=stored.blocks,
        summary=stored.counts,
        touched=(stored.touched,),
    )


TOOL = Tool(
    name="edit_file",
    aliases=("editFile", "Edit", "search_replace", "str_replace"),
    description=(
        "Replace an exact text in a file that was read in this chat. The text must occur exactly once unless "
        "replace_all is set. Both texts are literal; line ends are adapted to the file."
    ),
    guidance=(
        "Read the file first. Copy old_string from what you read, with its blanks but without the line numbers, and "
        "with enough lines around it to be unique. After an edit the file need not be read again."
    ),
    args=EditFile,
    spellings=spellings_for(EditFile),
    category=Category.WRITE,
    paths=_paths,
    card=_card,
    run=_run,
    varies="Guarded names and files that hold secrets ask in every mode; what lies outside the lane is refused.",
)
