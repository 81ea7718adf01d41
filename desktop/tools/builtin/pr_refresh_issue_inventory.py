"""pr_refresh_issue_inventory: what the lane's pull request waits for, asked of GitHub now."""

from desktop.domain.core.content import Card, TableBlock
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.permissions import Category
from desktop.tools.git_results import clipped
from desktop.tools.inventory_calls import Inventory
from desktop.tools.offers import OpenPull
from desktop.tools.pull_arguments import RequestArgs
from desktop.tools.text import count_words
from desktop.tools.tool import Tool, ToolContext, ToolError, ToolResult
from desktop.tools.untrusted import untrusted


class PrRefreshIssueInventory(RequestArgs):
    """The arguments of `pr_refresh_issue_inventory`: none, the lane's own pull request is looked at."""


def _card(args: PrRefreshIssueInventory) -> Card:
    return Card(title="Look at the pull request" + (f" #{args.pr}" if args.pr is not None else ""))


async def _run(args: PrRefreshIssueInventory, ctx: ToolContext) -> ToolResult:
    try:
        told = await ctx.offer(Inventory)("" if args.pr is None else str(args.pr).lstrip("#"))
    except BanksmanError as error:
        raise ToolError(str(error), summary="not told") from error
    text, full = clipped(ctx, f"{told.about}\n{untrusted(told.source, told.text)}" if told.text else told.about)
    blocks = (TableBlock(columns=("Kind", "What", "State"), rows=told.rows),) if told.rows else ()
    return ToolResult(
        text=text,
        full=full,
        blocks=blocks,
        summary=count_words(len(told.rows), "thing to fix", "things to fix") if told.rows else "nothing to fix",
        untrusted=(told.source,) if told.text else (),
        data={"number": told.number},
    )


TOOL = Tool(
    name="pr_refresh_issue_inventory",
    aliases=("prRefreshIssueInventory",),
    description=(
        "Ask GitHub how this lane's pull request stands: failing checks with their jobs, steps and annotations, review "
        "threads that are not resolved, and comments, with the ids that other tools need."
    ),
    args=PrRefreshIssueInventory,
    category=Category.READ,
    tier="workflow",
    needs=(OpenPull, Inventory),
    card=_card,
    run=_run,
    for_guests=True,
)
