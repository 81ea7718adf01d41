"""attach_proof: a file of the lane, kept as it is now to show what was done."""

from pydantic import Field, field_validator

from desktop.domain.core.content import Card, TextBlock
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.permissions import Category, PermissionMode
from desktop.domain.proofs.values import ProofKind
from desktop.services.files.leftovers import passing_prefix
from desktop.tools.arguments import ArgumentsError, spellings_for
from desktop.tools.offers import WorkingLane
from desktop.tools.proof_calls import ChatProofs, WantedFile
from desktop.tools.proof_results import attached_result
from desktop.tools.text import title_line
from desktop.tools.tool import Evidence, PathUse, Tool, ToolArgs, ToolContext, ToolError, ToolResult


class AttachProof(ToolArgs):
    """A file that is kept as a proof: where it is, what it shows, and the earlier proof it is held beside."""

    path: str = Field(min_length=1, max_length=4096, description="A file of the lane or in TMPDIR.")
    kind: ProofKind | None = Field(default=None, description="What it is; told by its content when left out.")
    title: str = Field(min_length=1, max_length=120, description="What it shows, for the person.")
    description: str = Field(default="", max_length=500, description="What to look at.")
    compare_with: str = Field(default="", max_length=40, description="Id of an earlier picture to compare with.")

    @field_validator("title")
    @classmethod
    def _can_be_read(cls, value: str) -> str:
        if any(char < " " or char == "\x7f" for char in value) or not value.strip():
            raise ValueError("must be one line of text")
        return value.strip()


def _card(args: AttachProof) -> Card:
    words = [one for one in (args.title, args.description) if one]
    return Card(title=title_line(f"Attach proof {args.path}"), blocks=(TextBlock(text="\n".join(words)),))


def _paths(args: AttachProof) -> tuple[PathUse, ...]:
    """The chat's own temporary folder is no path of the lane; `assess` tells it from every other one."""
    return () if f"/{passing_prefix()}" in args.path else (PathUse(args.path, "read"),)


def _assess(args: AttachProof, ctx: ToolContext) -> Evidence:
    problem = ctx.offer(ChatProofs).file_problem(args.path)
    if problem:
        raise ArgumentsError(f"Invalid arguments for attach_proof: {problem}.")
    return Evidence()


async def _run(args: AttachProof, ctx: ToolContext) -> ToolResult:
    wanted = WantedFile.model_validate(args.model_dump())
    try:
        return attached_result(await ctx.offer(ChatProofs).attach(ctx.call_id, wanted, ctx.files))
    except BanksmanError as error:
        raise ToolError(str(error), summary="not attached") from error


TOOL = Tool(
    name="attach_proof",
    aliases=("attachProof",),
    description=(
        "Keep a file as a proof for the person: a picture, a video, a log, test results or any other file of this lane "
        "or of TMPDIR. It is copied as it is now and shown beside the chat; the file itself stays where it is."
    ),
    args=AttachProof,
    spellings=spellings_for(AttachProof),
    category=Category.READ,
    modes=frozenset({PermissionMode.EDIT, PermissionMode.FULL_AUTO}),
    tier="workflow",
    needs=(WorkingLane, ChatProofs),
    parallel=False,
    assess=_assess,
    paths=_paths,
    card=_card,
    run=_run,
    for_guests=True,
)
