"""git_log: the newest commits."""

from pydantic import Field, field_validator

from desktop.domain.core.content import Card, TableBlock
from desktop.domain.core.permissions import Category
from desktop.services.git.reads import Commit, GitReads
from desktop.tools.argument_checks import known_ref
from desktop.tools.git_results import clipped, from_git, lane_path
from desktop.tools.offers import WorkingLane
from desktop.tools.text import count_words, title_line
from desktop.tools.tool import PathUse, Tool, ToolArgs, ToolContext, ToolResult

SHORT_ID = 7


class GitLog(ToolArgs):
    """The arguments of `git_log`: which commits are listed, how many, from where, and of which file."""

    count: int = Field(default=10, ge=1, le=100, description="How many commits to show.")
    ref: str | None = Field(
        default=None, max_length=200, description="Begin at this branch, tag or commit, or show a range: main..HEAD."
    )
    path: str | None = Field(
        default=None, min_length=1, max_length=4096, description="Only commits that changed this file or folder."
    )
    oneline: bool = Field(default=True, description="One line a commit; else author, date and the whole message.")

    _is_ref = field_validator("ref")(known_ref)


def _paths(args: GitLog) -> tuple[PathUse, ...]:
    return () if args.path is None else (PathUse(args.path, "list"),)


def _card(args: GitLog) -> Card:
    return Card(title=title_line(f"Git log{_of(args)}"))


def _of(args: GitLog) -> str:
    return f"{f' of {args.ref}' if args.ref else ''}{f' for {args.path}' if args.path else ''}"


async def _run(args: GitLog, ctx: ToolContext) -> ToolResult:
    path = "." if args.path is None else lane_path(ctx, ctx.files.resolve(args.path, "list"))
    reads = GitReads(ctx.files, ctx.lane_name)
    commits = await from_git(reads.log(count=args.count + 1, ref=args.ref or "", path=path))
    shown = commits[: args.count]
    if not shown:
        return ToolResult(text=f"There are no commits{_of(args)}.", summary="no commits")
    parts = [_line(commit) if args.oneline else _whole(commit) for commit in shown]
    if len(commits) > len(shown):
        parts.append("[older commits not shown; raise count or begin at an older commit with ref]")
    text, full = clipped(ctx, ("\n" if args.oneline else "\n\n").join(parts))
    rows = tuple((commit.oid[:SHORT_ID], commit.date, commit.author, commit.subject) for commit in shown)
    table = TableBlock(columns=("Commit", "Date", "Author", "Subject"), rows=rows)
    return ToolResult(text=text, blocks=(table,), full=full, summary=count_words(len(shown), "commit"))


def _line(commit: Commit) -> str:
    return f"{commit.oid[:SHORT_ID]} {commit.subject}"


def _whole(commit: Commit) -> str:
    message = "\n".join(f"    {line}".rstrip() for line in [commit.subject, "", *commit.body.split("\n")])
    return f"commit {commit.oid}\nAuthor: {commit.author} <{commit.email}>\nDate:   {commit.date}\n\n{message.rstrip()}"


TOOL = Tool(
    name="git_log",
    aliases=("gitLog",),
    description="Show the newest commits of this lane's branch, of another revision, of a range, or of one path.",
    args=GitLog,
    category=Category.READ,
    needs=(WorkingLane,),
    paths=_paths,
    card=_card,
    run=_run,
)
