"""pr_reply_to_review_thread: a reply in a review thread of the lane's pull request."""

from pydantic import Field, field_validator

from desktop.domain.core.content import Card, CodeBlock, LinkBlock
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.permissions import Assessment, Category
from desktop.tools.offers import OpenPull
from desktop.tools.pull_arguments import RequestArgs, refuse_secrets, request_target
from desktop.tools.pull_calls import ChatPulls
from desktop.tools.text import title_line
from desktop.tools.tool import Evidence, Tool, ToolContext, ToolError, ToolResult


class PrReplyToReviewThread(RequestArgs):
    """A thread of the review, and the words that answer it."""

    thread_id: str = Field(min_length=1, max_length=200, pattern=r"^[\w=-]+$", description="Id of the review thread.")
    body: str = Field(min_length=1, max_length=10_000, description="The reply, in Markdown.")

    @field_validator("body")
    @classmethod
    def _says_something(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("must say something")
        return value


def _card(args: PrReplyToReviewThread) -> Card:
    return Card(
        title=title_line(f"Reply in review thread {args.thread_id}"),
        blocks=(CodeBlock(language="markdown", text=args.body),),
    )


def _assess(args: PrReplyToReviewThread, ctx: ToolContext) -> Evidence:
    refuse_secrets(ctx, "pr_reply_to_review_thread", args.body)
    request = request_target(ctx, "pr_reply_to_review_thread", args.pr)
    thread = ctx.offer(ChatPulls).thread_target(args.thread_id)
    assessment = Assessment(
        category=Category.EXTERNAL,
        remember_key=f"pr_reply_to_review_thread {request}",
        covers="Replying in review threads of this pull request, until this chat is closed.",
    )
    return Evidence(assessment=assessment, publishes=True, target=f"{request}\n{thread}")


async def _run(args: PrReplyToReviewThread, ctx: ToolContext) -> ToolResult:
    try:
        made = await ctx.offer(ChatPulls).reply(args.thread_id, args.body)
    except BanksmanError as error:
        raise ToolError(str(error), summary="not replied") from error
    url = made.url
    return ToolResult(
        text=f"Replied in thread {args.thread_id}: {url}",
        blocks=(LinkBlock(url=url, label="The reply"),) if url else (),
        summary="replied",
        data={"thread_id": args.thread_id, "comment_id": made.id, "url": url},
    )


TOOL = Tool(
    name="pr_reply_to_review_thread",
    aliases=("prReplyToReviewThread",),
    description=(
        "Reply in a review thread of this lane's pull request, as the person's account. Reply after a real fix, naming "
        "the commit, or to disagree with reasons."
    ),
    args=PrReplyToReviewThread,
    category=Category.EXTERNAL,
    tier="workflow",
    needs=(OpenPull, ChatPulls),
    grants=frozenset({"once", "session"}),
    editable=("body",),
    assess=_assess,
    card=_card,
    run=_run,
    for_guests=True,
)
