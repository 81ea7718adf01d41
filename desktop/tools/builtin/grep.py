"""grep: search the contents of files."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from desktop.domain.core.content import Card, CodeBlock
from desktop.domain.core.permissions import Category
from desktop.services.git.grep import GrepAnswer, GrepLine, GrepQuery, PatternFault, grep
from desktop.tools.file_changes import shown_path
from desktop.tools.text import LIMIT, count_words, title_line
from desktop.tools.tool import PathUse, Tool, ToolArgs, ToolContext, ToolError, ToolResult

MAX_LINE = 500


class Grep(ToolArgs):
    """The arguments of `grep`: what is looked for, in which files, and how much of each find is shown."""

    pattern: str = Field(min_length=1, max_length=1000, description="Regular expression (Perl style).")
    path: str = Field(default=".", min_length=1, max_length=4096, description="File or folder; the lane root.")
    glob: str | None = Field(default=None, max_length=1000, description="Only files like this, for instance *.py.")
    output_mode: Literal["content", "files_with_matches", "count"] = Field(
        default="content", description="Matching lines, only file names, or the number of lines per file."
    )
    literal: bool = Field(default=False, description="Search for the text as it is, not as an expression.")
    case_insensitive: bool = Field(default=False, description="Take upper and lower case as equal.")
    include_ignored: bool = Field(default=False, description="Also files that git ignores.")
    context: int = Field(default=0, ge=0, le=20, description="Lines to show before and after each hit.")
    max_results: int = Field(default=100, ge=1, le=500, description="Hits to show at most, over all files.")


def _paths(args: Grep) -> tuple[PathUse, ...]:
    return (PathUse(args.path, "read"),)


def _card(args: Grep) -> Card:
    place = "" if args.path == "." else f" in {args.path}"
    files = f" ({args.glob})" if args.glob else ""
    return Card(title=title_line(f"Search “{args.pattern}”{place}{files}"))


async def _run(args: Grep, ctx: ToolContext) -> ToolResult:
    facts = ctx.files.resolve(args.path, "read")
    name = shown_path(facts) or facts.raw
    if facts.kind not in ("file", "dir"):
        reason = "is neither a file nor a directory" if facts.exists else "does not exist"
        raise ToolError(f"{name} {reason}.", summary="not found")
    in_lane = not Path(facts.rel).is_absolute()
    folder, below, prefix = ctx.files.root, facts.rel, ""
    if not in_lane:
        place = Path(facts.rel)
        folder, below = (place, ".") if facts.kind == "dir" else (place.parent, place.name)
        prefix = f"{folder}/"
    query = GrepQuery(
        pattern=args.pattern,
        below=below,
        below_is_file=facts.kind == "file",
        glob=args.glob or "",
        mode=args.output_mode,
        literal=args.literal,
        ignore_case=args.case_insensitive,
        include_ignored=args.include_ignored,
        context=args.context,
        max_results=args.max_results,
        skip_secrets=facts.class_ != "secret",
    )
    try:
        answer = await grep(folder, query)
    except PatternFault as fault:
        raise ToolError(
            f"Invalid pattern: {fault}. Set literal=true to search for the text as it is.", summary="invalid pattern"
        ) from fault
    return _result(args, answer, prefix)


def _result(args: Grep, answer: GrepAnswer, prefix: str) -> ToolResult:
    if args.output_mode == "files_with_matches":
        lines = [prefix + path for path in answer.files]
    elif args.output_mode == "count":
        lines = [f"{prefix}{path}:{count}" for path, count in answer.counts.items()]
    else:
        lines = [_line(line, prefix) for line in answer.lines]
        lines += [f"{prefix}{path}: binary file matches" for path in answer.binary]
    lines = lines or [f"No match for {args.pattern}."]
    notes = _notes(args, answer)
    shown = _fitting(lines, LIMIT - sum(len(note) + 1 for note in notes) - 100)
    if len(shown) < len(lines):
        notes.insert(0, f"[{len(lines) - len(shown):,} lines not shown; search a smaller place or a longer pattern]")
    text = "\n".join([*shown, *notes])
    block = CodeBlock(language="text", text="\n".join(shown))
    found = answer.hits + len(answer.binary)
    more = "more than " if answer.more else ""
    noun = "file" if args.output_mode != "content" else "hit"
    summary = f"{more}{count_words(found, noun)}" if found else "no match"
    return ToolResult(text=text, blocks=(block,), summary=summary)


def _line(line: GrepLine, prefix: str) -> str:
    if line.line == 0:
        return "--"
    mark = ":" if line.column else "-"
    return f"{prefix}{line.path}{mark}{line.line}{mark}{_around_hit(line)}"


def _around_hit(line: GrepLine) -> str:
    """The line's text; of a very long one the part around the hit."""
    text = line.text
    if len(text) <= MAX_LINE:
        return text
    before = len(text.encode()[: max(line.column - 1, 0)].decode("utf-8", "ignore"))
    start = min(max(before - MAX_LINE // 2, 0), len(text) - MAX_LINE)
    end = start + MAX_LINE
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


def _notes(args: Grep, answer: GrepAnswer) -> list[str]:
    notes: list[str] = []
    if answer.more:
        notes.append(f"[more than {args.max_results} results; raise max_results or search a smaller place]")
    if answer.timed_out:
        notes.append("[stopped after 30 s]")
    if answer.extended:
        notes.append("[this git has no Perl expressions; the pattern was taken as an extended one]")
    if answer.protected:
        verb = "was" if answer.protected == 1 else "were"
        notes.append(f"[{count_words(answer.protected, 'protected file')} {verb} not searched]")
    return notes


def _fitting(lines: list[str], room: int) -> list[str]:
    shown: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        shown.append(line)
    return shown


TOOL = Tool(
    name="grep",
    aliases=("Grep",),
    description=(
        "Search the contents of files with a regular expression. Shows path:line:text; or only the files, or counts. "
        "Files that git ignores are left out unless asked for; files that usually hold secrets are never searched."
    ),
    guidance="Search before you read: it is faster than opening files one after another.",
    args=Grep,
    category=Category.READ,
    paths=_paths,
    card=_card,
    run=_run,
    varies="What holds secrets and what lies outside the lane asks in every mode.",
)
