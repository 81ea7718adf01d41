"""commit_changes: a commit of the lane's files, made outside the sandbox because Git's own files are closed in it."""

import asyncio

from pydantic import Field, field_validator

from desktop.domain.core.content import Card, CodeBlock, FileListBlock
from desktop.domain.core.errors import GitError
from desktop.domain.core.permissions import Category
from desktop.services.changes.agent_commit import CommitRequest, MadeCommit, commit
from desktop.services.changes.commit_choice import LeftOut
from desktop.services.files.names import shown_name
from desktop.services.git.reads import own_repository
from desktop.services.processes.stubborn import to_its_end
from desktop.tools.calls.credentials import ChatCredentials
from desktop.tools.git_results import from_git, lane_path
from desktop.tools.offers import WorkingLane
from desktop.tools.text import count_words, title_line
from desktop.tools.tool import PathUse, Tool, ToolArgs, ToolContext, ToolError, ToolResult

MAX_PATHS = 1_000
MAX_LISTED = 500
MAX_LEFT_OUT = 20
SHORT_ID = 7


class CommitChanges(ToolArgs):
    """The message of a commit and the files in it; no files: all that changed."""

    message: str = Field(
        min_length=1, max_length=5_000, description="Commit message: a subject line, a blank line, why."
    )
    paths: tuple[str, ...] | None = Field(
        default=None,
        max_length=MAX_PATHS,
        description="Files and folders to commit, deleted ones too; everything that changed by default.",
    )
    amend: bool = Field(default=False, description="Replace the last commit, if it is this lane's and not pushed.")

    @field_validator("message")
    @classmethod
    def _has_words(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("must have at least one word")
        if any((char < " " and char not in "\t\r\n") or char == "\x7f" for char in value):
            raise ValueError("must not hold control characters")
        return value.replace("\r\n", "\n").replace("\r", "\n")

    @field_validator("paths")
    @classmethod
    def _are_named(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if value is not None and not value:
            raise ValueError("must name at least one path; leave it out to commit everything")
        if value is not None and not all(1 <= len(path) <= 4096 for path in value):
            raise ValueError("a path must have 1 to 4096 characters")
        return value


def _paths(args: CommitChanges) -> tuple[PathUse, ...]:
    return tuple(PathUse(path, "read") for path in args.paths or ())


def _card(args: CommitChanges) -> Card:
    verb = "Amend the last commit" if args.amend else "Commit"
    what = count_words(len(args.paths), "path") if args.paths else "all changes"
    message = CodeBlock(language="text", text=args.message)
    files = (FileListBlock(paths=args.paths),) if args.paths else ()
    return Card(title=title_line(f"{verb} with {what}" if args.amend else f"{verb} {what}"), blocks=(message, *files))


async def _run(args: CommitChanges, ctx: ToolContext) -> ToolResult:
    credentials = ctx.found(ChatCredentials)
    if credentials is not None and (held := credentials.names_in(args.message)):
        text = f"The message holds the secret {held[0]}, so nothing was committed. Leave it out."
        raise ToolError(text, summary="not committed")
    named: list[str] = []
    allowed: set[str] = set()
    for path in args.paths or ():
        facts = ctx.files.resolve(path, "read")
        place = lane_path(ctx, facts)
        named.append(place)
        if facts.kind != "dir":
            allowed.add(place)  # a protected name was asked about before this runs
    repository = await from_git(own_repository(ctx.files, ctx.lane_name))
    request = CommitRequest(args.message, tuple(named), frozenset(allowed), args.amend)
    try:
        made = await to_its_end(asyncio.to_thread(commit, ctx.files.root, repository, request))
    except GitError as error:
        raise ToolError(str(error), summary="not committed") from error
    return _result(args, made)


def _result(args: CommitChanges, made: MadeCommit) -> ToolResult:
    oid, files = made.oid[:SHORT_ID], count_words(len(made.paths), "file")
    if args.amend:
        more = f" with {files}" if made.paths else ", its message changed"
        text = f"Amended the last commit{more}, now {oid} on {made.branch}."
    else:
        text = f"Committed {files} as {oid} on {made.branch}."
    lines = [text, *(_left_out(out) for out in made.left_out[:MAX_LEFT_OUT])]
    if len(made.left_out) > MAX_LEFT_OUT:
        lines.append(f"Left out: {len(made.left_out) - MAX_LEFT_OUT:,} more.")
    names = tuple(shown_name(path) for path in made.paths)
    block = FileListBlock(paths=names[:MAX_LISTED], more=max(len(names) - MAX_LISTED, 0))
    return ToolResult(
        text="\n".join([*lines, *made.notes]),
        blocks=(block,),
        summary=f"{oid} · {files}",
        data={
            "commit": made.oid,
            "branch": made.branch,
            "files": len(made.paths),
            "amended": args.amend,
            "before": made.before,
        },
    )


def _left_out(out: LeftOut) -> str:
    return f"Left out: {shown_name(out.path)}, because {out.reason}."


TOOL = Tool(
    name="commit_changes",
    aliases=("commitChanges",),
    description=(
        "Commit the lane's files as they are now on its branch, as the person. New files are included, files that "
        "Git ignores are not. Hooks do not run, so run checks before. Commands cannot commit: use this instead."
    ),
    guidance="Commit in small steps with a message that says why. Look at git_status first; run the checks yourself.",
    args=CommitChanges,
    category=Category.WRITE,
    tier="workflow",
    needs=(WorkingLane,),
    grants=frozenset({"once", "session"}),
    editable=("message",),
    paths=_paths,
    card=_card,
    run=_run,
    for_guests=True,
)
