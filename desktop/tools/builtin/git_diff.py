"""git_diff: the changes of the lane as a patch."""

from pydantic import Field, field_validator, model_validator

from desktop.domain.core.content import Block, Card, DiffBlock, TextBlock
from desktop.domain.core.permissions import Category
from desktop.services.files.names import shown_name
from desktop.services.git.patch import FilePatch
from desktop.services.git.reads import GitReads, LaneDiff
from desktop.services.git.refs import range_of
from desktop.tools.argument_checks import known_ref
from desktop.tools.git_results import clipped, from_git, lane_path
from desktop.tools.offers import WorkingLane
from desktop.tools.text import count_words, title_line
from desktop.tools.tool import PathUse, Tool, ToolArgs, ToolContext, ToolResult

MAX_BLOCKS = 40
MAX_BLOCK_CHARS = 100_000
MAX_BLOCKS_CHARS = 400_000
MAX_NAMED = 20


class GitDiff(ToolArgs):
    """The arguments of `git_diff`: which two sides are compared, what is staged or a commit with the files as they
    are."""

    staged: bool = Field(default=False, description="What is staged, compared with the last commit or with ref.")
    ref: str | None = Field(
        default=None,
        max_length=200,
        description="Compare the files with this branch, tag or commit; or two of them: main..HEAD, main...HEAD.",
    )
    path: str | None = Field(
        default=None, min_length=1, max_length=4096, description="Only this file or folder; the whole lane by default."
    )

    _is_ref = field_validator("ref")(known_ref)

    @model_validator(mode="after")
    def _one_comparison(self) -> "GitDiff":
        if self.staged and self.ref is not None and range_of(self.ref)[0]:
            raise ValueError("staged compares with one commit, not with a range")
        return self


def _paths(args: GitDiff) -> tuple[PathUse, ...]:
    return () if args.path is None else (PathUse(args.path, "read"),)


def _card(args: GitDiff) -> Card:
    what = "Diff of what is staged" if args.staged else "Diff"
    against = f" against {args.ref}" if args.ref else ""
    return Card(title=title_line(f"{what}{against}{f' in {args.path}' if args.path else ''}"))


async def _run(args: GitDiff, ctx: ToolContext) -> ToolResult:
    path, open_path = ".", ""
    if args.path is not None:
        facts = ctx.files.resolve(args.path, "read")
        path = lane_path(ctx, facts)
        open_path = path if facts.class_ == "secret" else ""
    reads = GitReads(ctx.files, ctx.lane_name)
    found = await from_git(reads.diff(ref=args.ref or "", staged=args.staged, path=path, open_path=open_path))
    notes = _notes(found)
    if not found.files:
        return ToolResult(text="\n".join([_nothing(args), *notes]), summary="no difference")
    whole = "".join(file.text for file in found.files)
    text, full = clipped(ctx, "\n".join([*notes, whole]), b"".join(file.raw for file in found.files))
    added, removed = sum(file.added for file in found.files), sum(file.removed for file in found.files)
    return ToolResult(
        text=text,
        blocks=_blocks(found.files),
        full=full,
        summary=f"{count_words(len(found.files), 'file')} · +{added} −{removed}",
    )


def _nothing(args: GitDiff) -> str:
    place = f" in {args.path}" if args.path else ""
    if args.staged:
        return f"Nothing is staged{place}."
    if args.ref:
        return f"There is no difference to {args.ref}{place}."
    return f"There is no difference{place}. New files that Git does not know are listed by git_status."


def _notes(found: LaneDiff) -> list[str]:
    notes = []
    if found.withheld:
        named = ", ".join(shown_name(name) for name in found.withheld[:MAX_NAMED])
        more = f" and {len(found.withheld) - MAX_NAMED} more" if len(found.withheld) > MAX_NAMED else ""
        notes.append(f"[{count_words(len(found.withheld), 'protected file')}, content withheld: {named}{more}]")
    if found.cut:
        notes.append("[only the first 64 MiB; name a path]")
    return notes


def _blocks(files: tuple[FilePatch, ...]) -> tuple[Block, ...]:
    blocks: list[Block] = []
    room = MAX_BLOCKS_CHARS
    for file in files[:MAX_BLOCKS]:
        hunks, name = file.hunks, shown_name(file.path)
        if len(hunks) > min(MAX_BLOCK_CHARS, room):
            blocks.append(TextBlock(text=f"{name}: +{file.added} −{file.removed}. Too long to show here; see Changes."))
            continue
        room -= len(hunks)
        blocks.append(DiffBlock(path=name, unified=hunks, added=file.added, removed=file.removed))
    if len(files) > MAX_BLOCKS:
        blocks.append(TextBlock(text=f"{count_words(len(files) - MAX_BLOCKS, 'more file')}; see Changes."))
    return tuple(blocks)


TOOL = Tool(
    name="git_diff",
    aliases=("gitDiff",),
    description=(
        "Show changes as a patch: of the working files against the index, of what is staged, against a commit, or "
        "between two. Files that usually hold secrets are named, their content is withheld."
    ),
    args=GitDiff,
    category=Category.READ,
    needs=(WorkingLane,),
    paths=_paths,
    card=_card,
    run=_run,
)
