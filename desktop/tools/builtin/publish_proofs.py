"""publish_proofs: name proofs and evidence in the text of the lane's pull request."""

from pydantic import Field, field_validator

from desktop.domain.core.content import Card, LinkBlock
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.permissions import Assessment, Category
from desktop.domain.proofs.block import block_sha256
from desktop.tools.arguments import ArgumentsError
from desktop.tools.offers import OpenPull
from desktop.tools.proof_calls import ChatProofs
from desktop.tools.pull_arguments import refuse_secrets, request_target
from desktop.tools.pull_calls import ChatPulls
from desktop.tools.text import title_line
from desktop.tools.tool import Evidence, Tool, ToolArgs, ToolContext, ToolError, ToolResult

_NAME = "publish_proofs"
_OFF = "Pictures and proofs are switched off."


class PublishProofs(ToolArgs):
    """The proofs that are told about on the pull request."""

    proof_ids: list[str] = Field(min_length=1, max_length=50, description="Ids of proofs of this lane.")

    @field_validator("proof_ids")
    @classmethod
    def _are_ids(cls, value: list[str]) -> list[str]:
        if any(not one.startswith("pf_") or len(one) > 60 or not one[3:].isalnum() for one in value):
            raise ValueError("each must be the id of a proof, such as pf_0123456789ab")
        return value


def _card(args: PublishProofs) -> Card:
    many = len(args.proof_ids)
    return Card(title=title_line(f"Attach {many} {'proof' if many == 1 else 'proofs'} to the pull request"))


def _assess(args: PublishProofs, ctx: ToolContext) -> Evidence:
    """What stands on the card is what is posted, to the letter."""
    request = request_target(ctx, _NAME, None)
    try:
        shown = ctx.offer(ChatProofs).post_target(tuple(args.proof_ids))
    except BanksmanError as error:
        raise ArgumentsError(f"Invalid arguments for {_NAME}: proof_ids: {error}") from error
    refuse_secrets(ctx, _NAME, shown)
    return Evidence(assessment=Assessment(category=Category.EXTERNAL), publishes=True, target=f"{request}\n{shown}")


async def _run(args: PublishProofs, ctx: ToolContext) -> ToolResult:
    if ctx.call is None:
        raise ToolError(_OFF, summary="switched off")
    shown = ctx.call.target.removeprefix(f"{request_target(ctx, _NAME, None)}\n")
    try:
        posted = await ctx.offer(ChatProofs).post(tuple(args.proof_ids), shown)
    except BanksmanError as error:
        raise ToolError(str(error), summary="not attached") from error
    many = len(args.proof_ids)
    text = f"{posted.request} names {'the proof' if many == 1 else f'{many} proofs'} now: {posted.url}"
    return ToolResult(
        text=text,
        blocks=(LinkBlock(url=posted.url, label=posted.request),),
        summary="attached",
        data={
            "request": posted.request,
            "url": posted.url,
            "block_sha256": block_sha256(posted.block),
            "before": posted.before,
        },
    )


TOOL = Tool(
    name=_NAME,
    aliases=("publishProofs",),
    description=(
        "Name proofs of this lane and the commands of its last report in the text of its pull request, in a part of "
        "its own that is replaced each time. Pictures stay on this computer; only a person pushes them. Everything "
        "must be committed first."
    ),
    args=PublishProofs,
    category=Category.EXTERNAL,
    tier="workflow",
    surfaces=frozenset({"chat"}),
    needs=(ChatProofs, OpenPull, ChatPulls),
    assess=_assess,
    card=_card,
    run=_run,
    for_guests=True,
)
