"""write_file: a new file, or the whole of an existing one that was read before."""

import asyncio

from pydantic import Field

from desktop.domain.core.content import Card, CodeBlock
from desktop.domain.core.permissions import Category
from desktop.policy.paths import PathFacts
from desktop.services.files.text_files import TextFile, count_lines, decode, line_ends, with_crlf
from desktop.tools.arguments import spellings_for
from desktop.tools.file_changes import NewContent, fresh_content, no_regular_file, store_change
from desktop.tools.text import count_words, language_of, size_words, title_line
from desktop.tools.tool import PathUse, Tool, ToolArgs, ToolContext, ToolError, ToolResult

MAX_CONTENT = 5 * 1024 * 1024


class WriteFile(ToolArgs):
    """A file and all of its new content."""

    file_path: str = Field(min_length=1, max_length=4096, description="File in the lane. Missing folders are created.")
    content: str = Field(max_length=MAX_CONTENT, description="The whole new content of the file.")


def _paths(args: WriteFile) -> tuple[PathUse, ...]:
    return (PathUse(args.file_path, "write"),)


def _card(args: WriteFile) -> Card:
    block = CodeBlock(language=language_of(args.file_path.rpartition("/")[2]), text=args.content)
    return Card(title=title_line(f"Write {args.file_path}"), blocks=(block,))


async def _run(args: WriteFile, ctx: ToolContext) -> ToolResult:
    facts = ctx.files.resolve(args.file_path, "write")
    if facts.kind == "missing":
        return await _create(args, ctx, facts)
    if facts.kind != "file":
        raise no_regular_file(facts)
    raw = await fresh_content(ctx, facts, "replace")
    old = await asyncio.to_thread(decode, raw)
    content, note = _kept_line_ends(old, args.content)
    new = _encoded(facts.rel, old, content)
    if new == raw:
        return ToolResult(text=f"{facts.rel} already has this content; nothing was written.", summary="no change")
    stored = await store_change(ctx, facts, NewContent(raw, new, old.text if old else "", content))
    return ToolResult(
        text=f"Replaced {facts.rel} ({stored.counts}).{note}",
        blocks=stored.blocks,
        summary=stored.counts,
        touched=(stored.touched,),
    )


async def _create(args: WriteFile, ctx: ToolContext, facts: PathFacts) -> ToolResult:
    raw = args.content.encode()
    stored = await store_change(ctx, facts, NewContent(None, raw, "", args.content))
    lines = count_words(count_lines(args.content), "line")
    return ToolResult(
        text=f"Created {facts.rel} ({lines}, {size_words(len(raw))}).",
        blocks=stored.blocks,
        summary=f"new · {lines}",
        touched=(stored.touched,),
    )


def _kept_line_ends(old: TextFile | None, content: str) -> tuple[str, str]:
    if old is not None and old.line_ends == "CRLF" and line_ends(content) == "LF":
        return with_crlf(content), " line ends kept as CRLF."
    return content, ""


def _encoded(path: str, old: TextFile | None, content: str) -> bytes:
    if old is None:
        return content.encode()
    try:
        return old.encode(content)
    except UnicodeEncodeError as error:
        raise ToolError(
            f"{path} is stored as {old.encoding.name}, which has no {error.object[error.start]!r}. "
            "Nothing was written.",
            summary="not written",
        ) from error


TOOL = Tool(
    name="write_file",
    aliases=("writeFile", "Write"),
    description=(
        "Create a file, or replace the whole content of one. An existing file must have been read in this chat and be "
        "unchanged since. For a change of a part use a smaller edit."
    ),
    guidance="Use it for new files and complete rewrites. Give the whole content, never an excerpt with gaps.",
    args=WriteFile,
    spellings=spellings_for(WriteFile),
    category=Category.WRITE,
    paths=_paths,
    card=_card,
    run=_run,
    grants=frozenset({"once", "session"}),
    varies="Guarded names and files that hold secrets ask in every mode; what lies outside the lane is refused.",
)
