"""pr_resolve_review_thread: a review thread of the lane's pull request is settled."""

from pydantic import Field

from desktop.domain.core.content import Card
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.permissions import Assessment, Category
from desktop.tools.offers import OpenPull
from desktop.tools.pull_arguments import RequestArgs, request_target
from desktop.tools.pull_calls import ChatPulls
from desktop.tools.text import title_line
from desktop.tools.tool import Evidence, Tool, ToolContext, ToolError, ToolResult


class PrResolveReviewThread(RequestArgs):
    """The thread of the review that is done."""

    thread_id: str = Field(min_length=1, max_length=200, pattern=r"^[\w=-]+$", description="Id of the review thread.")


def _card(args: PrResolveReviewThread) -> Card:
    return Card(title=title_line(f"Resolve review thread {args.thread_id}"))


def _assess(args: PrResolveReviewThread, ctx: ToolContext) -> Evidence:
    """Where nothing was committed since the last comment, a person is asked in every mode (lanes-P30)."""
    request = request_target(ctx, "pr_resolve_review_thread", args.pr)
    thread = ctx.offer(ChatPulls).thread_target(args.thread_id)
    unanswered = ctx.offer(ChatPulls).unanswered(args.thread_id)
    assessment = Assessment(
        category=Category.EXTERNAL,
        needs_consent=bool(unanswered),
        reason=unanswered,
        remember_key=f"pr_resolve_review_thread {request}",
        covers="Resolving review threads of this pull request, until this chat is closed.",
    )
    return Evidence(assessment=assessment, publishes=True, target=f"{request}\n{thread}")


async def _run(args: PrResolveReviewThread, ctx: ToolContext) -> ToolResult:
    person_asked = ctx.call is not None and ctx.call.assessment.needs_consent
    try:
        changed = await ctx.offer(ChatPulls).resolve(args.thread_id, person_asked=person_asked)
    except BanksmanError as error:
        raise ToolError(str(error), summary="not resolved") from error
    text = "Resolved." if changed else "Was already resolved."
    return ToolResult(text=text, summary=text.rstrip(".").lower(), data={"thread_id": args.thread_id})


TOOL = Tool(
    name="pr_resolve_review_thread",
    aliases=("prResolveReviewThread",),
    description=(
        "Mark a review thread of this lane's pull request as resolved. Only after what it asks for is committed and "
        "pushed; to disagree, reply instead."
    ),
    args=PrResolveReviewThread,
    category=Category.EXTERNAL,
    tier="workflow",
    needs=(OpenPull, ChatPulls),
    grants=frozenset({"once", "session"}),
    assess=_assess,
    card=_card,
    run=_run,
    for_guests=True,
)
