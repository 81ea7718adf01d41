"""push_lane: the lane's branch to its remote; commands cannot, as they have neither the network nor a login."""

from pydantic import Field

from desktop.domain.core.content import Card
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.permissions import Assessment, Category
from desktop.tools.offers import WorkingLane
from desktop.tools.pull_arguments import NOT_HERE
from desktop.tools.pull_calls import ChatPulls
from desktop.tools.text import count_words
from desktop.tools.tool import Evidence, Tool, ToolArgs, ToolContext, ToolError, ToolResult

SHORT_ID = 7


class PushLane(ToolArgs):
    """Whether the pushed branch may take the place of one that was rewritten."""

    after_rewrite: bool = Field(
        default=False,
        description="Replace what was last seen on the remote, after commits of this lane were rewritten.",
    )


def _card(args: PushLane) -> Card:
    replaces = ", replacing there what was rewritten here" if args.after_rewrite else ""
    return Card(title=f"Push this lane's branch{replaces}")


def _assess(args: PushLane, ctx: ToolContext) -> Evidence:
    """A grant holds for the very place that its card named."""
    target = ctx.offer(ChatPulls).push_target()
    how = "Pushing with replacing" if args.after_rewrite else "Pushing"
    assessment = Assessment(
        category=Category.EXTERNAL,
        remember_key=f"push_lane {args.after_rewrite} {target}" if target else None,
        covers=f"{how} to the same place, until this chat is closed.",
    )
    return Evidence(assessment=assessment, publishes=True, target=target)


async def _run(args: PushLane, ctx: ToolContext) -> ToolResult:
    if ctx.call is None:
        raise ToolError(NOT_HERE, summary="not pushed")
    try:
        pushed = await ctx.offer(ChatPulls).push(after_rewrite=args.after_rewrite, target=ctx.call.target)
    except BanksmanError as error:
        raise ToolError(str(error), summary="not pushed") from error
    place = f"{pushed.remote}/{pushed.branch}"
    text = f"Pushed {count_words(pushed.commits, 'commit')} to {place} ({pushed.oid[:SHORT_ID]})."
    return ToolResult(
        text=f"{text} {pushed.notice}".rstrip(),
        summary=f"{count_words(pushed.commits, 'commit')} to {place}",
        data={"remote": pushed.remote, "branch": pushed.branch, "oid": pushed.oid},
    )


TOOL = Tool(
    name="push_lane",
    aliases=("gitPush",),
    description=(
        "Push the lane's branch to its remote, with the person's own login. Only what is committed goes; nothing is "
        "replaced there unless after_rewrite says so, and then only what was last seen there."
    ),
    guidance="Commands cannot push: use push_lane, after everything is committed.",
    args=PushLane,
    category=Category.EXTERNAL,
    tier="workflow",
    needs=(WorkingLane, ChatPulls),
    grants=frozenset({"once", "session"}),
    assess=_assess,
    card=_card,
    run=_run,
    for_guests=True,
)
