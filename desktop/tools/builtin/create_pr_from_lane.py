"""create_pr_from_lane: push the lane's branch and open a pull request, or link the one that is there."""

from pydantic import Field, field_validator

from desktop.domain.core.content import Card, CodeBlock, LinkBlock, TextBlock
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.permissions import Assessment, Category
from desktop.tools.argument_checks import one_line
from desktop.tools.offers import GitHubPulls, WorkingLane
from desktop.tools.pull_arguments import NOT_HERE, refuse_secrets
from desktop.tools.pull_calls import ChatPulls, WantedRequest
from desktop.tools.text import title_line
from desktop.tools.tool import Evidence, Tool, ToolArgs, ToolContext, ToolError, ToolResult

_OTHER_LANE = "it opens the request of another lane"


class CreatePrFromLane(ToolArgs):
    """A pull request as it is opened: its lane, its words, and the branch it goes to."""

    lane_id: str = Field(default="", max_length=60, description="Id of the lane; this chat's own by default.")
    title: str = Field(default="", max_length=256, description="From the lane's commits by default.")
    body: str = Field(
        default="", max_length=65_000, description="Markdown; the project's template or plain headings by default."
    )
    draft: bool = Field(default=False, description="Open it as a draft.")
    base: str = Field(default="", max_length=200, description="The branch to merge into; the lane's base by default.")

    _is_one_line = field_validator("title", "lane_id")(one_line)

    @field_validator("base")
    @classmethod
    def _is_a_branch(cls, value: str) -> str:
        if value.startswith("-") or any(char <= " " or char == "\x7f" for char in value):
            raise ValueError("must be the name of a branch")
        return value


def _card(args: CreatePrFromLane) -> Card:
    kind = "draft pull request" if args.draft else "pull request"
    title = f"Open {kind}: {args.title}" if args.title else f"Open a {kind} from this lane"
    blocks = (CodeBlock(language="markdown", text=args.body),) if args.body else ()
    return Card(title=title_line(title), blocks=blocks)


def _assess(args: CreatePrFromLane, ctx: ToolContext) -> Evidence:
    """Another lane's work is published only on a person's word."""
    refuse_secrets(ctx, "create_pr_from_lane", args.title, args.body)
    wanted = WantedRequest.model_validate(args.model_dump())
    target = ctx.offer(ChatPulls).open_target(wanted)
    own = ctx.offer(ChatPulls).is_own_lane(args.lane_id)
    assessment = Assessment(
        category=Category.EXTERNAL, needs_consent=not own, reason="" if own else _OTHER_LANE.capitalize() + "."
    )
    return Evidence(assessment=assessment, publishes=True, target=target)


async def _run(args: CreatePrFromLane, ctx: ToolContext) -> ToolResult:
    if ctx.call is None:
        raise ToolError(NOT_HERE, summary="not opened")
    wanted = WantedRequest.model_validate({**args.model_dump(), "target": ctx.call.target})
    try:
        opened = await ctx.offer(ChatPulls).open(wanted)
    except BanksmanError as error:
        raise ToolError(str(error), summary="not opened") from error
    if opened.adopted:
        text = f"Pull request #{opened.number} already exists for this branch; linked."
    else:
        text = f"Pull request #{opened.number}{' (draft)' if opened.draft else ''}: {opened.url}"
    return ToolResult(
        text="\n".join([text, *opened.notices]),
        blocks=(
            LinkBlock(url=opened.url, label=f"Pull request #{opened.number}"),
            *(TextBlock(text=notice) for notice in opened.notices),
        ),
        summary=f"#{opened.number} {'linked' if opened.adopted else 'opened'}",
        data={"number": opened.number, "url": opened.url, "adopted": opened.adopted},
    )


TOOL = Tool(
    name="create_pr_from_lane",
    aliases=("createPrFromLane",),
    description=(
        "Push the lane's branch and open a pull request from it, or link the one that is open already. Everything must "
        "be committed first."
    ),
    guidance="Open a pull request with create_pr_from_lane only when the person asks for one.",
    args=CreatePrFromLane,
    category=Category.EXTERNAL,
    tier="workflow",
    surfaces=frozenset({"chat"}),
    needs=(GitHubPulls, WorkingLane, ChatPulls),
    editable=("title", "body"),
    assess=_assess,
    card=_card,
    run=_run,
    for_guests=True,
    varies="For another lane than the chat's own it asks in every mode.",
)
